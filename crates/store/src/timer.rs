//! The host's timers, the same in a window, in a worker and in Node.

use futures_channel::oneshot;
use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

/// The longest delay that timers keep to; longer ones would fire at once.
pub const LONGEST_MS: i32 = i32::MAX;

/// A timer that was started. Dropping it stops it.
#[derive(Debug)]
pub struct Timer {
    id: JsValue,
    // Kept so that the callback lives until it is called or the timer is stopped.
    _callback: Closure<dyn FnMut()>,
}

impl Timer {
    /// Calls `then` once, `ms` milliseconds from now.
    pub fn start(ms: i32, then: impl FnOnce() + 'static) -> Self {
        let callback = Closure::once(then);
        let id = global("setTimeout")
            .and_then(|set| {
                set.call2(&JsValue::UNDEFINED, callback.as_ref().unchecked_ref(), &JsValue::from(ms.max(0))).ok()
            })
            .unwrap_or(JsValue::UNDEFINED);
        Self { id, _callback: callback }
    }

    /// Lets a program end that waits for nothing but this timer: Node would go on until it fires.
    #[must_use]
    pub fn in_background(self) -> Self {
        let unref = Reflect::get(&self.id, &"unref".into()).ok().and_then(|f| f.dyn_into::<Function>().ok());
        if let Some(unref) = unref {
            // A timer that cannot be put into the background is one that stays in the foreground.
            let _ = unref.call0(&self.id);
        }
        self
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(clear) = global("clearTimeout") {
            // Stopping a timer that has fired does nothing.
            let _ = clear.call1(&JsValue::UNDEFINED, &self.id);
        }
    }
}

fn global(name: &str) -> Option<Function> {
    Reflect::get(&js_sys::global(), &name.into()).ok()?.dyn_into().ok()
}

/// Waits `ms` milliseconds.
pub async fn sleep(ms: i32) {
    let (done, wait) = oneshot::channel();
    let _timer = Timer::start(ms, move || {
        // Whoever waited may have been dropped.
        let _ = done.send(());
    });
    // The sender lives in the timer, so it is not lost before it has sent.
    let _ = wait.await;
}
