//! A list that only grows and is cheap to copy.

use std::sync::Arc;

/// How many items a chunk holds.
const CHUNK: usize = 256;

/// A list that only grows, in shared chunks: a copy shares all of them, and adding to it copies at most the
/// last one.
#[derive(Clone, Debug)]
pub(crate) struct Chunks<T> {
    chunks: Vec<Arc<Vec<T>>>,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<T: Clone> Chunks<T> {
    pub(crate) fn push(&mut self, item: T) {
        match self.chunks.last_mut().filter(|last| last.len() < CHUNK) {
            Some(last) => Arc::make_mut(last).push(item),
            None => self.chunks.push(Arc::new(vec![item])),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    pub(crate) fn last(&self) -> Option<&T> {
        self.chunks.last()?.last()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// How many items stand before the first of which `before` does not say so; it must say so of a beginning.
    pub(crate) fn partition_point(&self, before: impl Fn(&T) -> bool) -> usize {
        let after = self.chunks.partition_point(|chunk| chunk.first().is_some_and(&before));
        let Some(at) = after.checked_sub(1) else { return 0 };
        at * CHUNK + self.chunks.get(at).map_or(0, |chunk| chunk.partition_point(&before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_like_a_list_and_a_copy_keeps_what_it_had() {
        let mut chunks = Chunks::default();
        let mut list = Vec::new();
        let mut copies = Vec::new();
        for i in 0..3 * CHUNK + 7 {
            if i % 100 == 0 {
                copies.push(chunks.clone());
            }
            chunks.push(i / 2);
            list.push(i / 2);
        }
        assert_eq!(chunks.iter().copied().collect::<Vec<_>>(), list);
        assert_eq!(
            (chunks.len(), chunks.last(), chunks.get(CHUNK + 1)),
            (list.len(), list.last(), list.get(CHUNK + 1))
        );
        for limit in [0, 1, CHUNK / 2, CHUNK, 2 * CHUNK] {
            assert_eq!(chunks.partition_point(|v| *v < limit), list.partition_point(|v| *v < limit));
        }
        for (n, copy) in copies.iter().enumerate() {
            assert_eq!(copy.len(), n * 100);
        }
    }
}
