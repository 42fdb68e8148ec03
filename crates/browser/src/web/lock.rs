//! Which tab goes on with what another one began: the one that holds the journal's Web Lock.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::host::Guard;

/// Ends the lock when it is dropped, whether it was granted or is still waited for.
struct Held {
    release: Rc<RefCell<Option<Function>>>,
    abort: Option<(JsValue, Function)>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(release) = self.release.borrow_mut().take() {
            // Settles the promise for which the lock is held.
            let _ = release.call0(&JsValue::UNDEFINED);
        } else if let Some((controller, abort)) = &self.abort {
            let _ = abort.call0(controller);
        }
    }
}

pub(super) fn request(name: &str, first: Box<dyn FnOnce()>) -> Guard {
    let release: Rc<RefCell<Option<Function>>> = Rc::default();
    let Some((locks, method)) = locks() else {
        // Without locks nobody can tell who is first; a single tab is.
        first();
        return Box::new(());
    };
    let granted = Rc::clone(&release);
    let callback = Closure::once_into_js(move |_lock: JsValue| -> Promise {
        let held = Promise::new(&mut |resolve, _| *granted.borrow_mut() = Some(resolve));
        first();
        held
    });
    let (options, abort) = options();
    let asked = method.call3(&locks, &format!("throughline:{name}").into(), &options, &callback);
    if let Ok(promise) = asked.and_then(JsCast::dyn_into::<Promise>) {
        // Giving up the wait rejects it, which is no error.
        let ignore = Closure::once_into_js(|_: JsValue| {});
        if let Ok(catch) = Reflect::get(&promise, &"catch".into()).and_then(JsCast::dyn_into::<Function>) {
            let _ = catch.call1(&promise, &ignore);
        }
    }
    Box::new(Held { release, abort })
}

fn locks() -> Option<(JsValue, Function)> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok().filter(JsValue::is_object)?;
    let method = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    Some((locks, method))
}

/// `{ signal }`, and what aborts it.
fn options() -> (Object, Option<(JsValue, Function)>) {
    let options = Object::new();
    let make = || -> Result<(JsValue, Function), JsValue> {
        let class: Function = Reflect::get(&js_sys::global(), &"AbortController".into())?.dyn_into()?;
        let controller = Reflect::construct(&class, &js_sys::Array::new())?;
        Reflect::set(&options, &"signal".into(), &Reflect::get(&controller, &"signal".into())?)?;
        let abort = Reflect::get(&controller, &"abort".into())?.dyn_into()?;
        Ok((controller, abort))
    };
    let abort = make().ok();
    (options, abort)
}
