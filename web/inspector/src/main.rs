//! The inspector page.
fn main() {}
