//! Several rankings of the same hits made one, by reciprocal rank.

use std::collections::BTreeMap;

use throughline_journal::Seq;
use throughline_protocol::Refusal;
use throughline_value::{InOrder as _, order_numbers};

use super::Filter;
use crate::episodes::Scale;
use crate::index::Rows as _;
use crate::memory::Memory;
use crate::words::Ranked;

/// How little the difference between the first ranks of one list weighs: the usual constant of the method.
const RANK_OFFSET: u64 = 60;
/// What the first rank of a list would give without the offset.
const POINTS: u64 = 1_000_000_000_000;
/// How much each ranking counts against the others. Recency and importance say nothing about the question:
/// they decide between hits that are about as good.
const WEIGHTS: [(By, u64); 5] =
    [(By::Words, 10), (By::Vector, 10), (By::Episode, 5), (By::Recency, 1), (By::Importance, 1)];
/// How many of the best hits bring the events around them.
const SPREAD_HITS: usize = 20;
/// How many events around it one hit brings at most.
const SPREAD_EVENTS: usize = 10;

/// What beside words a recall is ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum By {
    Words,
    Vector,
    Episode,
    Recency,
    Importance,
}

impl By {
    pub(super) fn read(names: &[String]) -> Result<Vec<Self>, Refusal> {
        let one = |(i, name): (usize, &String)| match name.as_str() {
            "episode" => Ok(Self::Episode),
            "recency" => Ok(Self::Recency),
            "importance" => Ok(Self::Importance),
            other => {
                let message = format!("hits are not ranked by `{other}`, but by episode, recency, importance");
                Err(Refusal::new("unknown-ranking", message).at_path(format!("/also_by/{i}")))
            }
        };
        let mut list: Vec<Self> = names.iter().enumerate().map(one).collect::<Result<_, _>>()?;
        list.order();
        list.dedup();
        Ok(list)
    }

    fn weight(self) -> u64 {
        WEIGHTS.iter().find(|(by, _)| *by == self).map_or(1, |(_, weight)| *weight)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Vector => "vector",
            Self::Episode => "episode",
            Self::Recency => "recency",
            Self::Importance => "importance",
        }
    }
}

impl Memory {
    /// The hits of a ranking by words, best first, ranked by more than that. With episodes, the best hits
    /// bring the events around them that the filter keeps.
    pub(super) fn fuse(
        &self,
        seq: Seq,
        ranked: Vec<Ranked>,
        near: Option<&[(u32, f64)]>,
        filter: &Filter,
        by: &[By],
    ) -> Vec<Ranked> {
        let mut best: Vec<u32> = ranked.iter().map(|r| r.row).collect();
        let mut lists = vec![(By::Words, shared_ranks(&ranked, |a, b| a.score.total_cmp(&b.score).is_eq(), |r| r.row))];
        let mut hits: BTreeMap<u32, Ranked> = BTreeMap::new();
        for hit in ranked {
            hits.insert(hit.row, hit);
        }
        if let Some(near) = near {
            lists.push((By::Vector, shared_ranks(near, |a, b| a.1.total_cmp(&b.1).is_eq(), |(row, _)| *row)));
            for (row, cosine) in near {
                hits.entry(*row).or_insert_with(|| Ranked::unranked(*row)).cosine = Some(*cosine);
            }
            if best.is_empty() {
                best = near.iter().map(|(row, _)| *row).collect();
            }
        }
        if by.contains(&By::Episode) {
            let around = self.around(seq, &best, filter);
            for row in &around {
                hits.entry(*row).or_insert_with(|| Ranked::unranked(*row));
            }
            lists.push((By::Episode, shared_ranks(&around, |_, _| false, |row| *row)));
        }
        let mut rows: Vec<u32> = hits.keys().copied().collect();
        let importance = |row: u32| self.table.row(row).map_or(0, |r| r.importance);
        for by in by {
            match by {
                By::Recency => {
                    order_numbers(&mut rows, &mut |a, b| self.table.order(b, a));
                    lists.push((*by, shared_ranks(&rows, |_, _| false, |row| *row)));
                }
                By::Importance => {
                    order_numbers(&mut rows, &mut |a, b| importance(b).cmp(&importance(a)).then(a.cmp(&b)));
                    lists.push((*by, shared_ranks(&rows, |a, b| importance(*a) == importance(*b), |row| *row)));
                }
                By::Words | By::Vector | By::Episode => {}
            }
        }
        for (by, list) in &lists {
            for (row, rank) in list {
                if let Some(hit) = hits.get_mut(row) {
                    hit.points += by.weight() * POINTS / (RANK_OFFSET + rank);
                    hit.ranks.push((by.name(), *rank));
                }
            }
        }
        let mut fused: Vec<Ranked> = hits.into_values().collect();
        fused.order_by(|a, b| {
            b.points
                .cmp(&a.points)
                .then_with(|| b.score.total_cmp(&a.score))
                .then_with(|| self.table.order(b.row, a.row))
        });
        fused
    }

    /// The best hits and the events around them, those of the best first, the nearest first.
    fn around(&self, seq: Seq, best: &[u32], filter: &Filter) -> Vec<u32> {
        let mut seen: Vec<u32> = Vec::new();
        for hit in best.iter().take(SPREAD_HITS) {
            let (rows, _) = self.episode_rows(seq, *hit, Scale::FINE);
            let Some(own) = rows.iter().position(|row| row == hit) else { continue };
            let mut near: Vec<(usize, u32)> = rows.iter().enumerate().map(|(i, row)| (own.abs_diff(i), *row)).collect();
            near.order_by_key(|(distance, _)| *distance);
            let kept = near.into_iter().map(|(_, row)| row).filter(|row| self.keeps(*row, filter));
            for row in kept.take(SPREAD_EVENTS + 1) {
                // There are a few hundred at most.
                if !seen.contains(&row) {
                    seen.push(row);
                }
            }
        }
        seen
    }
}

/// Rows with their ranks from 1; those that are as good as the one before share its rank.
fn shared_ranks<T>(list: &[T], same: impl Fn(&T, &T) -> bool, row: impl Fn(&T) -> u32) -> Vec<(u32, u64)> {
    let mut rank = 0;
    let mut before: Option<&T> = None;
    let ranked = (1u64..).zip(list).map(|(place, item)| {
        if !before.is_some_and(|b| same(b, item)) {
            rank = place;
        }
        before = Some(item);
        (row(item), rank)
    });
    ranked.collect()
}
