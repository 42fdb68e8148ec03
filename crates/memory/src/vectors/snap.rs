//! Vectors as bytes: the finer numbers, from which the others follow.

use super::Vectors;
use crate::limits::MAX_DIMENSIONS;
use crate::snapshot::{In, Out};

impl Vectors {
    pub(crate) fn write(&self, out: &mut Out) {
        out.number(self.spaces.len() as u64);
        for (dimension, space) in self.spaces.iter() {
            out.number(u64::from(*dimension));
            out.rising(&mut space.rows.iter().copied());
            space.exact.iter().for_each(|x| out.raw(&x.to_le_bytes()));
        }
    }

    pub(crate) fn read(from: &mut In<'_>, end: usize) -> Option<Self> {
        let mut vectors = Self::default();
        for _ in 0..from.count()? {
            let dimension = from.small::<usize>().filter(|n| (1..=MAX_DIMENSIONS).contains(n))?;
            for row in from.rising(end)? {
                let (pairs, _) = from.raw(dimension * 2)?.as_chunks();
                let exact: Vec<i16> = pairs.iter().map(|pair| i16::from_le_bytes(*pair)).collect();
                vectors.push(row, &exact);
            }
        }
        Some(vectors)
    }
}
