//! One suite of tests for every store: [`conformance!`](crate::conformance) writes the test functions, [`suite`] holds what they do.

/// Writes a test for each case of [`suite`](crate::suite). `$make` gives the store of a name; called twice
/// with one name, it gives two handles on one journal, as two tabs have.
///
/// `conformance!(native, Memory::new)` makes ordinary tests of a store that answers at once;
/// `conformance!(browser, IndexedDb::new)` makes wasm-bindgen tests.
#[macro_export]
macro_rules! conformance {
    (native, $make:expr) => { $crate::conformance!(@cases native, $make); };
    (browser, $make:expr) => { $crate::conformance!(@cases browser, $make); };
    (@cases $how:ident, $make:expr) => {
        $crate::conformance!(@each $how, $make,
            a_new_journal_is_empty_and_keeps_its_first_id
            what_was_appended_is_there_when_it_is_opened_again
            of_two_writers_at_one_head_the_second_gets_the_frames_it_missed
            of_two_writers_of_the_same_frame_only_one_has_written_it
            ten_writers_lose_nothing
            the_frames_after_a_head_are_given_in_order
            an_import_is_all_or_nothing_and_needs_an_empty_journal
            a_removed_journal_refuses_appends_and_can_be_made_anew
            the_raw_segments_are_the_bytes_that_load_reads
            falsy_values_survive
            what_was_erased_is_in_no_stored_byte_and_a_moved_head_stops_it
            large_bodies_of_memories_lie_apart_and_an_opening_leaves_them_there
            a_snapshot_fits_its_head_only_and_goes_with_whatever_is_erased
        );
    };
    (@each native, $make:expr, $($case:ident)+) => {
        $(#[test] fn $case() -> ::core::result::Result<(), $crate::StoreError> {
            $crate::suite::at_once($crate::suite::$case($make, stringify!($case)))
        })+
    };
    (@each browser, $make:expr, $($case:ident)+) => {
        $(#[::wasm_bindgen_test::wasm_bindgen_test] async fn $case() {
            let result = $crate::suite::$case($make, stringify!($case)).await;
            assert!(result.is_ok(), "{result:?}");
        })+
    };
}

pub mod suite {
    //! What every store must do; run it through [`conformance!`](crate::conformance).

    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    use throughline_journal::{Draft, Frame, Head, Journal, read_segment};
    use throughline_value::{Value, json};

    use crate::{Appended, Store, StoreError, load};

    type Done = Result<(), StoreError>;

    /// Runs a future that never has to wait.
    ///
    /// # Errors
    /// The future's, or that it has to wait.
    pub fn at_once(future: impl Future<Output = Done>) -> Done {
        let mut future = Box::pin(future);
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => Err(StoreError::Failed("this store has to wait: test it in a browser".to_owned())),
        }
    }

    /// One tab: a store, and the journal as this tab knows it.
    struct Tab<S> {
        store: S,
        journal: Journal,
    }

    impl<S: Store> Tab<S> {
        async fn open(store: S, id: &str) -> Result<Self, StoreError> {
            let journal = store.open(id).await?;
            Ok(Self { store, journal })
        }

        fn propose(&self, data: Value) -> Frame {
            self.journal.propose(1_000, vec![], vec![Draft::new("note.written", data)])
        }

        /// Appends, and folds what was missed until the head fits; gives how often it had to.
        async fn write(&mut self, data: &Value) -> Result<usize, StoreError> {
            for conflicts in 0..100 {
                let frame = self.propose(data.clone());
                match self.store.append(&self.journal.head(), &frame).await? {
                    Appended::Committed => {
                        self.fold(vec![frame])?;
                        return Ok(conflicts);
                    }
                    Appended::Conflict(frames) => self.fold(frames)?,
                }
            }
            Err(StoreError::Failed("no end of conflicts".to_owned()))
        }

        fn fold(&mut self, frames: Vec<Frame>) -> Done {
            for frame in frames {
                self.journal.commit(frame).map_err(|e| StoreError::Failed(e.to_string()))?;
            }
            Ok(())
        }
    }

    fn texts(journal: &Journal) -> Vec<String> {
        journal.records().map(|r| r.data().to_json()).collect()
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn what_was_erased_is_in_no_stored_byte_and_a_moved_head_stops_it<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let has = |raw: &[(u64, Vec<u8>)], text: &str| {
            raw.iter().any(|(_, bytes)| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        };
        let mut tab = Tab::open(make(name.to_owned()), "id").await?;
        let sealed = Draft { erasable: true, ..Draft::new("note.written", "tangerine".into()) };
        let frame = tab.journal.propose_sealed(1_000, vec![], vec![sealed], "entropy");
        tab.store.append(&tab.journal.head(), &frame).await?;
        tab.fold(vec![frame])?;
        let rest: Value = "nothing".into();
        let rests = Value::from([("1", Value::from(throughline_journal::commitment("salt", &rest)))]);
        let purge =
            tab.journal.propose(2_000, vec![], vec![Draft::new("memory.purged", Value::from([("rest", rests)]))]);
        let before = tab.journal.head();
        tab.store.append(&before, &purge).await?;
        tab.fold(vec![purge])?;
        assert!(has(&tab.store.raw().await?, "tangerine"));
        assert_eq!(tab.journal.erase(1, "salt", rest), Some(1));
        let frames: Vec<Frame> = tab.journal.frames().iter().take(1).cloned().collect();
        assert!(!tab.store.erase(&before, &frames).await?, "the head had moved");
        assert!(tab.store.erase(&tab.journal.head(), &frames).await?);
        assert!(!has(&tab.store.raw().await?, "tangerine"));
        let again = make(name.to_owned()).open("id").await?;
        assert_eq!(again.head(), tab.journal.head());
        assert_eq!(texts(&again), texts(&tab.journal));
        Ok(())
    }

    /// A memory's record of this text, and an open one, in one frame.
    fn remembered(journal: &Journal, text: &str) -> Frame {
        let memory = Draft { erasable: true, ..Draft::new("memory.remembered", text.into()) };
        let fact = Draft { erasable: true, ..Draft::new("fact.asserted", "a fact".into()) };
        journal.propose_sealed(1_000, vec![], vec![memory, fact, Draft::new("note.written", "open".into())], "entropy")
    }

    fn fine<T>(result: Result<T, throughline_journal::Error>) -> Result<T, StoreError> {
        result.map_err(|e| StoreError::Failed(e.to_string()))
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn large_bodies_of_memories_lie_apart_and_an_opening_leaves_them_there<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let mut tab = Tab::open(make(name.to_owned()), "id").await?;
        let long = |word: &str| word.repeat(throughline_journal::APART_BYTES / word.len() + 1);
        for text in [long("tangerine "), "short".to_owned(), long("persimmon ")] {
            let frame = remembered(&tab.journal, &text);
            tab.store.append(&tab.journal.head(), &frame).await?;
            tab.fold(vec![frame])?;
        }
        let copy = make(format!("{name} copy"));
        copy.open("b").await?;
        copy.import(&tab.journal).await?;
        let export = tab.journal.export(5_000);
        for store in [&tab.store, &copy] {
            let mut found = store.open("x").await?;
            let cold: Vec<u64> = found.frames().iter().filter(|f| f.is_cold()).map(|f| f.number).collect();
            assert_eq!((found.head(), cold.as_slice()), (tab.journal.head(), [1, 3].as_slice()));
            assert!(found.take_wanted().is_empty(), "an opening looks for no body");
            let told = |of: &Journal, seq| of.record(seq).map(|r| (r.data().clone(), r.is_erased()));
            assert_eq!(told(&found, 1), Some((Value::Null, false)), "what is not here was not erased");
            assert_eq!(told(&found, 2), Some(("a fact".into(), false)));
            assert_eq!(found.take_wanted(), [1]);
            for frame in store.frames(&cold).await? {
                fine(found.warm(frame))?;
            }
            assert_eq!(found.frames(), tab.journal.frames());
            assert_eq!(found.export(5_000), export);
            assert!(found.cool(1) > found.cool(2) && found.cool(1) == 0);
            assert_eq!(told(&found, 3), Some((Value::Null, false)), "an outline says that it is not all");
            let outline = |journal: &Journal| journal.frames().first().cloned().ok_or(StoreError::Gone);
            let mut other = outline(&found)?;
            other.chain = found.head().chain;
            assert_eq!(found.warm(other).map_err(|e| e.code()), Err("chain-broken"));
            let again = outline(&found)?;
            assert_eq!(found.warm(again).map_err(|e| e.code()), Err("body-missing"));
            for frame in store.frames(&[1, 2]).await? {
                fine(found.warm(frame))?;
            }
            assert_eq!(found.frames(), tab.journal.frames());
            assert_eq!(store.salvage().await?.whole()?.export(5_000), export);
            assert_eq!(store.after(0).await?, tab.journal.frames());
        }
        // What is left of a large body may be small, and its old bytes are nowhere.
        let has = |raw: &[(u64, Vec<u8>)], text: &str| {
            raw.iter().any(|(_, bytes)| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        };
        let rest: Value = "nothing".into();
        let rests = Value::from([("1", Value::from(throughline_journal::commitment("salt", &rest)))]);
        let purge =
            tab.journal.propose(2_000, vec![], vec![Draft::new("memory.purged", Value::from([("rest", rests)]))]);
        tab.store.append(&tab.journal.head(), &purge).await?;
        tab.fold(vec![purge])?;
        tab.journal.erase(1, "salt", rest);
        let frames: Vec<Frame> = tab.journal.frames().iter().take(1).cloned().collect();
        assert!(has(&tab.store.raw().await?, "tangerine"));
        assert!(tab.store.erase(&tab.journal.head(), &frames).await?);
        assert!(!has(&tab.store.raw().await?, "tangerine") && has(&tab.store.raw().await?, "persimmon"));
        assert_eq!(tab.store.salvage().await?.whole()?.export(5_000), tab.journal.export(5_000));
        copy.remove().await?;
        tab.store.remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn a_snapshot_fits_its_head_only_and_goes_with_whatever_is_erased<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let mut tab = Tab::open(make(name.to_owned()), "id").await?;
        tab.write(&"one".into()).await?;
        let before = tab.journal.head();
        assert_eq!(tab.store.snapshot().await?, None);
        assert!(tab.store.put_snapshot(&before, b"first\nof all").await?);
        let found = tab.store.snapshot().await?;
        let found = found.map(|snapshot| (snapshot.frame, snapshot.chain, snapshot.bytes));
        assert_eq!(found, Some((before.frame, before.chain.clone(), b"first\nof all".to_vec())));
        tab.write(&"two".into()).await?;
        assert!(!tab.store.put_snapshot(&before, b"late").await?, "the head had moved");
        assert_eq!(make(name.to_owned()).open("x").await?.head(), tab.journal.head());
        assert!(tab.store.snapshot().await?.is_some_and(|snapshot| snapshot.frame == 1));
        assert!(tab.store.erase(&tab.journal.head(), tab.journal.frames()).await?);
        assert_eq!(tab.store.snapshot().await?, None);
        assert!(tab.store.put_snapshot(&tab.journal.head(), b"again").await?);
        tab.store.remove().await?;
        let store = make(name.to_owned());
        store.open("y").await?;
        assert_eq!(store.snapshot().await?, None);
        store.remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn a_new_journal_is_empty_and_keeps_its_first_id<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let first = make(name.to_owned()).open("a").await?;
        let second = make(name.to_owned()).open("b").await?;
        assert_eq!((first.id(), second.id()), ("a", "a"));
        assert_eq!(second.head(), Journal::new("a").head());
        make(name.to_owned()).remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn what_was_appended_is_there_when_it_is_opened_again<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let mut tab = Tab::open(make(name.to_owned()), "a").await?;
        for text in ["one", "two", "three"] {
            assert_eq!(tab.write(&text.into()).await?, 0);
        }
        tab.store.close();
        let again = make(name.to_owned()).open("b").await?;
        assert_eq!(again.head(), tab.journal.head());
        assert_eq!(texts(&again), ["\"one\"", "\"two\"", "\"three\""]);
        tab.store.remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn of_two_writers_at_one_head_the_second_gets_the_frames_it_missed<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let mut one = Tab::open(make(name.to_owned()), "a").await?;
        let mut two = Tab::open(make(name.to_owned()), "b").await?;
        one.write(&"first".into()).await?;
        one.write(&"second".into()).await?;
        let late = two.propose("late".into());
        let missed = two.store.append(&two.journal.head(), &late).await?;
        assert_eq!(missed, Appended::Conflict(one.journal.frames().to_vec()));
        assert_eq!(two.write(&"late".into()).await?, 1);
        let journal = make(name.to_owned()).open("c").await?;
        assert_eq!(texts(&journal), ["\"first\"", "\"second\"", "\"late\""]);
        one.store.remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn of_two_writers_of_the_same_frame_only_one_has_written_it<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let tab = Tab::open(make(name.to_owned()), "a").await?;
        let other = Tab::open(make(name.to_owned()), "b").await?;
        let (head, frame) = (tab.journal.head(), tab.propose("once".into()));
        assert_eq!(frame, other.propose("once".into()), "decided at the same moment");
        assert_eq!(tab.store.append(&head, &frame).await?, Appended::Committed);
        assert_eq!(other.store.append(&head, &frame).await?, Appended::Conflict(vec![frame]));
        assert_eq!(texts(&make(name.to_owned()).open("b").await?), ["\"once\""]);
        tab.store.remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn ten_writers_lose_nothing<S: Store>(make: impl Fn(String) -> S, name: &str) -> Done {
        let mut tabs = Vec::new();
        for _ in 0..10 {
            tabs.push(Tab::open(make(name.to_owned()), "a").await?);
        }
        for round in 0..3_i64 {
            for (number, tab) in (0_i64..).zip(&mut tabs) {
                tab.write(&(round * 10 + number).into()).await?;
            }
        }
        let journal = make(name.to_owned()).open("b").await?;
        let expected: Vec<String> = (0..30).map(|n: i64| n.to_string()).collect();
        assert_eq!(texts(&journal), expected);
        make(name.to_owned()).remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn the_frames_after_a_head_are_given_in_order<S: Store>(make: impl Fn(String) -> S, name: &str) -> Done {
        let mut tab = Tab::open(make(name.to_owned()), "a").await?;
        for n in 0..5_i64 {
            tab.write(&n.into()).await?;
        }
        for from in 0..=5 {
            assert_eq!(tab.store.after(from).await?, tab.journal.frames_after(from), "after {from}");
        }
        // One segment of an import holds many frames; the cut may fall inside of it.
        let copy_name = format!("{name} copy");
        let copy = make(copy_name);
        copy.open("b").await?;
        copy.import(&tab.journal).await?;
        for from in 0..=5 {
            assert_eq!(copy.after(from).await?, tab.journal.frames_after(from), "after {from} of an import");
        }
        copy.remove().await?;
        tab.store.remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn an_import_is_all_or_nothing_and_needs_an_empty_journal<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let mut source = Journal::new("source");
        let long = "x".repeat(crate::SEGMENT_BYTES / 3);
        for _ in 0..10 {
            let frame = source.propose(1, vec![], vec![Draft::new("note.written", long.as_str().into())]);
            source.commit(frame).map_err(|e| StoreError::Failed(e.to_string()))?;
        }
        let store = make(name.to_owned());
        store.open("a").await?;
        store.import(&source).await?;
        let found = make(name.to_owned()).open("b").await?;
        assert_eq!((found.id(), found.head()), ("source", source.head()));
        assert!(store.raw().await?.len() > 2, "a long journal is cut");
        assert_eq!(store.import(&source).await, Err(StoreError::NotEmpty));
        // It goes on from there.
        let mut tab = Tab::open(store, "c").await?;
        tab.write(&"more".into()).await?;
        assert_eq!(make(name.to_owned()).open("d").await?.head().seq, 11);
        tab.store.remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn a_removed_journal_refuses_appends_and_can_be_made_anew<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let mut tab = Tab::open(make(name.to_owned()), "a").await?;
        tab.write(&"one".into()).await?;
        make(name.to_owned()).remove().await?;
        let frame = tab.propose("two".into());
        assert_eq!(tab.store.append(&tab.journal.head(), &frame).await, Err(StoreError::Gone));
        assert_eq!(tab.store.after(1).await, Err(StoreError::Gone));
        let anew = make(name.to_owned()).open("b").await?;
        assert_eq!((anew.id(), anew.head().seq), ("b", 0));
        // The tab that still has the old journal does not write into the new one.
        let late = tab.store.append(&tab.journal.head(), &frame).await;
        assert_eq!(late, Err(StoreError::Gone));
        let from_start = Head { seq: 0, ..Journal::new("a").head() };
        assert_eq!(tab.store.append(&from_start, &frame).await, Err(StoreError::Gone));
        make(name.to_owned()).remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn the_raw_segments_are_the_bytes_that_load_reads<S: Store>(
        make: impl Fn(String) -> S,
        name: &str,
    ) -> Done {
        let mut tab = Tab::open(make(name.to_owned()), "a").await?;
        tab.write(&"one".into()).await?;
        tab.write(&"two".into()).await?;
        let raw = tab.store.raw().await?;
        assert_eq!(raw.iter().map(|(first, _)| *first).collect::<Vec<_>>(), [1, 2]);
        let mut frames = Vec::new();
        for (_, bytes) in &raw {
            frames.extend(read_segment(bytes).map_err(|e| StoreError::Failed(e.to_string()))?);
        }
        assert_eq!(frames, tab.journal.frames());
        assert!(load("{", []).is_err(), "a text that is none is not an empty journal");
        tab.store.remove().await
    }

    #[expect(missing_docs, reason = "the name says it")]
    pub async fn falsy_values_survive<S: Store>(make: impl Fn(String) -> S, name: &str) -> Done {
        let text = r#"{"a":false,"b":0,"c":"","d":null,"e":[],"f":{},"g":-0.0,"h":9007199254740993}"#;
        let value = json::read_value(text).map_err(|e| StoreError::Failed(e.to_string()))?;
        let mut tab = Tab::open(make(name.to_owned()), "a").await?;
        tab.write(&value).await?;
        assert_eq!(texts(&make(name.to_owned()).open("b").await?), [text]);
        tab.store.remove().await
    }
}
