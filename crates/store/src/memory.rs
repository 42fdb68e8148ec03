//! Journals in memory: for tests, for Node, and where a browser has no database.

use std::cell::RefCell;
use std::rc::Rc;

use throughline_journal::{Frame, Head, Journal, genesis};
use throughline_value::SortedMap;

use crate::load::{self, Bodies, load_with};
use crate::meta::Meta;
use crate::snapshot::{self, Snapshot};
use crate::{Appended, Listing, Pending, Salvaged, Store, StoreError};

/// What lies under one name: the same texts and bytes that a database would hold.
#[derive(Clone, Debug, Default)]
struct Shelf {
    meta: Option<String>,
    segments: SortedMap<u64, Vec<u8>>,
    bodies: Bodies,
    snapshot: Option<Vec<u8>>,
}

thread_local! {
    static SHELVES: RefCell<SortedMap<String, Rc<RefCell<Shelf>>>> = const { RefCell::new(SortedMap::new()) };
}

/// A journal in memory. All of one name on one thread are the same journal, until it is removed.
#[derive(Clone, Debug)]
pub struct Memory {
    name: String,
    id: RefCell<String>,
}

impl Memory {
    /// The journal of this name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), id: RefCell::default() }
    }

    /// Every journal in memory on this thread, by name.
    #[must_use]
    pub fn list() -> Vec<Listing> {
        SHELVES.with_borrow(|shelves| {
            let meta = |shelf: &Rc<RefCell<Shelf>>| shelf.borrow().meta.clone();
            shelves.iter().filter_map(|(name, shelf)| Some(Listing::of(name, &meta(shelf)?))).collect()
        })
    }

    /// Changes the stored bytes, as a fault would: for tests of what happens then.
    pub fn damage(&self, change: impl FnOnce(&mut Option<String>, &mut SortedMap<u64, Vec<u8>>)) {
        let shelf = self.shelf();
        let shelf = &mut *shelf.borrow_mut();
        change(&mut shelf.meta, &mut shelf.segments);
    }

    /// Changes the bodies that lie apart and the snapshot, as a fault would.
    pub fn damage_beside(&self, change: impl FnOnce(&mut SortedMap<u64, Vec<u8>>, &mut Option<Vec<u8>>)) {
        let shelf = self.shelf();
        let shelf = &mut *shelf.borrow_mut();
        change(&mut shelf.bodies, &mut shelf.snapshot);
    }

    fn shelf(&self) -> Rc<RefCell<Shelf>> {
        SHELVES.with_borrow_mut(|shelves| Rc::clone(shelves.entry(self.name.clone()).or_default()))
    }

    /// The shelf, if it is still that of the journal that was opened.
    fn own<T>(&self, work: impl FnOnce(&mut Shelf, Meta) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let shelf = self.shelf();
        let mut shelf = shelf.borrow_mut();
        let meta = Meta::read(shelf.meta.as_ref().ok_or(StoreError::Gone)?)?;
        if meta.id != *self.id.borrow() {
            return Err(StoreError::Gone);
        }
        work(&mut shelf, meta)
    }

    fn read(&self, whole: bool) -> Result<Option<Salvaged>, StoreError> {
        let shelf = self.shelf();
        let shelf = shelf.borrow();
        let Some(meta) = &shelf.meta else {
            return if shelf.segments.is_empty() { Ok(None) } else { Err(load::no_meta()) };
        };
        let segments = shelf.segments.iter().map(|(first, bytes)| (*first, bytes.as_slice()));
        load_with(meta, segments, whole.then_some(&shelf.bodies)).map(Some)
    }

    fn open_now(&self, fresh: &str) -> Result<Journal, StoreError> {
        let journal = match self.read(false)? {
            Some(found) => found.whole()?,
            None => {
                let journal = Journal::new(fresh);
                self.shelf().borrow_mut().meta = Some(Meta::of(&journal).write());
                journal
            }
        };
        journal.id().clone_into(&mut self.id.borrow_mut());
        Ok(journal)
    }

    fn append_now(&self, expected: &Head, frame: &Frame) -> Result<Appended, StoreError> {
        let done = self.own(|shelf, meta| {
            if !meta.is_at(expected) {
                return Ok(false);
            }
            let head = Head { seq: frame.last(), frame: frame.number, chain: frame.chain.clone() };
            let (segment, bodies) = load::stored(frame);
            shelf.segments.insert(frame.number, segment);
            shelf.bodies.extend(bodies.map(|bytes| (frame.number, bytes)));
            shelf.meta = Some(Meta::new(&meta.id, &head, Some(frame.recorded_at())).write());
            Ok(true)
        })?;
        if done { Ok(Appended::Committed) } else { load::missed(expected, self.after_now(expected.frame)?) }
    }

    fn after_now(&self, number: u64) -> Result<Vec<Frame>, StoreError> {
        self.own(|shelf, _| {
            // An imported segment holds many frames, so the one before may hold some of what is asked for.
            let from = shelf.segments.range(..=number + 1).next_back().map_or(0, |(first, _)| *first);
            let found = shelf.segments.range(from..).map(|(first, bytes)| (*first, bytes.as_slice()));
            load::frames(found, number, &shelf.bodies)
        })
    }

    fn frames_now(&self, numbers: &[u64]) -> Result<Vec<Frame>, StoreError> {
        self.own(|shelf, _| {
            let mut found = Vec::new();
            let holding = |number: u64| shelf.segments.range(..=number).next_back();
            for same in numbers.chunk_by(|a, b| holding(*a).map(|(n, _)| n) == holding(*b).map(|(n, _)| n)) {
                let segment = same.first().and_then(|number| holding(*number));
                let segment = segment.map_or((0, [].as_slice()), |(first, bytes)| (*first, bytes.as_slice()));
                load::frames_of(same, segment, &shelf.bodies, &mut found)?;
            }
            Ok(found)
        })
    }

    fn erase_now(&self, head: &Head, frames: &[Frame]) -> Result<bool, StoreError> {
        self.own(|shelf, meta| {
            if !meta.is_at(head) {
                return Ok(false);
            }
            for (first, bytes) in shelf.segments.iter_mut() {
                let Some(other) = load::erased(*first, bytes, frames)? else { continue };
                *bytes = other.segment;
                for (number, text) in other.bodies {
                    shelf.bodies.remove(&number);
                    shelf.bodies.extend(text.map(|text| (number, text)));
                }
            }
            shelf.snapshot = None;
            Ok(true)
        })
    }

    fn import_now(&self, journal: &Journal) -> Result<(), StoreError> {
        let shelf = self.shelf();
        let mut shelf = shelf.borrow_mut();
        let meta = Meta::read(shelf.meta.as_ref().ok_or(StoreError::Gone)?)?;
        if meta.frame != 0 || meta.chain != genesis(&meta.id) {
            return Err(StoreError::NotEmpty);
        }
        let (segments, bodies) = load::cut(journal);
        shelf.segments = segments.into_iter().collect();
        (shelf.bodies, shelf.snapshot) = (bodies, None);
        shelf.meta = Some(Meta::of(journal).write());
        journal.id().clone_into(&mut self.id.borrow_mut());
        Ok(())
    }
}

fn ready<'a, T: 'a>(result: Result<T, StoreError>) -> Pending<'a, T> {
    Box::pin(std::future::ready(result))
}

impl Store for Memory {
    fn open<'a>(&'a self, fresh: &'a str) -> Pending<'a, Journal> {
        ready(self.open_now(fresh))
    }

    fn frames<'a>(&'a self, numbers: &'a [u64]) -> Pending<'a, Vec<Frame>> {
        ready(self.frames_now(numbers))
    }

    fn salvage(&self) -> Pending<'_, Salvaged> {
        ready(self.read(true).and_then(|found| found.ok_or(StoreError::Gone)))
    }

    fn append<'a>(&'a self, expected: &'a Head, frame: &'a Frame) -> Pending<'a, Appended> {
        ready(self.append_now(expected, frame))
    }

    fn after(&self, number: u64) -> Pending<'_, Vec<Frame>> {
        ready(self.after_now(number))
    }

    fn erase<'a>(&'a self, head: &'a Head, frames: &'a [Frame]) -> Pending<'a, bool> {
        ready(self.erase_now(head, frames))
    }

    fn put_snapshot<'a>(&'a self, head: &'a Head, bytes: &'a [u8]) -> Pending<'a, bool> {
        ready(self.own(|shelf, meta| {
            let fits = meta.is_at(head);
            if fits {
                shelf.snapshot = Some([snapshot::header(head).as_slice(), bytes].concat());
            }
            Ok(fits)
        }))
    }

    fn snapshot(&self) -> Pending<'_, Option<Snapshot>> {
        ready(self.own(|shelf, _| Ok(shelf.snapshot.clone().and_then(snapshot::read))))
    }

    fn import<'a>(&'a self, journal: &'a Journal) -> Pending<'a, ()> {
        ready(self.import_now(journal))
    }

    fn raw(&self) -> Pending<'_, Vec<(u64, Vec<u8>)>> {
        let shelf = self.shelf();
        let shelf = shelf.borrow();
        let all = shelf.segments.iter().chain(&shelf.bodies);
        ready(Ok(all.map(|(number, bytes)| (*number, bytes.clone())).collect()))
    }

    fn remove(&self) -> Pending<'_, ()> {
        *self.shelf().borrow_mut() = Shelf::default();
        SHELVES.with_borrow_mut(|shelves| shelves.remove(&self.name));
        ready(Ok(()))
    }

    fn close(&self) {}
}
