//! The kinds of records that are the memory's own.

/// Events were remembered: `{items: [{id, kind, text, at, until?, entities?, importance?, data?}]}`.
pub const REMEMBERED: &str = "memory.remembered";
/// An event was corrected: `{memory, text?, at?, entities?, importance?}`, the new values only.
pub const AMENDED: &str = "memory.amended";
/// Events were forgotten: `{memories: [id]}`.
pub const FORGOTTEN: &str = "memory.forgotten";
/// Forgotten events were brought back: `{memories: [id]}`.
pub const RECOVERED: &str = "memory.recovered";
/// Events were remembered as columns: `{first, kinds, at, kind, …}`, as the command of that name.
pub const COLUMNS: &str = "memory.columns";
/// Events were used: `{memories: [id], at}`.
pub const TOUCHED: &str = "memory.touched";
/// Events were purged: `{memories: [id], rest: {seq: commitment}}`. Their words are nowhere any more.
pub const PURGED: &str = "memory.purged";
