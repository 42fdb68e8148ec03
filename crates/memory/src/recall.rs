//! Recall: filters first, then the order, and what was hidden.

mod fuse;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use throughline_journal::{Millis, Seq};
use throughline_protocol::query::{DEFAULT_LIMIT, Recall};
use throughline_protocol::view::RecallPage;
use throughline_protocol::{At, Domain, Refusal};
use throughline_value::{InOrder as _, order_numbers};

use crate::index::{Block, Rows as _, Standing, Step, Summary};
use crate::limits::{MAX_HITS, MAX_QUERY_TERMS, MAX_WORDS_BYTES};
use crate::memory::Memory;
use crate::time;
use crate::words::{Ranked, score};

/// What a recall keeps, with everything resolved.
pub(crate) struct Filter {
    since: Option<Millis>,
    until: Option<Millis>,
    /// The kinds by number, in rising order; `None` for any.
    kinds: Option<Vec<u16>>,
    entities: Option<Vec<u32>>,
    /// `Some(None)` is a thread that nothing belongs to.
    thread: Option<Option<u32>>,
}

/// An order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Valid,
    Recorded,
    Logical,
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
        let (total, forgotten) = match &query.words {
            Some(words) => {
                if query.order.is_some() || query.before.is_some() {
                    let (name, message) =
                        ("order", "words rank the hits; leave `order` and `before` out, or the words");
                    return Err(Refusal::new("order-with-words", message).at_path(format!("/{name}")));
                }
                let by = fuse::By::read(&query.also_by)?;
                let (mut ranked, wanted, forgotten) = self.ranked(at.seq, words, &filter)?;
                if !by.is_empty() {
                    ranked = self.fuse(at.seq, ranked, &filter, &by);
                }
                for hit in ranked.iter().take(limit) {
                    let why = self.why(hit.row, &filter, Some((hit, &wanted)));
                    page.hits.extend(self.show(hit.row, at.seq, why));
                }
                (ranked.len() as u64, forgotten)
            }
            None => {
                if !query.also_by.is_empty() {
                    let message = "only a recall by words is ranked; give `words`, or leave `also_by` out";
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
        let beyond = page.total - page.hits.len() as u64;
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
        })
    }

    /// The memory that a page comes before.
    fn cursor(&self, seq: Seq, query: &Recall) -> Result<Option<u32>, Refusal> {
        let Some(id) = &query.before else { return Ok(None) };
        let item = self.known(id, "/before")?;
        match self.table.version_at(item, seq) {
            Some(row) => Ok(Some(row)),
            None => Err(Refusal::new("unknown-memory", format!("`{id}` was not there yet")).at_path("/before")),
        }
    }

    /// The last rows in an order that a filter keeps, last first, and how many it keeps in all.
    fn in_order(&self, seq: Seq, filter: &Filter, order: Order, before: Option<u32>, limit: usize) -> Found {
        if order == Order::Valid && before.is_none() {
            return self.scan(seq, filter, limit);
        }
        let mut found = self.scan(seq, filter, usize::MAX);
        if order != Order::Valid {
            order_numbers(&mut found.rows, &mut |a, b| self.compare(order, b, a));
        }
        if let Some(before) = before {
            // What comes after it is on pages that were seen.
            let seen = found.rows.partition_point(|row| self.compare(order, *row, before).is_ge());
            found.rows.drain(..seen);
            found.total = found.rows.len() as u64;
        }
        found.rows.truncate(limit);
        found
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
        let place = |row: u32| self.table.row(row).and_then(|r| self.table.item(r.item)).map(|i| (i.seq, i.index));
        (place(a), a).cmp(&(place(b), b))
    }

    /// By thread, then in the order of writing.
    pub(crate) fn logical(&self, a: u32, b: u32) -> Ordering {
        let thread = |row: u32| {
            let item = self.table.row(row).and_then(|r| self.table.item(r.item))?;
            self.table.threads.get_index(item.thread as usize)
        };
        thread(a).cmp(&thread(b)).then_with(|| self.written(a, b))
    }

    /// The newest rows that a filter keeps, and how many it keeps in all. It walks back in time; once it has
    /// as many rows as wanted, parts of the tree that are kept whole are counted and not looked into.
    fn scan(&self, seq: Seq, filter: &Filter, limit: usize) -> Found {
        let found = std::cell::RefCell::new(Found::default());
        if let Some(entities) = &filter.entities {
            let lists = entities.iter().filter_map(|e| self.by_entity.get(*e as usize));
            let mut rows: Vec<u32> = lists.flatten().copied().collect();
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
                Some(since) if block.summary.lasting == 0 => block.ts.partition_point(|t| *t < since),
                _ => 0,
            };
            let end = filter.until.map_or(block.ts.len(), |until| block.ts.partition_point(|t| *t < until));
            let kinds = block.kind.get(begin..end).unwrap_or_default();
            let rows = block.row.get(begin..end).unwrap_or_default();
            let clean = block.summary.is_clean() && block.summary.changed <= seq;
            let plain = filter.thread.is_none() && block.summary.lasting == 0;
            for (kind, row) in kinds.iter().zip(rows).rev() {
                let of_kind = filter.kinds.as_ref().is_none_or(|kinds| kinds.contains(kind));
                if of_kind && (plain || self.keeps(*row, filter)) {
                    let standing = if clean { Some(Standing::Live) } else { self.table.standing_at(*row, seq) };
                    found.take(*row, standing, limit);
                }
            }
            false
        };
        self.time.walk_back(&mut part, &mut leaf);
        found.into_inner()
    }

    /// Whether a filter keeps a row, whatever its standing.
    pub(crate) fn keeps(&self, number: u32, filter: &Filter) -> bool {
        let Some(row) = self.table.row(number) else { return false };
        let in_window = filter.until.is_none_or(|until| row.at < until)
            && filter.since.is_none_or(|since| row.at >= since || self.table.end(number) > since);
        let of_kind = || filter.kinds.as_ref().is_none_or(|kinds| kinds.binary_search(&row.kind).is_ok());
        let of_entity = || {
            let own = self.table.entities_of(number);
            filter.entities.as_ref().is_none_or(|entities| entities.iter().any(|e| own.contains(e)))
        };
        let thread = || self.table.item(row.item).map(|i| i.thread);
        in_window && of_kind() && of_entity() && filter.thread.is_none_or(|t| t.is_some() && t == thread())
    }

    /// The rows that hold at least one of the words and that the filter keeps, best first.
    fn ranked(&self, seq: Seq, text: &str, filter: &Filter) -> Result<(Vec<Ranked>, Vec<String>, u64), Refusal> {
        let refuse = |code: &str, message: String| Err(Refusal::new(code, message).at_path("/words"));
        if text.len() > MAX_WORDS_BYTES {
            return refuse(
                "words-too-long",
                format!("the words have over {MAX_WORDS_BYTES} bytes; give the telling ones"),
            );
        }
        let wanted = self.words.wanted(text);
        if wanted.is_empty() {
            return refuse("no-words", format!("{text:?} holds no word to look for; leave `words` out for time order"));
        }
        if wanted.len() > MAX_QUERY_TERMS {
            return refuse("too-many-words", format!("over {MAX_QUERY_TERMS} different words; give the telling ones"));
        }
        let totals = self.totals_at(seq);
        let mut scored: BTreeMap<u32, Ranked> = BTreeMap::new();
        let mut forgotten: Vec<u32> = Vec::new();
        for (place, word) in wanted.iter().enumerate() {
            // Several terms that count as one word: the most frequent one in each row.
            let mut counts: Vec<(u32, u16)> =
                word.terms.iter().flat_map(|term| self.words.posting(*term)).copied().collect();
            if word.terms.len() > 1 {
                counts.order_by_key(|(row, _)| *row);
                counts.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    if same {
                        kept.1 = kept.1.max(next.1);
                    }
                    same
                });
            }
            let mut live = Vec::new();
            for (row, count) in counts {
                match self.table.standing_at(row, seq) {
                    Some(Standing::Live) => live.push((row, count)),
                    Some(Standing::Forgotten) if self.keeps(row, filter) => {
                        forgotten.push(row);
                    }
                    _ => {}
                }
            }
            // How rare a word is, is a matter of all that is remembered; which rows count, of the filter.
            let with = live.len() as u64;
            for (row, count) in live.into_iter().filter(|(row, _)| self.keeps(*row, filter)) {
                let len = self.table.row(row).map_or(0, |r| r.words);
                let hit = scored.entry(row).or_insert_with(|| Ranked::unranked(row));
                hit.score += score(count, len, with, totals.events, totals.words);
                hit.words.push((place, count));
            }
        }
        let mut ranked: Vec<Ranked> = scored.into_values().collect();
        // Of equal scores the newer one comes first.
        ranked.order_by(|a, b| b.score.total_cmp(&a.score).then_with(|| self.table.order(b.row, a.row)));
        order_numbers(&mut forgotten, &mut |a, b| a.cmp(&b));
        forgotten.dedup();
        let texts = wanted.into_iter().map(|w| w.text).collect();
        Ok((ranked, texts, forgotten.len() as u64))
    }

    /// Why a row is a hit, in a few words.
    fn why(&self, number: u32, filter: &Filter, ranked: Option<(&Ranked, &[String])>) -> String {
        let mut parts = Vec::new();
        if let Some((hit, wanted)) = ranked {
            let words = hit.words.iter().filter_map(|(place, count)| {
                let word = wanted.get(*place)?;
                Some(if *count > 1 { format!("{word} ×{count}") } else { word.clone() })
            });
            let words: Vec<String> = words.collect();
            if words.is_empty() {
                parts.push("of an episode with a hit".to_owned());
            } else {
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
            parts.push(format!("kind {}", name.map_or("", String::as_str)));
        }
        if let Some(wanted) = &filter.entities {
            let own = self.table.entities_of(number).iter().filter(|e| wanted.contains(e));
            let names: Vec<&str> =
                own.filter_map(|e| self.table.entities.get_index(*e as usize)).map(String::as_str).collect();
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
