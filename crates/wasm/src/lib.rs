//! The wasm-bindgen binding behind the npm package.
