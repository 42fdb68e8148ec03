//! Names by number.

use throughline_value::Named;

/// What the name of a number begins with that was taken away.
const GONE: char = '\0';

/// Names that stand for small numbers, in the order in which they came.
///
/// A name that was taken away leaves its number with [`GONE`] before it. A name that begins so by itself is kept with
/// another one before it, and is none of those.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Named<()>);

fn kept(name: &str) -> String {
    if name.starts_with(GONE) { format!("{GONE}{name}") } else { name.to_owned() }
}

/// The name as it was given; none where it was taken away.
fn given(kept: &str) -> Option<&str> {
    match kept.strip_prefix(GONE) {
        None => Some(kept),
        Some(name) => name.starts_with(GONE).then_some(name),
    }
}

impl Names {
    /// The number of a name, which is given one when it is new.
    pub(crate) fn add(&mut self, name: &str) -> usize {
        self.get_index_of(name).unwrap_or_else(|| self.add_kept(&kept(name)))
    }

    /// Adds a name as [`Names::kept`] gives it.
    pub(crate) fn add_kept(&mut self, kept: &str) -> usize {
        self.0.insert(kept.to_owned(), ());
        self.0.len() - 1
    }

    /// All names as they are kept, those that were taken away, too.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(crate) fn get_index_of(&self, name: &str) -> Option<usize> {
        if name.starts_with(GONE) { self.0.get_index_of(&kept(name)) } else { self.0.get_index_of(name) }
    }

    /// The name of a number; empty where it was taken away.
    pub(crate) fn get_index(&self, number: usize) -> Option<&str> {
        self.0.get_index(number).map(|(name, ())| given(name).unwrap_or_default())
    }

    /// Takes names away; their numbers stay taken.
    pub(crate) fn wipe(&mut self, gone: &dyn Fn(usize) -> bool) {
        let names = std::mem::take(&mut self.0).into_keys().enumerate();
        self.0 = names.map(|(n, name)| (if gone(n) { format!("{GONE}{n}") } else { name }, ())).collect();
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.get_index_of(name).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_whatever_it_begins_with_and_whatever_is_taken_away() {
        let mut names = Names::default();
        let all = ["a", "\u{0}0", "\u{0}", "\u{0}\u{0}0", "b", "", "0"];
        for (n, name) in all.iter().enumerate() {
            assert_eq!((names.get_index_of(name), names.add(name), names.add(name)), (None, n, n));
        }
        names.wipe(&|n| n == 0 || n == 4);
        for (n, name) in all.iter().enumerate() {
            let is_gone = n == 0 || n == 4;
            assert_eq!(names.get_index(n), Some(if is_gone { "" } else { name }));
            assert_eq!(names.get_index_of(name), (!is_gone).then_some(n));
        }
        assert_eq!((names.add("a"), names.get_index(7), names.get_index(8)), (7, Some("a"), None));
        let mut copy = Names::default();
        names.kept().for_each(|name| {
            copy.add_kept(name);
        });
        assert!(all.iter().all(|name| copy.get_index_of(name) == names.get_index_of(name)));
    }
}
