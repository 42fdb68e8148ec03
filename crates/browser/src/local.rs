//! Hints and leadership among the sessions of one thread, for journals in memory.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use throughline_value::SortedMap;

type Hint = Rc<dyn Fn()>;

thread_local! {
    static LISTENERS: RefCell<SortedMap<String, Vec<Weak<Listening>>>> = const { RefCell::new(SortedMap::new()) };
    static LEADERS: RefCell<SortedMap<String, Vec<Weak<Place>>>> = const { RefCell::new(SortedMap::new()) };
}

/// A subscription to hints.
pub struct Listening {
    name: String,
    hint: Hint,
}

/// Calls `hint` whenever another session of `name` tells, until what comes back is dropped.
#[must_use]
pub fn listen(name: &str, hint: Hint) -> Rc<Listening> {
    let listening = Rc::new(Listening { name: name.to_owned(), hint });
    LISTENERS.with_borrow_mut(|all| {
        let same = all.entry(name.to_owned()).or_default();
        same.retain(|other| other.strong_count() > 0);
        same.push(Rc::downgrade(&listening));
    });
    listening
}

/// Gives the hints that the other sessions of this one's journal wait for; they are to be called.
#[must_use]
pub fn others(this: &Rc<Listening>) -> Vec<Hint> {
    LISTENERS.with_borrow(|all| {
        let same = all.get(&this.name).map_or(&[][..], Vec::as_slice);
        let others = same.iter().filter_map(Weak::upgrade).filter(|other| !Rc::ptr_eq(other, this));
        others.map(|other| Rc::clone(&other.hint)).collect()
    })
}

/// A place in the line of those who would be first.
pub struct Place {
    name: String,
    first: Cell<Option<Box<dyn FnOnce()>>>,
}

/// Calls `first` when nobody is before us in the line for `name`: at once, or when the last one before us
/// has dropped their place.
#[must_use]
pub fn lead(name: &str, first: Box<dyn FnOnce()>) -> Rc<Place> {
    let place = Rc::new(Place { name: name.to_owned(), first: Cell::new(Some(first)) });
    LEADERS.with_borrow_mut(|all| all.entry(name.to_owned()).or_default().push(Rc::downgrade(&place)));
    next(name);
    place
}

fn next(name: &str) {
    let first = LEADERS.with_borrow_mut(|all| {
        let line = all.entry(name.to_owned()).or_default();
        line.retain(|place| place.strong_count() > 0);
        line.first().and_then(Weak::upgrade).and_then(|place| place.first.take())
    });
    if let Some(first) = first {
        first();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        next(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_reaches_the_other_sessions_of_the_same_journal_only() {
        let heard = Rc::new(RefCell::new(Vec::new()));
        let listener = |name: &'static str, who: &'static str| {
            let heard = Rc::clone(&heard);
            listen(name, Rc::new(move || heard.borrow_mut().push(who)))
        };
        let (a, b, _c) = (listener("x", "a"), listener("x", "b"), listener("y", "c"));
        others(&a).iter().for_each(|hint| hint());
        assert_eq!(*heard.borrow(), ["b"]);
        drop(b);
        others(&a).iter().for_each(|hint| hint());
        assert_eq!(*heard.borrow(), ["b"]);
    }

    #[test]
    fn the_first_in_line_leads_and_the_next_when_it_is_gone() {
        let led = Rc::new(RefCell::new(Vec::new()));
        let candidate = |who: &'static str| {
            let led = Rc::clone(&led);
            lead("z", Box::new(move || led.borrow_mut().push(who)))
        };
        let (a, b, c) = (candidate("a"), candidate("b"), candidate("c"));
        assert_eq!(*led.borrow(), ["a"]);
        drop(b);
        assert_eq!(*led.borrow(), ["a"]);
        drop(a);
        assert_eq!(*led.borrow(), ["a", "c"]);
        drop(c);
    }
}
