//! Recall: filters first, then the order, and what was hidden.

mod fuse;

use std::cmp::Ordering;

use throughline_journal::{Millis, Seq};
use throughline_protocol::query::{DEFAULT_LIMIT, Recall};
use throughline_protocol::view::RecallPage;
use throughline_protocol::{At, Domain, Refusal};
use throughline_value::{InOrder as _, order_numbers};

use crate::index::{Block, Rows as _, Standing, Step, Summary};
use crate::limits::{MAX_FUSED, MAX_HITS, MAX_QUERY_TERMS, MAX_WORDS_BYTES};
use crate::memory::Memory;
use crate::words::{Posting, Ranked, Wanted, Weigh};
use crate::{time, vectors};

/// How many rows are put in order at a time, at least.
const LEAST_SORTED: usize = 256;

/// What a recall keeps, with everything resolved.
pub(crate) struct Filter {
    since: Option<Millis>,
    until: Option<Millis>,
    /// The kinds by number, in rising order; `None` for any.
    kinds: Option<Vec<u16>>,
    entities: Option<Vec<u32>>,
    /// `Some(None)` is a thread that nothing belongs to.
    thread: Option<Option<u32>>,
    /// Whether what began before the window and lasts into it is kept, too.
    lasting: bool,
}

/// An order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Valid,
    Recorded,
    Logical,
}

/// What a ranking by words found.
#[derive(Default)]
struct Scored {
    /// The best rows.
    best: Vec<Ranked>,
    /// All rows that hold any of the words.
    all: Vec<u32>,
    /// Those that hold any of them and are forgotten.
    forgotten: Vec<u32>,
    wanted: Vec<Wanted>,
}

/// Scores by row. Kept by row number, so that adding is a look at one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scores {
    by_row: Vec<f64>,
    pub(crate) touched: Vec<u32>,
    /// The rows that would have been scored if they were not forgotten.
    forgotten: Vec<u32>,
}

impl Scores {
    fn add(&mut self, row: u32, score: f64) {
        let place = row as usize;
        if self.by_row.len() <= place {
            self.by_row.resize((place + 1).next_power_of_two(), 0.0);
        }
        if let Some(slot) = self.by_row.get_mut(place) {
            // Every word adds more than nothing.
            if *slot <= 0.0 {
                self.touched.push(row);
            }
            *slot += score;
        }
    }

    pub(crate) fn of(&self, row: u32) -> f64 {
        self.by_row.get(row as usize).copied().unwrap_or(0.0)
    }

    /// Empties it, at the cost of what was touched.
    pub(crate) fn clear(&mut self, touched: &[u32]) {
        for row in touched {
            if let Some(slot) = self.by_row.get_mut(*row as usize) {
                *slot = 0.0;
            }
        }
        self.touched.clear();
    }
}

/// What a scan found.
#[derive(Default)]
struct Found {
    /// The newest rows, newest first.
    rows: Vec<u32>,
    /// All that matched, those that are not in `rows` too.
    total: u64,
    forgotten: u64,
}

impl Memory {
    /// The events that a recall keeps: in valid-time order, the newest ones when there are more than the
    /// limit; or in another order; or ranked by words. An event with a duration is in a window that it overlaps; a window that ends
    /// where it begins holds what lasts over that instant. The page repeats
    /// the window, says how many matched in all, and how many were hidden by each reason: `forgotten`, and
    /// `limit` for those that matched beyond the limit.
    ///
    /// # Errors
    /// `empty-window`, `unknown-order`, `order-with-words`, `unknown-ranking`,
    /// `unknown-memory`, `no-words`, `words-too-long`, `too-many-words`, `limit-too-large`, and those of
    /// reading an instant.
    pub fn recall(&self, at: At, query: &Recall, domain: &Domain) -> Result<RecallPage, Refusal> {
        let filter = self.filter(query, domain)?;
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        if limit > MAX_HITS {
            let message = format!("a recall gives at most {MAX_HITS} hits; narrow the window");
            return Err(Refusal::new("limit-too-large", message).at_path("/limit"));
        }
        let mut page = RecallPage { since: filter.since, until: filter.until, ..RecallPage::default() };
        let by_words = query.words.as_deref();
        let vector = match &query.vector {
            throughline_value::Value::Null => None,
            given => Some(vectors::read(given, "/vector")?),
        };
        let (total, forgotten) = match by_words.is_some() || vector.is_some() {
            true => {
                if query.order.is_some() || query.before.is_some() {
                    let (name, message) =
                        ("order", "words rank the hits; leave `order` and `before` out, or the words");
                    return Err(Refusal::new("order-with-words", message).at_path(format!("/{name}")));
                }
                let by = fuse::By::read(&query.also_by)?;
                let fused = !by.is_empty() || (by_words.is_some() && vector.is_some());
                let most = if fused { limit.max(MAX_FUSED) } else { limit };
                let dimension = vector.as_ref().map(Vec::len);
                let near = vector.map(|vector| self.near(at.seq, &vector, &filter, most));
                let found = match by_words {
                    Some(words) => self.ranked(at.seq, words, &filter, most)?,
                    None => Scored::default(),
                };
                let Scored { best: mut ranked, all: mut held, forgotten, wanted } = found;
                // What both rankings know counts once.
                let has_vector = |row: u32| dimension.is_some_and(|dimension| self.vectors.has(row, dimension));
                let beside = |rows: &[u32]| rows.iter().filter(|row| !has_vector(**row)).count() as u64;
                let (near, of, near_forgotten) = near.map_or((None, 0, 0), |(near, of, f)| (Some(near), of, f));
                let mut total = of + beside(&held);
                let forgotten = near_forgotten + beside(&forgotten);
                if fused {
                    ranked = self.fuse(at.seq, ranked, near.as_deref(), &filter, &by);
                    if by.contains(&fuse::By::Episode) {
                        // What episodes brought beside the hits.
                        held.sort_unstable();
                        let brought = |hit: &&Ranked| held.binary_search(&hit.row).is_err() && !has_vector(hit.row);
                        total += ranked.iter().filter(brought).count() as u64;
                    }
                } else if let Some(near) = near {
                    ranked = near.into_iter().map(|(row, cosine)| Ranked::near(row, cosine)).collect();
                }
                for hit in ranked.iter().take(limit) {
                    let why = self.why(hit.row, &filter, Some((hit, &wanted)));
                    page.hits.extend(self.show(hit.row, at.seq, why));
                }
                (total, forgotten)
            }
            false => {
                if !query.also_by.is_empty() {
                    let message = "only a recall by words or a vector is ranked; give one, or leave `also_by` out";
                    return Err(Refusal::new("no-words", message).at_path("/also_by"));
                }
                let order = order_of(query)?;
                let before = self.cursor(at.seq, query)?;
                let found = self.in_order(at.seq, &filter, order, before, limit);
                for row in found.rows.iter().rev() {
                    page.hits.extend(self.show(*row, at.seq, self.why(*row, &filter, None)));
                }
                (found.total, found.forgotten)
            }
        };
        page.total = total;
        let beyond = page.total.saturating_sub(page.hits.len() as u64);
        page.hidden = [("forgotten", forgotten), ("limit", beyond)]
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(reason, n)| (reason.to_owned(), n))
            .collect();
        Ok(page)
    }

    fn filter(&self, query: &Recall, domain: &Domain) -> Result<Filter, Refusal> {
        let resolve = |time: &Option<throughline_protocol::Time>, path: &str| match time {
            Some(time) => time::resolve(time, domain, path).map(|r| Some(r.ms)),
            None => Ok(None),
        };
        let (since, until) = (resolve(&query.since, "/since")?, resolve(&query.until, "/until")?);
        if let (Some(since), Some(until)) = (since, until)
            && until < since
        {
            let message = format!("the window ends ({until}) before it begins ({since}); turn them round");
            return Err(Refusal::new("empty-window", message).at_path("/until"));
        }
        // A name that nothing has matches nothing; it is not dropped.
        let kind = |name: &String| self.table.kinds.get_index_of(name.as_str()).and_then(|i| u16::try_from(i).ok());
        let entity =
            |name: &String| self.table.entities.get_index_of(name.as_str()).and_then(|i| u32::try_from(i).ok());
        let mut kinds: Vec<u16> = query.kinds.iter().filter_map(kind).collect();
        kinds.order();
        // A kind that is named twice counts once.
        kinds.dedup();
        let entities: Vec<u32> = query.entities.iter().filter_map(entity).collect();
        let thread = query
            .thread
            .as_ref()
            .map(|name| self.table.threads.get_index_of(name.as_str()).and_then(|i| u32::try_from(i).ok()));
        Ok(Filter {
            since,
            until,
            kinds: (!query.kinds.is_empty()).then_some(kinds),
            entities: (!query.entities.is_empty()).then_some(entities),
            thread,
            lasting: true,
        })
    }

    /// The memory that a page comes before.
    fn cursor(&self, seq: Seq, query: &Recall) -> Result<Option<u32>, Refusal> {
        let Some(id) = &query.before else { return Ok(None) };
        let item = self.known(id, "/before")?;
        match self.table.version_at(item, seq) {
            Some(row) => Ok(Some(row)),
            None => {
                self.not_purged(item, "/before")?;
                Err(Refusal::new("unknown-memory", format!("`{id}` was not there yet")).at_path("/before"))
            }
        }
    }

    /// The last rows in an order that a filter keeps, last first, and how many it keeps in all.
    fn in_order(&self, seq: Seq, filter: &Filter, order: Order, before: Option<u32>, limit: usize) -> Found {
        if order == Order::Valid && before.is_none() {
            return self.scan(seq, filter, limit);
        }
        let mut found = self.scan(seq, filter, usize::MAX);
        if order != Order::Valid {
            self.keep_last(order, before, limit, &mut found);
        } else if let Some(before) = before {
            // What comes after it is on pages that were seen.
            let seen = found.rows.partition_point(|row| self.compare(order, *row, before).is_ge());
            found.rows.drain(..seen);
            found.total = found.rows.len() as u64;
        }
        found.rows.truncate(limit);
        found
    }

    /// Keeps the last rows in an order, last first, that come before another; counts all that do. Only a few are
    /// sorted at a time: a page is short where a history is long.
    fn keep_last(&self, order: Order, before: Option<u32>, limit: usize, found: &mut Found) {
        let room = limit.saturating_mul(2).max(LEAST_SORTED);
        let sort = |rows: &mut Vec<u32>| {
            order_numbers(rows, &mut |a, b| self.compare(order, b, a));
            rows.truncate(limit);
        };
        let mut kept: Vec<u32> = Vec::new();
        // What is not after this one is not among the last.
        let mut least = None;
        let mut seen = 0;
        for row in std::mem::take(&mut found.rows) {
            if before.is_some_and(|before| self.compare(order, row, before).is_ge()) {
                seen += 1;
            } else if least.is_none_or(|least| self.compare(order, row, least).is_gt()) {
                kept.push(row);
                if kept.len() >= room {
                    sort(&mut kept);
                    least = kept.last().copied();
                }
            }
        }
        sort(&mut kept);
        found.total = found.total.saturating_sub(seen);
        found.rows = kept;
    }

    fn compare(&self, order: Order, a: u32, b: u32) -> Ordering {
        match order {
            Order::Valid => self.table.order(a, b),
            Order::Recorded => self.written(a, b),
            Order::Logical => self.logical(a, b),
        }
    }

    /// The order of writing.
    fn written(&self, a: u32, b: u32) -> Ordering {
        let item = |row: u32| self.table.item_of(row).and_then(|item| self.table.item(item));
        let place = |row: u32| item(row).map(|i| (i.seq, i.index));
        (place(a), a).cmp(&(place(b), b))
    }

    /// By thread, then in the order of writing.
    pub(crate) fn logical(&self, a: u32, b: u32) -> Ordering {
        let thread = |row: u32| {
            let item = self.table.item_of(row).and_then(|item| self.table.item(item));
            item.and_then(|item| self.table.threads.get_index(item.thread as usize))
        };
        thread(a).cmp(&thread(b)).then_with(|| self.written(a, b))
    }

    /// The newest rows that a filter keeps, and how many it keeps in all. It walks back in time; once it has
    /// as many rows as wanted, parts of the tree that are kept whole are counted and not looked into.
    fn scan(&self, seq: Seq, filter: &Filter, limit: usize) -> Found {
        let found = std::cell::RefCell::new(Found::default());
        if let Some(entities) = &filter.entities {
            let lists = entities.iter().filter_map(|e| self.by_entity.get(*e as usize));
            let mut rows: Vec<u32> = lists.flat_map(|list| list.iter().copied()).collect();
            if entities.len() > 1 {
                order_numbers(&mut rows, &mut |a, b| self.table.order(a, b));
                rows.dedup();
            }
            let mut found = found.into_inner();
            for row in rows.into_iter().rev().filter(|row| self.keeps(*row, filter)) {
                found.take(row, self.table.standing_at(row, seq), limit);
            }
            return found;
        }
        let mut part = |summary: &Summary| {
            if summary.born > seq || !filter.may_keep(summary) {
                return Step::Pass;
            }
            let mut found = found.borrow_mut();
            if found.rows.len() < limit || !filter.keeps_whole(summary) || summary.changed > seq {
                return Step::Open;
            }
            let (live, forgotten) = filter.count(summary);
            found.total += live;
            found.forgotten += forgotten;
            Step::Pass
        };
        let mut leaf = |block: &Block| {
            let mut found = found.borrow_mut();
            // Without durations, the rows of the window lie next to one another.
            let begin = match filter.since {
                Some(since) if block.summary.lasting == 0 => block.place_of(since),
                _ => 0,
            };
            let end = filter.until.map_or(block.len(), |until| block.place_of(until));
            let clean = block.summary.is_clean() && block.summary.changed <= seq;
            let plain = filter.thread.is_none() && block.summary.lasting == 0;
            for (kind, row) in block.kinds(begin..end).rev() {
                let of_kind = filter.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind));
                if of_kind && (plain || self.keeps(row, filter)) {
                    let standing = if clean { Some(Standing::Live) } else { self.table.standing_at(row, seq) };
                    found.take(row, standing, limit);
                }
            }
            false
        };
        self.time.walk_back(&mut part, &mut leaf);
        found.into_inner()
    }

    /// Between which rows, by their numbers, all lie that a filter's window keeps.
    fn reach(&self, filter: &Filter) -> std::ops::Range<u32> {
        if filter.lasting && self.time.has_lasting() {
            return 0..u32::MAX;
        }
        self.time.reach(filter.since.unwrap_or(Millis::MIN), filter.until.unwrap_or(Millis::MAX))
    }

    /// Whether a filter keeps a row, whatever its standing.
    pub(crate) fn keeps(&self, number: u32, filter: &Filter) -> bool {
        if filter.since.is_some() || filter.until.is_some() {
            let Some(at) = self.table.at(number) else { return false };
            let in_window = filter.until.is_none_or(|until| at < until)
                && filter.since.is_none_or(|since| at >= since || filter.lasting && self.table.end(number) > since);
            if !in_window {
                return false;
            }
        }
        let of_kind = || self.table.kind_of(number);
        if filter.kinds.as_ref().is_some_and(|kinds| !of_kind().is_some_and(|kind| kinds.contains(&kind))) {
            return false;
        }
        let own = || self.table.entities_of(number);
        if filter.entities.as_ref().is_some_and(|entities| !entities.iter().any(|e| own().contains(e))) {
            return false;
        }
        let thread = || self.table.item_of(number).and_then(|item| self.table.item(item)).map(|i| i.thread);
        filter.thread.is_none_or(|t| t.is_some() && t == thread())
    }

    /// The rows nearest to a vector that the filter keeps, how many have a vector of its kind, and how many of those
    /// are forgotten.
    fn near(&self, seq: Seq, vector: &[f32], filter: &Filter, most: usize) -> (Vec<(u32, f64)>, u64, u64) {
        let forgotten = std::cell::Cell::new(0);
        let keep = |row| {
            let standing = self.table.standing_at(row, seq).filter(|_| self.keeps(row, filter));
            forgotten.set(forgotten.get() + u64::from(standing == Some(Standing::Forgotten)));
            standing == Some(Standing::Live)
        };
        let (near, of) = self.vectors.nearest(vector, most, &vectors::Among::Kept(&keep));
        (near, of, forgotten.get())
    }

    /// The best rows that hold at least one of the words and that the filter keeps, best first; and all that do.
    fn ranked(&self, seq: Seq, text: &str, filter: &Filter, most: usize) -> Result<Scored, Refusal> {
        let refuse = |code: &str, message: String| Err(Refusal::new(code, message).at_path("/words"));
        if text.len() > MAX_WORDS_BYTES {
            return refuse(
                "words-too-long",
                format!("the words have over {MAX_WORDS_BYTES} bytes; give the telling ones"),
            );
        }
        let was_there = |row| seq >= self.changed || self.table.row(row).is_some_and(|row| row.born <= seq);
        let wanted = self.words.wanted_of(text, &was_there);
        if wanted.is_empty() {
            return refuse("no-words", format!("{text:?} holds no word to look for; leave `words` out for time order"));
        }
        if wanted.len() > MAX_QUERY_TERMS {
            return refuse("too-many-words", format!("over {MAX_QUERY_TERMS} different words; give the telling ones"));
        }
        let mut scratch = self.scratch.borrow_mut();
        self.score_words(seq, &wanted, filter, &mut scratch);
        let mut rows = std::mem::take(&mut scratch.touched);
        let all = rows.clone();
        let scores = &*scratch;
        self.keep_best(&mut rows, most, scores);
        let best = rows.into_iter().map(|row| Ranked { score: scores.of(row), ..Ranked::unranked(row) }).collect();
        scratch.clear(&all);
        Ok(Scored { best, all, forgotten: std::mem::take(&mut scratch.forgotten), wanted })
    }

    /// Keeps the rows of the highest scores, in their order; of equal scores the newer one comes first.
    #[inline(never)]
    pub(crate) fn keep_best(&self, rows: &mut Vec<u32>, most: usize, scores: &Scores) {
        let order = |a: &u32, b: &u32| scores.of(*b).total_cmp(&scores.of(*a)).then_with(|| self.table.order(*b, *a));
        if rows.len() > most && most > 0 {
            rows.select_nth_unstable_by(most - 1, order);
        }
        rows.truncate(most);
        rows.sort_unstable_by(order);
    }

    /// Scores the rows that hold any of the words, and notes the forgotten ones that do.
    pub(crate) fn score_words(&self, seq: Seq, wanted: &[Wanted], filter: &Filter, scores: &mut Scores) {
        let totals = self.totals_at(seq);
        // What stands now is what stood then: the bits say it, without a look at each row's past.
        let now = seq >= self.changed;
        let reach = self.reach(filter);
        let mut forgotten: Vec<u32> = Vec::new();
        for word in wanted {
            let several: Vec<(u32, u8)>;
            let mut near;
            let postings: Vec<&Posting> = word.terms.iter().filter_map(|term| self.words.posting(*term)).collect();
            let (rows, one): (&mut dyn Iterator<Item = (u32, u8)>, Option<&Posting>) = match postings.as_slice() {
                [] => continue,
                [one] => (&mut one.iter(), Some(*one)),
                all => {
                    // Several terms that count as one word: the most frequent one in each row.
                    let mut counts: Vec<(u32, u8)> = all.iter().flat_map(|posting| posting.iter()).collect();
                    counts.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
                    counts.dedup_by_key(|(row, _)| *row);
                    several = counts;
                    (&mut several.iter().copied(), None)
                }
            };
            // How rare a word is, is a matter of all that is remembered; which rows count, of the filter.
            let (with, rows): (u64, &mut dyn Iterator<Item = (u32, u8)>) = match one.filter(|_| now) {
                Some(posting) => {
                    let dead = match self.table.is_all_live() {
                        true => 0,
                        false => posting.iter().filter(|(row, _)| self.table.is_dead(*row)).count(),
                    };
                    near = posting.between(reach.clone());
                    (u64::from(posting.len()).saturating_sub(dead as u64), &mut near)
                }
                None => {
                    let all: Vec<(u32, u8)> = rows.collect();
                    let live = all.iter().filter(|(row, _)| self.is_live_at(*row, seq)).count();
                    (live as u64, &mut all.into_iter())
                }
            };
            let weigh = Weigh::new(with, totals.events, totals.words);
            let likeness = f64::from(word.likeness) / 100.0;
            for (row, count) in rows {
                if !self.keeps(row, filter) {
                    continue;
                }
                let live = if now { !self.table.is_dead(row) } else { self.is_live_at(row, seq) };
                if live {
                    scores.add(row, weigh.score(count, self.table.words_of(row)) * likeness);
                } else if self.table.standing_at(row, seq) == Some(Standing::Forgotten) {
                    forgotten.push(row);
                }
            }
        }
        forgotten.sort_unstable();
        forgotten.dedup();
        scores.forgotten = forgotten;
    }

    /// Why a row is a hit, in a few words.
    fn why(&self, number: u32, filter: &Filter, ranked: Option<(&Ranked, &[Wanted])>) -> String {
        let mut parts = Vec::new();
        if let Some((hit, wanted)) = ranked {
            let words = wanted.iter().filter_map(|word| {
                let held = |term: &u32| self.words.posting(*term).map_or(0, |posting| posting.count(number));
                let (count, term) = word.terms.iter().map(|term| (held(term), *term)).max()?;
                let name = match word.likeness {
                    100 => word.text.clone(),
                    _ => format!("{} (like {})", self.words.spelling(term), word.text),
                };
                match count {
                    0 => None,
                    1 => Some(name),
                    // More are not told apart.
                    u8::MAX => Some(format!("{name} ×255 or more")),
                    _ => Some(format!("{name} ×{count}")),
                }
            });
            let words: Vec<String> = words.collect();
            if let Some(cosine) = hit.cosine {
                parts.push(format!("vector (cosine {cosine:.3})"));
            }
            if words.is_empty() && hit.cosine.is_none() {
                parts.push("of an episode with a hit".to_owned());
            } else if !words.is_empty() {
                parts.push(format!("words {} (score {:.3})", words.join(", "), hit.score));
            }
            if !hit.ranks.is_empty() {
                let ranks: Vec<String> = hit.ranks.iter().map(|(by, rank)| format!("{by} {rank}")).collect();
                parts.push(format!("ranks: {}", ranks.join(", ")));
            }
        }
        let Some(row) = self.table.row(number) else { return String::new() };
        if filter.since.is_some() || filter.until.is_some() {
            let before = filter.since.is_some_and(|since| row.at < since);
            parts.push(if before { "lasts into the window" } else { "in the window" }.to_owned());
        }
        if filter.kinds.is_some() {
            let name = self.table.kinds.get_index(usize::from(row.kind));
            parts.push(format!("kind {}", name.unwrap_or_default()));
        }
        if let Some(wanted) = &filter.entities {
            let own = self.table.entities_of(number).iter().filter(|e| wanted.contains(e));
            let names: Vec<&str> = own.filter_map(|e| self.table.entities.get_index(*e as usize)).collect();
            parts.push(format!("with {}", names.join(", ")));
        }
        if filter.thread.is_some() {
            parts.push("of the thread".to_owned());
        }
        if parts.is_empty() { "everything was asked for".to_owned() } else { parts.join("; ") }
    }
}

fn order_of(query: &Recall) -> Result<Order, Refusal> {
    match query.order.as_deref() {
        None | Some("valid") => Ok(Order::Valid),
        Some("recorded") => Ok(Order::Recorded),
        Some("logical") => Ok(Order::Logical),
        Some(other) => {
            let message = format!("there is no order `{other}`; the orders are valid, recorded, logical");
            Err(Refusal::new("unknown-order", message).at_path("/order"))
        }
    }
}

impl Found {
    fn take(&mut self, row: u32, standing: Option<Standing>, limit: usize) {
        match standing {
            Some(Standing::Live) => {
                self.total += 1;
                if self.rows.len() < limit {
                    self.rows.push(row);
                }
            }
            Some(Standing::Forgotten) => self.forgotten += 1,
            Some(Standing::Replaced) | None => {}
        }
    }
}

impl Filter {
    /// What begins in a window and is of one of the kinds.
    pub(crate) fn of_rows(since: Millis, until: Millis, kinds: &[u16]) -> Self {
        let kinds = (!kinds.is_empty()).then(|| kinds.to_vec());
        Self { since: Some(since), until: Some(until), kinds, entities: None, thread: None, lasting: false }
    }

    /// Whether every row of a part that is of the right kind is kept.
    fn keeps_whole(&self, summary: &Summary) -> bool {
        self.thread.is_none()
            && self.entities.is_none()
            && self.since.is_none_or(|since| summary.first >= since)
            && self.until.is_none_or(|until| summary.last < until)
    }

    /// How many of a part's rows of the right kinds are live, and how many forgotten.
    fn count(&self, summary: &Summary) -> (u64, u64) {
        match &self.kinds {
            None => (u64::from(summary.live), u64::from(summary.forgotten)),
            Some(kinds) => {
                kinds.iter().filter_map(|kind| summary.of(*kind)).fold((0, 0), |(live, forgotten), count| {
                    (live + u64::from(count.live), forgotten + u64::from(count.forgotten))
                })
            }
        }
    }

    /// Whether a part of the tree may hold a row that is kept.
    fn may_keep(&self, summary: &Summary) -> bool {
        self.until.is_none_or(|until| summary.first < until)
            && self.since.is_none_or(|since| summary.end > since)
            && self.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| summary.of(*kind).is_some()))
    }
}
