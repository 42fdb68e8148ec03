//! The answers to the memory's queries, as the protocol's views.

use std::cell::Cell;
use std::ops::Range;

use throughline_journal::{Millis, Seq};
use throughline_protocol::lane::is_error;
use throughline_protocol::query::{
    DEFAULT_LIMIT, MemoryCounts, MemoryEpisodes, MemoryForgetting, MemoryHistory, MemoryLast, MemoryMoments,
    MemoryNeighbours, MemoryRelated, MemoryTree,
};
use throughline_protocol::view::{self, EpisodeView, MemoryView, RecallPage, Tombstone, TreePart, TreeView};
use throughline_protocol::{At, Domain, Refusal, Time};
use throughline_value::{InOrder as _, Named};

use crate::allen::Relation;
use crate::episodes::{LOOK_BACK, Scale};
use crate::forgetting::Policy;
use crate::index::{Rows as _, Step, Summary};
use crate::limits::{MAX_HITS, MAX_TREE_PARTS};
use crate::memory::Memory;
use crate::pyramid::{LANES, Pyramid};
use crate::time;

fn resolve(time: Option<&Time>, domain: &Domain, path: &str) -> Result<Option<Millis>, Refusal> {
    time.map(|time| time::resolve(time, domain, path).map(|r| r.ms)).transpose()
}

fn missing(name: &str) -> Refusal {
    Refusal::new("missing-field", format!("give `{name}`")).at_path(format!("/{name}"))
}

fn scale_of(name: Option<&str>) -> Result<Scale, Refusal> {
    match name {
        None | Some("fine") => Ok(Scale::FINE),
        Some("coarse") => Ok(Scale::COARSE),
        Some(other) => {
            let message = format!("there is no scale `{other}`; the scales are fine, coarse");
            Err(Refusal::new("unknown-scale", message).at_path("/scale"))
        }
    }
}

impl Memory {
    /// Everything that an entity was part of, in order of time; the newest when there is more.
    ///
    /// # Errors
    /// Those of reading an instant; `limit-too-large`.
    pub fn history_page(&self, at: At, query: &MemoryHistory, domain: &Domain) -> Result<RecallPage, Refusal> {
        let before = resolve(query.before.as_ref(), domain, "/before")?.unwrap_or(Millis::MAX);
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        if limit > MAX_HITS {
            let message = format!("a history gives at most {MAX_HITS} events; go back with `before`");
            return Err(Refusal::new("limit-too-large", message).at_path("/limit"));
        }
        let place = self.table.entities.get_index_of(&query.entity);
        let rows = place.and_then(|place| self.by_entity.get(place)).map(|list| &**list).unwrap_or_default();
        let end = rows.partition_point(|row| self.table.time(*row) < before);
        let live = rows.get(..end).unwrap_or_default().iter().rev().filter(|row| self.is_live_at(**row, at.seq));
        let mut page = RecallPage { until: (before < Millis::MAX).then_some(before), ..RecallPage::default() };
        for row in live {
            page.total += 1;
            if page.hits.len() < limit {
                page.hits.extend(self.show(*row, at.seq, format!("with {}", query.entity)));
            }
        }
        page.hits.reverse();
        let beyond = page.total - page.hits.len() as u64;
        if beyond > 0 {
            page.hidden.insert("limit".to_owned(), beyond);
        }
        Ok(page)
    }

    /// The last event of a kind before a time.
    ///
    /// # Errors
    /// Those of reading an instant.
    pub fn last_view(&self, at: At, query: &MemoryLast, domain: &Domain) -> Result<Option<MemoryView>, Refusal> {
        let before = resolve(query.before.as_ref(), domain, "/before")?.unwrap_or(Millis::MAX);
        let Some(entity) = &query.entity else { return Ok(self.last(at, &query.kind, before)) };
        let place = self.table.entities.get_index_of(entity);
        let rows = place.and_then(|place| self.by_entity.get(place)).map(|list| &**list).unwrap_or_default();
        let end = rows.partition_point(|row| self.table.time(*row) < before);
        let kind = self.table.kinds.get_index_of(&query.kind).and_then(|kind| u16::try_from(kind).ok());
        let mut found = rows.get(..end).unwrap_or_default().iter().rev();
        let row =
            found.find(|row| kind.is_some() && self.table.kind_of(**row) == kind && self.is_live_at(**row, at.seq));
        let why = format!("the last of its kind with {entity} before the time asked for");
        Ok(row.and_then(|row| self.show(*row, at.seq, why)))
    }

    /// Counts by part of a window and kind: exact, or as they are drawn.
    ///
    /// # Errors
    /// `empty-window`, `bad-buckets`, and those of reading an instant.
    pub fn counts_view(&self, at: At, query: &MemoryCounts, domain: &Domain) -> Result<view::MemoryCounts, Refusal> {
        let (first, last) = self.span_at(at.seq).unwrap_or_default();
        let (since, until) = match (
            resolve(query.since.as_ref(), domain, "/since")?,
            resolve(query.until.as_ref(), domain, "/until")?,
        ) {
            (Some(since), Some(until)) => (since, until),
            // A window that is open on one side and holds nothing holds nothing: that is no mistake of the caller's.
            (Some(since), None) => (since, last.max(since) + 1),
            (None, Some(until)) => (first.min(until - 1), until),
            (None, None) => (first, last + 1),
        };
        let buckets = query.buckets.unwrap_or(1);
        if !query.drawing {
            let counts = self.counts(at, since, until, buckets, &query.kinds)?;
            // A name that stands twice counts once.
            let first = |at: usize, kind: &String| counts.kinds.iter().position(|other| other == kind) == Some(at);
            let kinds = counts.kinds.iter().enumerate();
            let wrong: Vec<bool> = kinds.map(|(at, kind)| is_error(kind) && first(at, kind)).collect();
            let errors = |part: &Vec<u64>| part.iter().zip(&wrong).filter(|(_, wrong)| **wrong).map(|(n, _)| n).sum();
            let errors = counts.counts.iter().map(errors).collect();
            return Ok(view::MemoryCounts { kinds: counts.kinds, edges: counts.edges, counts: counts.counts, errors });
        }
        // Rounded to the parts of the pyramid, as of the head.
        let mut view = view::MemoryCounts::default();
        self.with_pyramid(|pyramid| {
            let (begin, width, parts, errors) = pyramid.parts_and_errors(since, until, buckets);
            view.errors = errors.iter().map(|n| u64::from(*n)).collect();
            let lanes = self.table.kinds.len().min(LANES);
            let names = (0..lanes).filter_map(|lane| match lane {
                lane if lane + 1 == LANES && self.table.kinds.len() > LANES => Some("others".to_owned()),
                lane => self.table.kinds.get_index(lane).map(str::to_owned),
            });
            view.kinds = names.collect();
            view.edges = (0..=parts.len() as i64).map(|n| begin + n * width).collect();
            let count = |part: &[u32; LANES]| part.iter().take(lanes).map(|n| u64::from(*n)).collect();
            view.counts = parts.iter().map(count).collect();
        });
        Ok(view)
    }

    /// When the first and the last event begin that are current after a record.
    fn span_at(&self, seq: Seq) -> Option<(Millis, Millis)> {
        let may = |summary: &Summary| summary.born <= seq && (summary.live > 0 || summary.changed > seq);
        let (first, mut last) = (Cell::new(None), None);
        let mut part = |summary: &Summary| if first.get().is_none() && may(summary) { Step::Open } else { Step::Pass };
        self.time.walk(&mut part, &mut |block| {
            let found = block.rows(0..block.len()).find(|row| self.is_live_at(*row, seq));
            first.set(first.get().or(found));
        });
        let mut part = |summary: &Summary| if may(summary) { Step::Open } else { Step::Pass };
        self.time.walk_back(&mut part, &mut |block| {
            last = block.rows(0..block.len()).rev().find(|row| self.is_live_at(*row, seq));
            last.is_some()
        });
        Some((self.table.at(first.get()?)?, self.table.at(last?)?))
    }

    /// When the first and the last row begin.
    pub(crate) fn span(&self) -> (Millis, Millis) {
        let first = self.time.blocks().first().and_then(|b| b.first_at()).unwrap_or(0);
        let last = self.time.blocks().last().and_then(|b| b.last_at()).unwrap_or(0);
        (first, last)
    }

    /// Looks at the pyramid, which is made when there is none.
    pub(crate) fn with_pyramid<T>(&self, look: impl FnOnce(&Pyramid) -> T) -> T {
        let mut slot = self.pyramid.borrow_mut();
        let pyramid = slot.get_or_insert_with(|| {
            let (first, last) = self.span();
            let rows = self.time.blocks().iter().flat_map(|block| block.all());
            let mut live = rows.filter(|(_, _, row)| self.is_live(*row)).map(|(at, kind, _)| (at, kind));
            let names = (0..self.table.kinds.len()).map(|kind| self.table.kinds.get_index(kind).unwrap_or_default());
            Pyramid::build(first, last, names.map(is_error).collect(), &mut live)
        });
        look(pyramid)
    }

    /// The events next to a moment.
    ///
    /// # Errors
    /// `missing-field`, `limit-too-large`, and those of reading an instant.
    pub fn neighbours_view(
        &self,
        at: At,
        query: &MemoryNeighbours,
        domain: &Domain,
    ) -> Result<view::Neighbours, Refusal> {
        let moment = resolve(query.moment.as_ref(), domain, "/moment")?.ok_or_else(|| missing("moment"))?;
        let n = query.n.unwrap_or(5);
        if n > MAX_HITS {
            let message = format!("at most {MAX_HITS} neighbours on either side");
            return Err(Refusal::new("limit-too-large", message).at_path("/n"));
        }
        let found = self.neighbours(at, moment, n);
        Ok(view::Neighbours { before: found.before, after: found.after })
    }

    /// Simultaneous events together.
    ///
    /// # Errors
    /// `bad-tolerance`, `too-many-events`, and those of reading an instant.
    pub fn moments_view(
        &self,
        at: At,
        query: &MemoryMoments,
        domain: &Domain,
    ) -> Result<Vec<view::MomentView>, Refusal> {
        let since = resolve(query.since.as_ref(), domain, "/since")?.unwrap_or(Millis::MIN);
        let until = resolve(query.until.as_ref(), domain, "/until")?.unwrap_or(Millis::MAX);
        let tolerance = query.tolerance.unwrap_or(0);
        if tolerance < 0 {
            return Err(Refusal::new("bad-tolerance", "a tolerance is not below 0").at_path("/tolerance"));
        }
        let moments = self.moments(at, since, until, tolerance)?.into_iter();
        Ok(moments.map(|m| view::MomentView { from: m.from, to: m.to, events: m.events }).collect())
    }

    /// The events that lie so to another one.
    ///
    /// # Errors
    /// `unknown-relation`, `unknown-memory`, `memory-forgotten`.
    pub fn related_view(&self, at: At, query: &MemoryRelated) -> Result<Vec<MemoryView>, Refusal> {
        let mut relations = Vec::new();
        for (i, name) in query.relations.iter().enumerate() {
            let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
            let found = Relation::ALL.into_iter().find(|r| format!("{r:?}").to_lowercase() == plain);
            relations.push(found.ok_or_else(|| {
                let names: Vec<String> = Relation::ALL.iter().map(|r| format!("{r:?}").to_lowercase()).collect();
                let message = format!("there is no relation `{name}`; they are {}", names.join(", "));
                Refusal::new("unknown-relation", message).at_path(format!("/relations/{i}"))
            })?);
        }
        if relations.is_empty() {
            relations = Relation::ALL.to_vec();
        }
        self.related(at, &query.memory, &relations)
    }

    /// The episodes of a window, or the one that an event is part of, with its events.
    ///
    /// # Errors
    /// `unknown-scale`, those of [`Memory::episode`], and those of reading an instant.
    pub fn episodes_view(&self, at: At, query: &MemoryEpisodes, domain: &Domain) -> Result<Vec<EpisodeView>, Refusal> {
        let scale = scale_of(query.scale.as_deref())?;
        if let Some(memory) = &query.memory {
            let episode = self.episode(at, memory, scale)?;
            let mut view = EpisodeView {
                since: episode.span.0,
                until: episode.span.1,
                count: episode.events.len() as u64,
                thread: episode.events.first().map(|e| e.thread.clone()).unwrap_or_default(),
                cut: episode.cut,
                ..EpisodeView::default()
            };
            for event in &episode.events {
                *view.kinds.entry(event.kind.clone()).or_insert(0) += 1;
            }
            view.events = episode.events;
            return Ok(vec![view]);
        }
        let since = resolve(query.since.as_ref(), domain, "/since")?.unwrap_or(Millis::MIN);
        let until = resolve(query.until.as_ref(), domain, "/until")?.unwrap_or(Millis::MAX);
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_HITS);
        // By thread: the last rows, newest first, and the episode that is open.
        let mut open: Vec<(u32, Vec<u32>, usize)> = Vec::new();
        let mut views: Vec<EpisodeView> = Vec::new();
        for row in self.time.from(since).take_while(|row| self.table.time(*row) < until) {
            if !self.is_live_at(row, at.seq) {
                continue;
            }
            let thread = self.table.item_of(row).and_then(|item| self.table.item(item)).map_or(0, |item| item.thread);
            let place = open.iter().position(|(of, _, _)| *of == thread);
            // What came before the window tells where it ends, too.
            let before = if place.is_none() { self.of_thread_before(row, thread, at.seq) } else { Vec::new() };
            let joined = place
                .and_then(|place| open.get(place))
                .is_some_and(|(_, earlier, _)| !self.is_edge(earlier, row, scale));
            if !joined {
                // An episode that began before the window is cut there.
                let cut = place.is_none() && !before.is_empty() && !self.is_edge(&before, row, scale);
                let name = self.table.threads.get_index(thread as usize).unwrap_or_default().to_owned();
                views.push(EpisodeView { since: self.table.time(row), thread: name, cut, ..EpisodeView::default() });
            }
            let number = if joined { place.and_then(|p| open.get(p)).map_or(0, |o| o.2) } else { views.len() - 1 };
            let slot = match place {
                Some(place) => place,
                None => {
                    open.push((thread, before, number));
                    open.len() - 1
                }
            };
            if let Some((_, earlier, of)) = open.get_mut(slot) {
                *of = number;
                earlier.insert(0, row);
                earlier.truncate(LOOK_BACK);
            }
            if let (Some(view), Some(found)) = (views.get_mut(number), self.table.row(row)) {
                view.count += 1;
                view.until = view.until.max(self.table.end(row));
                view.importance += u64::from(found.importance);
                let kind = self.table.kinds.get_index(usize::from(found.kind)).unwrap_or_default().to_owned();
                *view.kinds.entry(kind).or_insert(0) += 1;
                let id = self.table.id(found.item);
                if view.first.is_empty() {
                    view.first.clone_from(&id);
                }
                view.last = id;
            }
        }
        let left = views.len().saturating_sub(limit);
        views.drain(..left);
        Ok(views)
    }

    /// The last events of a thread that begin before an event, newest first.
    fn of_thread_before(&self, row: u32, thread: u32, seq: Seq) -> Vec<u32> {
        let of_thread = |other: &u32| {
            self.is_live_at(*other, seq)
                && self.table.item_of(*other).and_then(|item| self.table.item(item)).is_some_and(|i| i.thread == thread)
        };
        self.time.before(self.table.time(row)).filter(of_thread).take(LOOK_BACK).collect()
    }

    /// What a policy would forget next, and why.
    ///
    /// # Errors
    /// Those of [`Policy::read`] and [`Memory::to_forget`].
    pub fn forgetting_view(
        &self,
        at: At,
        now: Millis,
        query: &MemoryForgetting,
    ) -> Result<Vec<view::ForgettingRow>, Refusal> {
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        let candidates = self.to_forget(at, &Policy::read(now, &query.policy)?, limit)?;
        let row = |c: crate::forgetting::Candidate| {
            // What is said of it is always here; its text may not be.
            let row = self.table.find(&c.id).and_then(|item| self.table.version_at(item, at.seq));
            let kind = row.and_then(|row| self.table.kinds.get_index(usize::from(self.table.kind_of(row)?)));
            let entities = row.map(|row| self.table.entities_of(row)).unwrap_or_default().iter();
            view::ForgettingRow {
                kind: kind.unwrap_or_default().to_owned(),
                at: row.map(|row| self.table.time(row)).unwrap_or_default(),
                entities: entities
                    .filter_map(|name| self.table.entities.get_index(*name as usize))
                    .map(str::to_owned)
                    .collect(),
                id: c.id,
                score: c.score,
                reason: c.reason,
            }
        };
        Ok(candidates.into_iter().map(row).collect())
    }

    /// The tree over the time axis, and what a recall with this window and these kinds does with each part.
    ///
    /// # Errors
    /// Those of reading an instant.
    pub fn tree_view(&self, at: At, query: &MemoryTree, domain: &Domain) -> Result<TreeView, Refusal> {
        let since = resolve(query.since.as_ref(), domain, "/since")?;
        let until = resolve(query.until.as_ref(), domain, "/until")?;
        let kinds: Vec<u16> = query
            .kinds
            .iter()
            .filter_map(|name| self.table.kinds.get_index_of(name).and_then(|kind| u16::try_from(kind).ok()))
            .collect();
        let lists = query.entity.as_ref().and_then(|name| self.table.entities.get_index_of(name));
        let entity = lists.and_then(|place| u32::try_from(place).ok());
        let most = query.limit.unwrap_or(MAX_TREE_PARTS).min(MAX_TREE_PARTS);
        let mut view = TreeView { levels: self.time.depth() as u64 + 1, ..TreeView::default() };
        let judge = |level: usize, summary: &Summary| {
            let may = since.is_none_or(|since| summary.end > since)
                && until.is_none_or(|until| summary.first < until)
                && (query.kinds.is_empty() || kinds.iter().any(|kind| summary.of(*kind).is_some()));
            let whole =
                since.is_none_or(|since| summary.first >= since) && until.is_none_or(|until| summary.last < until);
            match (may, whole) {
                (false, _) => (Step::Pass, "skipped"),
                (true, true) => (if query.all { Step::Open } else { Step::Pass }, "whole"),
                (true, _) if level == 0 => (Step::Open, "read"),
                (true, _) => (Step::Open, "opened"),
            }
        };
        // The lowest level that finds room: what is shown is all of the time, and not all of its beginning.
        let mut counts = vec![0_usize; self.time.depth() + 1];
        self.time.visit(&mut |level, summary, _| {
            if let Some(count) = counts.get_mut(level) {
                *count += 1;
            }
            judge(level, summary).0
        });
        let room = counts.iter().rev().scan(0_usize, |sum, n| {
            *sum += n;
            Some(*sum <= most)
        });
        let lowest = counts.len().saturating_sub(room.take_while(|fits| *fits).count().max(1));
        self.time.visit(&mut |level, summary, blocks| {
            let (step, done) = judge(level, summary);
            if level < lowest {
                view.cut = true;
                return Step::Pass;
            }
            // What was not there yet is no part of it.
            let then;
            let (summary, kept) = match summary.changed > at.seq {
                true => {
                    then = self.summary_at(at.seq, blocks.clone());
                    (&then, None)
                }
                false => (summary, Some((level, blocks.start / blocks.len().max(1)))),
            };
            if summary.rows == 0 {
                return Step::Pass;
            }
            if view.parts.len() >= most {
                view.cut = true;
                return Step::Pass;
            }
            let mut part = self.tree_part(at, summary, blocks, entity, kept);
            part.level = level as u64;
            part.step = done.to_owned();
            view.parts.push(part);
            step
        });
        Ok(view)
    }

    /// What the summary of some blocks was after a record.
    fn summary_at(&self, seq: Seq, blocks: Range<usize>) -> Summary {
        let mut summary = Summary::default();
        for row in self.rows_of_blocks(blocks) {
            if let Some(standing) = self.table.standing_at(row, seq) {
                summary.add(self.table.facts(row), standing, 0);
            }
        }
        summary
    }

    /// A part of the tree at a moment. `kept` is its level and its place there, where nothing in it changed since.
    fn tree_part(
        &self,
        at: At,
        summary: &Summary,
        blocks: Range<usize>,
        entity: Option<u32>,
        kept: Option<(usize, usize)>,
    ) -> TreePart {
        let name = |kind: u16| self.table.kinds.get_index(usize::from(kind)).unwrap_or_default().to_owned();
        let kinds = summary.kinds.iter().filter(|k| k.live > 0).map(|k| (name(k.kind), u64::from(k.live)));
        let mut kinds: Vec<(String, u64)> = kinds.collect();
        kinds.order();
        let scanned;
        let deep = match kept.and_then(|(level, place)| self.time.deep(level, place, &|block| self.deep_now(block))) {
            // A use that was noted later was none yet.
            Some(deep) if deep.touched <= at.seq => deep,
            _ => {
                scanned = self.deep_at(at.seq, &mut self.rows_of_blocks(blocks.clone()));
                &scanned
            }
        };
        let states = entity.and_then(|entity| match kept {
            Some((level, place)) => {
                let states = self.time.states(level, place, &|block| self.states_now(block))?;
                let place = states.binary_search_by_key(&entity, |(entity, _)| *entity).ok()?;
                states.get(place).map(|(_, states)| *states)
            }
            None => self.states_at(at.seq, blocks, entity),
        });
        let id = |row: u32| self.table.item_of(row).map(|item| self.table.id(item));
        let vectors = deep.vectors.values().max_by_key(|(_, count)| *count);
        let cohesion = vectors.map(|(sum, count)| {
            // The length of the mean: 1 when all point the same way.
            let square: i128 = sum.iter().map(|s| i128::from(*s) * i128::from(*s)).sum();
            let whole = i128::from(*count) * i128::from(*count) * 32_767 * 32_767 / 1_000_000;
            u64::try_from((square / whole.max(1)).isqrt()).unwrap_or(0)
        });
        TreePart {
            first: summary.first,
            last: summary.last,
            end: summary.end,
            rows: u64::from(summary.rows),
            live: u64::from(summary.live),
            forgotten: u64::from(summary.forgotten),
            importance: summary.importance,
            errors: kinds.iter().filter(|(kind, _)| is_error(kind)).map(|(_, live)| live).sum(),
            kinds: kinds.into_iter().collect::<Named<u64>>(),
            last_used: deep.last_used,
            vectors: vectors.map_or(0, |(_, count)| *count),
            cohesion,
            first_state: states.and_then(|(first, _)| id(first)),
            last_state: states.and_then(|(_, last)| id(last)),
            ..TreePart::default()
        }
    }

    /// What was purged: numbers, times and reasons; nothing of what it said is left. The engine adds the rest.
    #[must_use]
    pub fn tombstones(&self, at: At) -> Vec<Tombstone> {
        let tomb = |(item, seq): (u32, throughline_journal::Seq)| Tombstone {
            id: self.table.id(item),
            remembered: self.table.item(item).map_or(0, |i| i.seq),
            seq,
            ..Tombstone::default()
        };
        self.table.tombstones().filter(|(_, seq)| *seq <= at.seq).map(tomb).collect()
    }
}
