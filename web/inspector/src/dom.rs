//! What panels show, as plain data that is patched into the page.
//!
//! Leptos drives what changes; what a panel shows when it changed is a tree of [`El`], compared with the one
//! before it and patched in place, so that focus, selection and opened details stay. A tree is data and costs
//! a few bytes of code per element, where a typed view costs hundreds: the page stays small to download.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// A text that is known or made.
pub(crate) type Text = Cow<'static, str>;

/// What is done on a click.
type Act = Rc<dyn Fn(web_sys::Event)>;

/// Elements of drawings.
const SVG: [&str; 8] = ["svg", "g", "path", "rect", "text", "title", "defs", "marker"];

/// The name space of drawings.
const SVG_SPACE: &str = "http://www.w3.org/2000/svg";

/// An attribute that a person changes by hand; it is set once and then theirs.
const OPEN: &str = "open";

/// An element, or a text.
pub(crate) enum Node {
    /// An element.
    El(El),
    /// A text.
    Text(Text),
}

/// An element with what it holds. Behind a box, so that handing it on moves one address.
pub(crate) struct El(Box<Inner>);

struct Inner {
    tag: &'static str,
    attrs: Vec<(&'static str, Text)>,
    nodes: Vec<Node>,
    acts: Vec<(&'static str, Act)>,
}

/// An element of this kind, empty.
#[inline(never)]
pub(crate) fn el(tag: &'static str) -> El {
    El(Box::new(Inner { tag, attrs: Vec::new(), nodes: Vec::new(), acts: Vec::new() }))
}

impl El {
    /// With an attribute.
    pub(crate) fn attr(self, name: &'static str, value: impl Into<Text>) -> Self {
        self.set(name, value.into())
    }

    #[inline(never)]
    fn set(mut self, name: &'static str, value: Text) -> Self {
        // An attribute is there once: a second value takes the place of the first.
        match self.0.attrs.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.attrs.push((name, value)),
        }
        self
    }

    /// With classes.
    pub(crate) fn class(self, class: impl Into<Text>) -> Self {
        self.set("class", class.into())
    }

    /// With a text after what it holds already.
    pub(crate) fn text(self, text: impl Into<Text>) -> Self {
        self.say(text.into())
    }

    #[inline(never)]
    fn say(self, text: Text) -> Self {
        self.push(Node::Text(text))
    }

    /// With an element after what it holds already.
    #[inline(never)]
    pub(crate) fn with(self, el: El) -> Self {
        self.push(Node::El(el))
    }

    /// With an element, where there is one.
    #[inline(never)]
    pub(crate) fn maybe(self, el: Option<El>) -> Self {
        match el {
            Some(el) => self.with(el),
            None => self,
        }
    }

    /// With elements after what it holds already.
    pub(crate) fn all(mut self, els: impl IntoIterator<Item = El>) -> Self {
        for el in els {
            self = self.with(el);
        }
        self
    }

    #[inline(never)]
    fn push(mut self, node: Node) -> Self {
        self.0.nodes.push(node);
        self
    }

    /// Does something when it is clicked.
    pub(crate) fn on_click(self, act: impl Fn() + 'static) -> Self {
        self.on("click", move |_| act())
    }

    /// Does something on an event.
    pub(crate) fn on(mut self, event: &'static str, act: impl Fn(web_sys::Event) + 'static) -> Self {
        self.0.acts.push((event, Rc::new(act)));
        self
    }
}

/// What is on the page for a node.
struct Mounted {
    dom: web_sys::Node,
    tag: &'static str,
    attrs: Vec<(&'static str, Text)>,
    text: Text,
    nodes: Vec<Mounted>,
    acts: Vec<Listener>,
}

/// A listener stays where it is; what it does is exchanged.
struct Listener {
    event: &'static str,
    act: Rc<RefCell<Act>>,
    _closure: Closure<dyn Fn(web_sys::Event)>,
}

impl Mounted {
    /// Makes a node; nothing where the page refuses, which it does for no element of ours.
    fn make(node: Node) -> Option<Self> {
        match node {
            Node::Text(text) => {
                let dom = document().create_text_node(&text).into();
                Some(Self { dom, tag: "", attrs: Vec::new(), text, nodes: Vec::new(), acts: Vec::new() })
            }
            Node::El(El(el)) => {
                let el = *el;
                let made = if SVG.contains(&el.tag) {
                    document().create_element_ns(Some(SVG_SPACE), el.tag)
                } else {
                    document().create_element(el.tag)
                };
                let made = made.ok()?;
                for (name, value) in &el.attrs {
                    set_attribute(&made, name, value);
                }
                let acts = el.acts.into_iter().map(|(event, act)| Listener::new(&made, event, act)).collect();
                let mut mounted = Self {
                    dom: made.into(),
                    tag: el.tag,
                    attrs: el.attrs,
                    text: Text::default(),
                    nodes: Vec::new(),
                    acts,
                };
                patch(&mounted.dom, &mut mounted.nodes, el.nodes);
                Some(mounted)
            }
        }
    }

    /// Makes it show another node, when it is of the same kind; gives the node back when not.
    fn become_like(&mut self, node: Node) -> Option<Node> {
        let el = match node {
            Node::Text(text) if self.tag.is_empty() => {
                if self.text != text {
                    self.dom.set_node_value(Some(&text));
                    self.text = text;
                }
                return None;
            }
            Node::El(el) if el.0.tag == self.tag => el,
            other => return Some(other),
        };
        let El(el) = el;
        if self.acts.len() != el.acts.len()
            || !self.acts.iter().zip(&el.acts).all(|(old, (event, _))| old.event == *event)
        {
            return Some(Node::El(El(el)));
        }
        let el = *el;
        for (listener, (_, act)) in self.acts.iter().zip(el.acts) {
            *listener.act.borrow_mut() = act;
        }
        if self.attrs != el.attrs {
            self.set_attributes(el.attrs);
        }
        patch(&self.dom, &mut self.nodes, el.nodes);
        None
    }

    fn set_attributes(&mut self, attrs: Vec<(&'static str, Text)>) {
        let Some(element) = self.dom.dyn_ref::<web_sys::Element>() else { return };
        for (name, _) in &self.attrs {
            if *name != OPEN && !attrs.iter().any(|(other, _)| other == name) {
                let _ = element.remove_attribute(name);
            }
        }
        for (name, value) in &attrs {
            let old = self.attrs.iter().find(|(other, _)| other == name);
            if *name != OPEN && old.is_none_or(|(_, old)| old != value) {
                set_attribute(element, name, value);
            }
        }
        self.attrs = attrs;
    }
}

impl Listener {
    fn new(element: &web_sys::Element, event: &'static str, act: Act) -> Self {
        let act = Rc::new(RefCell::new(act));
        let current = Rc::clone(&act);
        let closure = Closure::<dyn Fn(web_sys::Event)>::new(move |event| {
            // Let go of before it is called: what it does may exchange it.
            let act = Rc::clone(&current.borrow());
            act(event);
        });
        let _ = element.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
        Self { event, act, _closure: closure }
    }
}

/// Sets an attribute; a name that begins with a dot is a property, such as a field's `.value`.
fn set_attribute(element: &web_sys::Element, name: &str, value: &str) {
    match name.strip_prefix('.') {
        Some(property) => {
            let _ = js_sys::Reflect::set(element, &JsValue::from_str(property), &JsValue::from_str(value));
        }
        None => {
            let _ = element.set_attribute(name, value);
        }
    }
}

/// Makes `parent` hold these nodes.
fn patch(parent: &web_sys::Node, mounted: &mut Vec<Mounted>, nodes: Vec<Node>) {
    let count = nodes.len();
    for (at, node) in nodes.into_iter().enumerate() {
        let Some(old) = mounted.get_mut(at) else {
            if let Some(new) = Mounted::make(node) {
                let _ = parent.append_child(&new.dom);
                mounted.push(new);
            }
            continue;
        };
        if let Some(new) = old.become_like(node).and_then(Mounted::make) {
            let _ = parent.replace_child(&new.dom, &old.dom);
            *old = new;
        }
    }
    for gone in mounted.drain(count.min(mounted.len())..) {
        let _ = parent.remove_child(&gone.dom);
    }
}

/// What the keyboard can stand on.
const FOCUSABLE: &str = "button,a[href],input,select,textarea,summary,[tabindex='0']";

/// The element within `host` that has the focus, and what it lies in.
fn held_focus(host: &web_sys::Element) -> Vec<web_sys::Element> {
    let focused = document().active_element().filter(|focused| host.contains(Some(focused)));
    std::iter::successors(focused, |inner| inner.parent_element()).collect()
}

/// When what had the focus has gone, the focus stands on what is nearest to where it was: a person who uses the keyboard
/// goes on from there, and not from the top of the page.
fn keep_focus(held: Vec<web_sys::Element>) {
    if held.first().is_none_or(|focused| focused.is_connected()) {
        return;
    }
    // Not at once: the key that took it away would act on what has the focus then.
    request_animation_frame(move || {
        if document().active_element().is_some_and(|now| now.tag_name() != "BODY") {
            return;
        }
        let near = held.iter().filter(|outer| outer.is_connected());
        let next = near.filter_map(|outer| outer.query_selector(FOCUSABLE).ok().flatten()).next();
        if let Some(next) = next.and_then(|next| next.dyn_into::<web_sys::HtmlElement>().ok()) {
            let _ = next.focus();
        }
    });
}

/// A place in the page that shows what `show` gives, again whenever a signal in it changes.
#[component]
pub(crate) fn Dom(
    /// Its classes.
    #[prop(optional)]
    class: &'static str,
    /// What it shows.
    show: Box<dyn Fn() -> Vec<El>>,
) -> impl IntoView {
    let host = NodeRef::<leptos::html::Div>::new();
    let mounted = StoredValue::new_local(Vec::new());
    Effect::new(move |_| {
        let Some(host) = host.get() else { return };
        let nodes = show().into_iter().map(Node::El).collect();
        let held = held_focus(&host);
        mounted.try_update_value(|mounted| patch(&host, mounted, nodes));
        keep_focus(held);
    });
    view! { <div node_ref=host class=class></div> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_there_once_with_the_last_value() {
        let El(inner) = el("span").class("mark").attr("id", "a").class("mark status-failed");
        let attrs: Vec<_> = inner.attrs.iter().map(|(name, value)| (*name, &**value)).collect();
        assert_eq!(attrs, [("class", "mark status-failed"), ("id", "a")]);
    }
}
