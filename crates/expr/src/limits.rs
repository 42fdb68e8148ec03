//! Every limit of the language, in one place. Each has its own error code at the limit.

/// The longest expression, in bytes. Above it: `source-too-long`.
pub const MAX_SOURCE_BYTES: usize = 16 * 1024;

/// The deepest syntax tree, counted while nodes are built, so that left-deep chains (`1+1+…`, `a.b.b…`)
/// count as much as brackets. Above it: `too-deep`.
pub const MAX_DEPTH: usize = 128;

/// How deep brackets, prefixes and conditionals may nest while they are read. Above it: `too-deep`.
pub const MAX_NESTING: usize = 64;

/// Work units of one evaluation, or of one rendering of a template: one for each node evaluated, each
/// item handled and each [`BYTES_PER_FUEL`] bytes of text copied or made. Above it: `out-of-fuel`.
pub const MAX_FUEL: u64 = 1_000_000;

/// How many bytes of text one unit of fuel pays for.
pub const BYTES_PER_FUEL: usize = 64;

/// The longest text an expression may make, in bytes. Above it: `text-too-long`.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// The longest list an expression may make. Above it: `list-too-long`.
pub const MAX_LIST_ITEMS: usize = 100_000;

/// How deep lists and maps may nest in a value an expression makes. Above it: `too-deep`.
pub const MAX_VALUE_DEPTH: usize = 64;

/// The longest template, in bytes. Above it: `source-too-long`.
pub const MAX_TEMPLATE_BYTES: usize = 256 * 1024;

/// How deep `{% if %}` and `{% for %}` blocks may nest. Above it: `too-deep`.
pub const MAX_BLOCK_DEPTH: usize = 32;

/// How often the bodies of all `{% for %}` blocks of one rendering may run. Above it: `too-many-iterations`.
pub const MAX_ITERATIONS: usize = 10_000;

/// The longest output of a template, in bytes. Above it: `output-too-long`.
pub const MAX_OUTPUT_BYTES: usize = 1 << 20;
