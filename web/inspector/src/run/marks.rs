//! Bookmarks on records. They stand in the page's address, so a link has them.

use leptos::prelude::*;

use super::state::RunState;
use crate::focus::Focus;

/// What they are called in the address.
const NAME: &str = "k";

/// The records that are bookmarked.
pub(crate) fn of(focus: &Focus) -> Vec<u64> {
    let own = focus.rest.iter().filter(|(name, _)| name == NAME);
    own.flat_map(|(_, list)| list.split(',').filter_map(|seq| seq.parse().ok())).collect()
}

/// The address with this record bookmarked, or no longer.
fn toggled(mut focus: Focus, seq: u64) -> Focus {
    let mut list = of(&focus);
    let before = list.len();
    list.retain(|one| *one != seq);
    if list.len() == before {
        list.insert(list.partition_point(|one| *one < seq), seq);
    }
    focus.rest.retain(|(name, _)| name != NAME);
    if !list.is_empty() {
        let list: Vec<_> = list.iter().map(u64::to_string).collect();
        focus.rest.push((NAME.to_owned(), list.join(",")));
    }
    focus
}

/// Bookmarks the record that a person looks at, or takes its bookmark away.
pub(crate) fn toggle(run: RunState) {
    let at = run.at.get_untracked();
    if at > 0 {
        run.app.look(toggled(run.app.focus.get_untracked(), at));
    }
}

/// Goes to the next bookmark, after the last one to the first.
pub(crate) fn next(run: RunState) {
    let at = run.at.get_untracked();
    let list = run.app.focus.with_untracked(of);
    let later = list.iter().filter(|seq| **seq > at).min();
    if let Some(seq) = later.or_else(|| list.iter().min()) {
        run.jump(*seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bookmark_is_set_and_taken_away_and_stands_in_the_address() {
        let one = toggled(Focus::run("a"), 12);
        let two = toggled(one, 3);
        assert_eq!(two.write(), "#/run/a/overview?k=3,12");
        assert_eq!(of(&Focus::read(&two.write())), [3, 12]);
        assert_eq!(toggled(toggled(two, 3), 12), Focus::run("a"));
    }
}
