//! The synchronous rows: numbers in, numbers out, and results side by side in one buffer of the module's memory.

use js_sys::Promise;
use throughline_browser::{Columns, FactName, LANES, Memory};
use throughline_protocol::Meta;
use throughline_value::{Value, from_value, json, to_wire};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::future_to_promise;

/// What a number says when there is nothing.
const NOTHING: i32 = -1;

/// The greatest whole number up to which a double holds every one.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// How many kinds the page can write at `shared`.
const GIVEN: usize = 16;

/// What the page reads and writes in place: a call for it would take as long as a small query.
#[repr(C)]
struct Shared {
    /// Where it writes a few kinds.
    kinds: [u16; GIVEN],
    /// Where the results begin.
    results: *const u32,
}

/// The rows of one session. Results lie at `results()` until the next call that has any.
#[wasm_bindgen]
pub struct Rows {
    session: throughline_browser::Session,
    out: Vec<u32>,
    times: Vec<f64>,
    kinds: Vec<u16>,
    shared: Box<Shared>,
    begin: f64,
    width: f64,
    /// Subjects and keys of facts, by the numbers that were given for them.
    facts: Vec<FactName>,
}

#[expect(clippy::cast_precision_loss, reason = "times are within what a double holds exactly")]
fn number(ms: i64) -> f64 {
    ms as f64
}

#[expect(clippy::cast_possible_truncation, reason = "a cast stops at the ends")]
fn millis(ms: f64) -> i64 {
    ms.ceil() as i64
}

fn small(n: Option<impl TryInto<i32>>) -> i32 {
    n.and_then(|n| n.try_into().ok()).unwrap_or(NOTHING)
}

impl Rows {
    pub(crate) fn new(session: throughline_browser::Session) -> Self {
        Self {
            session,
            out: Vec::new(),
            times: Vec::new(),
            kinds: Vec::new(),
            shared: Box::new(Shared { kinds: [0; GIVEN], results: std::ptr::null() }),
            begin: 0.0,
            width: 0.0,
            facts: Vec::new(),
        }
    }

    fn with_fact<T>(&mut self, fact: u32, seq: f64, look: impl FnOnce(&Value) -> T) -> Option<T> {
        let name = self.facts.get_mut(usize::try_from(fact).ok()?)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a record's number, checked")]
        let seq = (seq >= 0.0).then_some(seq as u64);
        self.session.with_fact(name, seq, look)
    }

    fn with<T>(&self, look: impl FnOnce(&Memory) -> T) -> Option<T> {
        self.session.with_memory(look)
    }

    /// Fills the buffer; gives how many results there are.
    fn fill(&mut self, look: impl FnOnce(&Memory, &[u16], &mut Vec<u32>) -> usize) -> u32 {
        let (kinds, out) = (&self.kinds, &mut self.out);
        let found = self.session.with_memory(|memory| look(memory, kinds, out));
        self.shared.results = self.out.as_ptr();
        u32::try_from(found.unwrap_or(0)).unwrap_or(u32::MAX)
    }
}

#[wasm_bindgen]
impl Rows {
    /// The module's memory.
    pub fn memory() -> JsValue {
        wasm_bindgen::memory()
    }

    /// Where the results begin.
    pub fn results(&self) -> *const u32 {
        self.out.as_ptr()
    }

    /// How many rows there are, from 0.
    pub fn count(&self) -> u32 {
        self.with(|m| u32::try_from(m.row_count()).unwrap_or(u32::MAX)).unwrap_or(0)
    }

    /// The number of a kind, or -1.
    pub fn kind(&self, name: &str) -> i32 {
        small(self.with(|m| m.kind_number(name)).flatten())
    }

    /// The names of all kinds, in the order of their numbers, each ended by a line feed; one inside a name is `\\n`, and
    /// a backslash two.
    pub fn kind_names(&self) -> String {
        let plain = |name: &str| name.replace('\\', "\\\\").replace('\n', "\\n");
        let names = |m: &Memory| (0u16..).map_while(|k| Some(format!("{}\n", plain(m.kind_name(k)?)))).collect();
        self.with(names).unwrap_or_default()
    }

    /// The number of an entity, or -1.
    pub fn entity(&self, name: &str) -> i32 {
        small(self.with(|m| m.entity_number(name)).flatten())
    }

    /// The name of an entity.
    pub fn entity_name(&self, entity: u32) -> Option<String> {
        self.with(|m| m.entity_name(entity).map(str::to_owned)).flatten()
    }

    /// When a row begins; not a number when it is not resident.
    pub fn time(&self, row: u32) -> f64 {
        self.with(|m| m.row_time(row)).flatten().map_or(f64::NAN, number)
    }

    /// A row's kind; -1 when it is not resident.
    pub fn row_kind(&self, row: u32) -> i32 {
        small(self.with(|m| m.row_kind(row)).flatten())
    }

    /// A row's text; nothing when it is not resident.
    pub fn text(&self, row: u32) -> Option<String> {
        self.with(|m| m.row_text(row).map(str::to_owned)).flatten()
    }

    /// A number for a fact's key and subject, for the two calls below.
    pub fn fact_key(&mut self, key: String, subject: String) -> u32 {
        self.facts.push(FactName::new(subject, key));
        u32::try_from(self.facts.len() - 1).unwrap_or(u32::MAX)
    }

    /// Takes the numbers of facts back.
    pub fn forget_facts(&mut self) {
        self.facts.clear();
    }

    /// A fact's value as of a record, or of now when that is not a number, where it is a whole number that a double
    /// holds; NaN otherwise.
    pub fn fact_number(&mut self, fact: u32, seq: f64) -> f64 {
        let whole = self.with_fact(fact, seq, Value::as_i64).flatten();
        whole.filter(|n| n.unsigned_abs() <= MAX_EXACT).map_or(f64::NAN, number)
    }

    /// The same, whatever it is, as JSON text; nothing when nothing is known.
    pub fn fact_text(&mut self, fact: u32, seq: f64) -> Option<String> {
        self.with_fact(fact, seq, |value| to_wire(value).to_json())
    }

    /// The id of a row's event.
    pub fn id(&self, row: u32) -> Option<String> {
        self.with(|m| m.row_id(row)).flatten()
    }

    /// The newest row of an event, or -1.
    pub fn row(&self, id: &str) -> f64 {
        self.with(|m| m.row_of(id)).flatten().map_or(-1.0, f64::from)
    }

    /// The entities of a row, as results.
    pub fn entities(&mut self, row: u32) -> u32 {
        self.fill(|m, _, out| {
            out.clear();
            out.extend_from_slice(m.row_entities(row).unwrap_or_default());
            out.len()
        })
    }

    /// The times of the first results, side by side at the place that it gives.
    pub fn result_times(&mut self, count: u32) -> *const f64 {
        let (times, out) = (&mut self.times, &self.out);
        times.clear();
        self.session.with_memory(|m| {
            let rows = out.iter().take(count as usize);
            times.extend(rows.map(|row| m.row_time(*row).map_or(f64::NAN, number)));
        });
        self.times.as_ptr()
    }

    /// The kinds that the next calls are about; any when there is none.
    pub fn set_kinds(&mut self, kinds: &[u16]) {
        self.kinds.clear();
        self.kinds.extend_from_slice(kinds);
    }

    /// Where sixteen kinds can be written for `window`; behind them stands, after each call that has results, where
    /// those begin.
    pub fn shared(&self) -> *const u16 {
        self.shared.kinds.as_ptr()
    }

    /// The rows that begin in a window, in order of time: of the first so many kinds that were written at `shared`, or
    /// of those that were set, where more are given than can be written there.
    pub fn window(&mut self, since: f64, until: f64, limit: u32, given: u32) -> u32 {
        let kinds = self.shared.kinds.get(..given as usize).unwrap_or(&self.kinds);
        let out = &mut self.out;
        let look = |m: &Memory| m.rows_in(millis(since), millis(until), kinds, limit as usize, out);
        let found = self.session.with_memory(look).unwrap_or(0);
        self.shared.results = self.out.as_ptr();
        u32::try_from(found).unwrap_or(u32::MAX)
    }

    /// The last row of a kind before a time, or -1.
    pub fn last(&self, kind: u32, before: f64) -> f64 {
        let Ok(kind) = u16::try_from(kind) else { return -1.0 };
        self.with(|m| m.last_row(kind, millis(before))).flatten().map_or(-1.0, f64::from)
    }

    /// The newest rows of an entity before a time, newest first.
    pub fn history(&mut self, entity: u32, before: f64, limit: u32) -> u32 {
        self.fill(|m, _, out| m.rows_of(entity, millis(before), limit as usize, out))
    }

    /// Exact counts by part of a window, then by kind. Gives how many kinds there are.
    pub fn counts(&mut self, since: f64, until: f64, parts: u32) -> u32 {
        self.fill(|m, _, out| {
            m.counts_into(millis(since), millis(until), parts as usize, out);
            m.kind_count()
        })
    }

    /// Counts for drawing, by part of a round width, then by lane. Gives how many parts there are.
    pub fn drawn(&mut self, since: f64, until: f64, most: u32) -> u32 {
        let (mut begin, mut width) = (0, 0);
        let count = self.fill(|m, _, out| {
            let parts;
            (begin, width, parts) = m.drawn_into(millis(since), millis(until), most as usize, out);
            parts
        });
        (self.begin, self.width) = (number(begin), number(width));
        count
    }

    /// How many counters a part has for drawing.
    pub fn lanes() -> u32 {
        u32::try_from(LANES).unwrap_or(0)
    }

    /// Where the first part that was drawn begins.
    pub fn drawn_begin(&self) -> f64 {
        self.begin
    }

    /// How wide the parts are that were drawn.
    pub fn drawn_width(&self) -> f64 {
        self.width
    }

    /// The rows that hold words best, best first.
    pub fn words(&mut self, words: &str, since: f64, until: f64, limit: u32) -> u32 {
        self.fill(|m, kinds, out| m.rows_with(words, millis(since), millis(until), kinds, limit as usize, out))
    }

    /// The rows nearest to a vector, nearest first.
    pub fn nearest(&mut self, vector: &[f32], since: f64, until: f64, limit: u32) -> u32 {
        self.fill(|m, _, out| m.rows_near(vector, millis(since), millis(until), limit as usize, out))
    }

    /// Says that the next columns are the first of so many rows in all, with so many entities of rows.
    pub fn expect(&self, rows: u32, entities: u32) {
        self.with(|memory| memory.expect(rows as usize, entities as usize));
    }

    /// Remembers columns. Names are given each ended by a line feed; the texts are one after the other. Resolves
    /// to the outcome as JSON text; with a journal in memory everything is done when it returns.
    #[expect(clippy::too_many_arguments, reason = "columns")]
    pub fn insert(
        &self,
        kinds: &str,
        entities: &str,
        at: &[f64],
        kind: Vec<u16>,
        entity_count: Vec<u32>,
        entity: Vec<u32>,
        text: String,
        text_bytes: Vec<u32>,
        lasts: &[f64],
        importance: Vec<u16>,
        place: &[f64],
        vector_size: u32,
        vector: Vec<u8>,
        meta: &str,
    ) -> Promise {
        let names = |text: &str| text.lines().map(str::to_owned).collect();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast stops at the ends")]
        let whole = |list: &[f64]| list.iter().map(|n| *n as u64).collect();
        let columns = Columns {
            kinds: names(kinds),
            entities: names(entities),
            at: at.iter().map(|ms| millis(*ms)).collect(),
            kind,
            entity_count,
            entity,
            text,
            text_bytes,
            lasts: whole(lasts),
            importance,
            place: whole(place),
            vector_size,
            vector,
            gone: Vec::new(),
        };
        let meta: Meta = json::read_value(meta).ok().and_then(|v| from_value(&v).ok()).unwrap_or_default();
        let session = self.session.clone();
        let mut work = Box::pin(async move {
            let done = session.remember(columns, meta).await;
            done.map(JsValue::from).map_err(|refusal| JsValue::from(refusal.to_string()))
        });
        // What can be done at once is done at once.
        let waker = std::task::Waker::noop();
        match work.as_mut().poll(&mut std::task::Context::from_waker(waker)) {
            std::task::Poll::Ready(Ok(outcome)) => Promise::resolve(&outcome),
            std::task::Poll::Ready(Err(error)) => Promise::reject(&error),
            std::task::Poll::Pending => future_to_promise(work),
        }
    }
}
