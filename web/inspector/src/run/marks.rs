//! Bookmarks on records. They stand in the page's address, so a link has them.

use leptos::prelude::*;

use super::state::RunState;
use crate::focus::Focus;

/// What they are called in the address.
const NAME: &str = "k";

/// The records that are bookmarked, in order.
pub(crate) fn of(focus: &Focus) -> Vec<u64> {
    let own = focus.rest.iter().filter(|(name, _)| name == NAME);
    let mut list: Vec<u64> = own.flat_map(|(_, list)| list.split(',').filter_map(|seq| seq.parse().ok())).collect();
    list.sort_unstable();
    list
}

/// The address with this record bookmarked, or no longer.
fn toggled(mut focus: Focus, seq: u64) -> Focus {
    let mut list = of(&focus);
    let before = list.len();
    list.retain(|one| *one != seq);
    if list.len() == before {
        list.push(seq);
        list.sort_unstable();
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
    if let Some(seq) = list.iter().find(|seq| **seq > at).or_else(|| list.first()) {
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
