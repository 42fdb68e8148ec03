//! A list that only grows, is searched by a rising key, and is cheap to copy.

use std::sync::Arc;

/// How many items a chunk holds.
const CHUNK: usize = 256;

/// A list that only grows, in shared chunks: a copy shares all of them, and adding to it copies at most the
/// last one. Its items have keys that never fall; the first key of each chunk lies apart, so that a search
/// touches little memory.
#[derive(Clone, Debug)]
pub(crate) struct Chunks<T> {
    heads: Vec<u64>,
    chunks: Vec<Arc<Chunk<T>>>,
}

#[derive(Clone, Debug)]
struct Chunk<T> {
    keys: Vec<u64>,
    items: Vec<T>,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { heads: Vec::new(), chunks: Vec::new() }
    }
}

impl<T: Clone> Chunks<T> {
    pub(crate) fn push(&mut self, key: u64, item: T) {
        match self.chunks.last_mut().filter(|last| last.items.len() < CHUNK) {
            Some(last) => {
                let last = Arc::make_mut(last);
                last.keys.push(key);
                last.items.push(item);
            }
            None => {
                self.heads.push(key);
                self.chunks.push(Arc::new(Chunk { keys: vec![key], items: vec![item] }));
            }
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.chunks.get(index / CHUNK)?.items.get(index % CHUNK)
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.items.len())
    }

    pub(crate) fn last(&self) -> Option<&T> {
        self.chunks.last()?.items.last()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.items.iter())
    }

    /// How many items have a key of at most `key`.
    pub(crate) fn count_upto(&self, key: u64) -> usize {
        let Some(at) = self.heads.partition_point(|head| *head <= key).checked_sub(1) else { return 0 };
        at * CHUNK + self.chunks.get(at).map_or(0, |chunk| chunk.keys.partition_point(|k| *k <= key))
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
            chunks.push(i as u64 / 2, i);
            list.push(i);
        }
        assert_eq!(chunks.iter().copied().collect::<Vec<_>>(), list);
        assert_eq!(
            (chunks.len(), chunks.last(), chunks.get(CHUNK + 1)),
            (list.len(), list.last(), list.get(CHUNK + 1))
        );
        for limit in 0..2 * CHUNK {
            assert_eq!(chunks.count_upto(limit as u64), list.iter().filter(|i| **i / 2 <= limit).count());
        }
        for (n, copy) in copies.iter().enumerate() {
            assert_eq!(copy.len(), n * 100);
        }
    }
}
