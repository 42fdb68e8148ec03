//! The inspector: one timeline of everything an agent did, stepping, time travel and why.
//!
//! A shell without an engine: it loads the npm package like any page would and speaks its session protocol.
//! The page comes as two wasm files of this one crate: `inspector`, and `views` with the large views, which is
//! loaded when one of them is shown first ([`LaterView`]).
//! What a panel shows is a function of the journal and of the record a person looks at, and of nothing else.
#![allow(unreachable_pub, reason = "the component macro makes public what it writes")]

mod app;
mod bridge;
mod demo;
mod dom;
mod files;
mod focus;
mod format;
mod home;
mod i18n;
mod keys;
mod later;
mod run;
mod session;
mod settings;
mod ui;

/// Starts the page.
pub fn shell() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        bridge::say_broken(&panic.to_string());
    }));
    leptos::mount::mount_to_body(app::App);
}

pub use later::LaterView;
