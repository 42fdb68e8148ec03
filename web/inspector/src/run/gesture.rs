//! What a pointer and a wheel mean on an axis: a drag moves it, a click chooses, the wheel zooms or moves.

use leptos::prelude::*;
use web_sys::{PointerEvent, WheelEvent};

/// How many pixels a pointer moves before it drags.
const DRAG: f64 = 4.0;

/// A pointer on a stage; a copy is the same.
#[derive(Clone, Copy)]
pub(crate) struct Press(StoredValue<Option<(f64, bool)>>);

/// What a move of the pointer was.
pub(crate) enum Moved {
    /// No button is down.
    Hover,
    /// A button is down, and it has not come far.
    Still,
    /// The axis goes along by so many pixels.
    Drag(f64),
}

impl Press {
    /// No button is down.
    pub(crate) fn new() -> Self {
        Self(StoredValue::new(None))
    }

    /// The main button went down; the stage keeps the pointer until it is up.
    pub(crate) fn down(self, event: &PointerEvent, stage: NodeRef<leptos::html::Div>) {
        if event.button() == 0 {
            self.0.set_value(Some((f64::from(event.client_x()), false)));
            if let Some(element) = stage.get_untracked() {
                let _ = element.set_pointer_capture(event.pointer_id());
            }
        }
    }

    /// The pointer moved.
    pub(crate) fn moved(self, event: &PointerEvent) -> Moved {
        let x = f64::from(event.client_x());
        match self.0.get_value() {
            Some((from, dragged)) if dragged || (x - from).abs() > DRAG => {
                self.0.set_value(Some((x, true)));
                Moved::Drag(from - x)
            }
            Some(_) => Moved::Still,
            None => Moved::Hover,
        }
    }

    /// The button is up again; whether that was a click.
    pub(crate) fn up(self) -> bool {
        let pressed = self.0.get_value();
        self.0.set_value(None);
        pressed.is_some_and(|(_, dragged)| !dragged)
    }
}

/// What the wheel means.
pub(crate) enum Wheel {
    /// The axis moves by so many pixels.
    Pan(f64),
    /// Its span grows by this factor.
    Zoom(f64),
}

/// Reads the wheel: with Shift, or sideways, it moves.
pub(crate) fn wheel(event: &WheelEvent) -> Wheel {
    event.prevent_default();
    if event.shift_key() || event.delta_x().abs() > event.delta_y().abs() {
        return Wheel::Pan(if event.delta_x() == 0.0 { event.delta_y() } else { event.delta_x() });
    }
    Wheel::Zoom(1.0 + (event.delta_y() * 0.0015).clamp(-0.6, 1.5))
}
