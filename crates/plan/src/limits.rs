//! Every limit of plans and runs, in one place.

/// The longest plan, in bytes. Above it: `plan-too-long`.
pub const MAX_PLAN_BYTES: usize = 256 * 1024;

/// The most steps of a plan. Above it: `too-many-steps`.
pub const MAX_STEPS: usize = 1_024;

/// The most problems that one check reports. Then it ends with `too-many-problems`.
pub const MAX_DIAGNOSTICS: usize = 256;

/// The most text that the repairs of one report hold together, in bytes; later ones are left to the next round.
pub const MAX_REPAIR_BYTES: usize = 1 << 20;

/// The most rounds of repairs that one query applies.
pub const MAX_REPAIRS: u32 = 64;

/// The most arguments of one `CALL`. Above it: `plan-syntax`.
pub const MAX_ARGUMENTS: usize = 64;

/// The most other sources, or other ways to extract, that one step names behind `OR`. Above it: `plan-syntax`.
pub const MAX_ALTERNATIVES: usize = 8;

/// The most retries of a step. Above it: `wrong-option`.
pub const MAX_RETRIES: u32 = 10;

/// The longest regular expression, in bytes. Above it: `bad-pattern`.
pub const MAX_PATTERN_BYTES: usize = 1024;

/// The largest program a regular expression may compile to, in bytes. Above it: `bad-pattern`.
pub const PATTERN_SIZE_LIMIT: usize = 1 << 20;

/// How deep groups of a regular expression may nest. Above it: `bad-pattern`.
pub const PATTERN_NEST_LIMIT: u32 = 50;

/// The longest JSON path, in bytes. Above it: `bad-json-path`.
pub const MAX_JSON_PATH_BYTES: usize = 1024;

/// The longest text a pattern or a path is looked for in, in bytes. Above it the step fails with
/// `document-too-long`.
pub const MAX_HAYSTACK_BYTES: usize = 4 << 20;

/// The most values one `EXTRACT … ALL` takes. Above it the step fails with `too-many-values`.
pub const MAX_MATCHES: usize = 10_000;

/// The longest quote that evidence keeps, in bytes; its span and hash always cover the whole.
pub const MAX_QUOTE_BYTES: usize = 1024;

/// The most pieces of evidence that one value carries. Above it the step fails with `too-much-evidence`.
pub const MAX_EVIDENCE: usize = 256;

/// The largest output that one step may record, in bytes of JSON. Above it the step fails with
/// `output-too-long`.
pub const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// The largest input of a step that its record keeps, in bytes of JSON. Above it the record has its size
/// instead; a call whose arguments are larger fails with `input-too-long`.
pub const MAX_INPUT_BYTES: usize = 64 * 1024;

/// The most steps that one [`crate::Plans::advance`] runs together. The next call goes on.
pub const MAX_STEPS_AT_ONCE: usize = 64;

/// The most calls of one run that may be under way together. The others wait.
pub const MAX_CALLS_UNDER_WAY: usize = 16;

/// The longest selector, in bytes. Above it: `bad-selector`.
pub const MAX_SELECTOR_BYTES: usize = 1024;

/// How deep elements of an HTML document are followed; deeper ones are read as siblings.
pub(crate) const MAX_HTML_DEPTH: usize = 256;

/// How long a retry waits when its plan does not say, in milliseconds; each further one waits twice as long.
pub const DEFAULT_BACKOFF: i64 = 1_000;

/// The longest wait before a retry, in milliseconds.
pub const MAX_BACKOFF: i64 = 3_600_000;
