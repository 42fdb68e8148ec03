//! The wasm-bindgen binding behind the npm package.
//!
//! One class, whose messages are JSON texts of `throughline_protocol::session`. Nothing happens when the
//! module is imported; nothing here decides anything.
//!
//! A panic ends the instance for good: its state is whatever it was in the middle of. The panic's words are
//! left in the global [`PANIC_GLOBAL`], and every later request is refused with `engine-crashed`.

#[cfg(target_arch = "wasm32")]
mod rows;
#[cfg(target_arch = "wasm32")]
mod session;

#[cfg(target_arch = "wasm32")]
pub use rows::Rows;
#[cfg(target_arch = "wasm32")]
pub use session::Session;

/// The global in which a panic leaves its words: the trap itself says only `unreachable`.
pub const PANIC_GLOBAL: &str = "__throughline_panic";
