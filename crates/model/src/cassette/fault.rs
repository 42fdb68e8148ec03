//! What the network does to a reply, as pure functions.

use throughline_protocol::Refusal;
use throughline_protocol::session::Fault;

use super::{Chunk, Playback};

/// The largest piece that re-chunking makes, in bytes.
const MAX_PIECE: u64 = 48;

/// Does to a reply what a fault says; `nth` is the exchange's number, from 0.
///
/// # Errors
/// `bad-fault` for line ends that are not known.
pub fn harm(mut playback: Playback, fault: &Fault, nth: u64) -> Result<Playback, Refusal> {
    if fault.only.is_some_and(|only| only != nth) {
        return Ok(playback);
    }
    if let Some(status) = fault.status {
        playback.status = status;
    }
    if let Some(body) = &fault.body {
        playback.chunks = vec![Chunk { t: 0, bytes: body.clone().into_bytes() }];
    }
    let t = playback.chunks.last().map_or(0, |chunk| chunk.t);
    if let Some(more) = &fault.append {
        playback.chunks.push(Chunk { t, bytes: more.clone().into_bytes() });
    }
    if let Some(ends) = &fault.line_ends {
        let ends: &[u8] = match ends.as_str() {
            "cr" => b"\r",
            "crlf" => b"\r\n",
            other => {
                let message = format!("line ends are `cr` or `crlf`, not `{other}`");
                return Err(Refusal::new("bad-fault", message).at_path("/line_ends"));
            }
        };
        for chunk in &mut playback.chunks {
            let bytes = std::mem::take(&mut chunk.bytes);
            for byte in bytes {
                if byte == b'\n' { chunk.bytes.extend_from_slice(ends) } else { chunk.bytes.push(byte) }
            }
        }
    }
    if fault.bom {
        playback.chunks.insert(0, Chunk { t: 0, bytes: b"\xef\xbb\xbf".to_vec() });
    }
    if let Some(byte) = fault.cut {
        playback.chunks = cut(&playback.chunks, usize::try_from(byte).unwrap_or(usize::MAX));
    }
    playback.chunks = match fault.rechunk {
        Some(0) => single_bytes(&playback.chunks),
        Some(seed) => rechunk(&playback.chunks, seed),
        None => playback.chunks,
    };
    Ok(playback)
}

/// The reply cut off after `byte` bytes.
#[must_use]
pub fn cut(chunks: &[Chunk], byte: usize) -> Vec<Chunk> {
    let mut left = byte;
    let mut out = Vec::new();
    for chunk in chunks {
        let take = left.min(chunk.bytes.len());
        if take == 0 {
            break;
        }
        left -= take;
        out.push(Chunk { t: chunk.t, bytes: chunk.bytes.iter().take(take).copied().collect() });
    }
    out
}

/// The same bytes, each in a chunk of its own.
#[must_use]
pub fn single_bytes(chunks: &[Chunk]) -> Vec<Chunk> {
    chunks.iter().flat_map(|c| c.bytes.iter().map(|b| Chunk { t: c.t, bytes: vec![*b] })).collect()
}

/// The same bytes in other pieces: sizes come from the seed, times from the chunk that a piece ends in.
#[must_use]
pub fn rechunk(chunks: &[Chunk], seed: u64) -> Vec<Chunk> {
    let mut state = seed;
    let mut out: Vec<Chunk> = Vec::new();
    let mut wanted = 0;
    for chunk in chunks {
        for byte in &chunk.bytes {
            if wanted == 0 {
                wanted = 1 + next(&mut state) % MAX_PIECE;
                out.push(Chunk { t: chunk.t, bytes: Vec::new() });
            }
            if let Some(last) = out.last_mut() {
                last.t = chunk.t;
                last.bytes.push(*byte);
            }
            wanted -= 1;
        }
    }
    out
}

/// SplitMix64: the next number and the next state.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
