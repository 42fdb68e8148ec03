//! The inspector: one timeline of everything an agent did, stepping, time travel and why.
//!
//! A shell without an engine: it loads the npm package like any page would and speaks its session protocol.
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
mod run;
mod session;
mod settings;
mod ui;

fn main() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        bridge::say_broken(&panic.to_string());
    }));
    leptos::mount::mount_to_body(app::App);
}
