//! Hints between tabs, over a BroadcastChannel. Messages may be lost or come too early; so they only say:
//! look.

use std::rc::Rc;

use js_sys::{Function, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

use crate::host::Channel;

struct Far {
    channel: BroadcastChannel,
    _callback: Closure<dyn FnMut(MessageEvent)>,
}

/// Where there are no channels, other tabs are heard of at the next append.
struct Nothing;

impl Channel for Nothing {
    fn tell(&self) {}
}

pub(super) fn open(name: &str, hint: Rc<dyn Fn()>) -> Box<dyn Channel> {
    let Ok(channel) = BroadcastChannel::new(&format!("throughline:{name}")) else { return Box::new(Nothing) };
    let callback = Closure::<dyn FnMut(MessageEvent)>::new(move |_| hint());
    channel.set_onmessage(Some(callback.as_ref().unchecked_ref()));
    // In Node an open channel keeps a program from ending.
    if let Some(unref) = Reflect::get(&channel, &"unref".into()).ok().and_then(|f| f.dyn_into::<Function>().ok()) {
        let _ = unref.call0(&channel);
    }
    Box::new(Far { channel, _callback: callback })
}

impl Channel for Far {
    fn tell(&self) {
        // A closed channel has nobody to tell.
        let _ = self.channel.post_message(&JsValue::TRUE);
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        self.channel.set_onmessage(None);
        self.channel.close();
    }
}
