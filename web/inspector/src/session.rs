//! One opened journal, talked to in the words of the session protocol: JSON text out, JSON text back.

use std::rc::Rc;

use serde::de::DeserializeOwned;
use throughline_protocol::session::{Ask, Execute};
use throughline_protocol::{Done, Meta, Refusal, Tagged};
use throughline_value::{Value, from_value, json, to_value};
use wasm_bindgen::prelude::*;

use crate::bridge;

/// What the npm package calls after every change.
type Listener = Rc<Closure<dyn Fn(f64, bool)>>;

/// An opened journal. Clones are the same session.
#[derive(Clone)]
pub(crate) struct Session {
    js: JsValue,
    // Kept alive for as long as the session may speak.
    _listener: Option<Listener>,
}

/// How a journal is opened; the text is what the npm package's `open` takes.
pub(crate) struct Options<'a> {
    pub(crate) name: &'a str,
    pub(crate) in_memory: bool,
    /// The session's own clock starts here; the machine's clock is followed when absent.
    pub(crate) clock: Option<i64>,
}

impl Session {
    /// Opens a journal; `changed` gets the last record whenever it grew, and whether another session made it.
    pub(crate) async fn open(options: Options<'_>, changed: impl Fn(u64, bool) + 'static) -> Result<Self, Refusal> {
        let storage = if options.in_memory { "memory" } else { "indexeddb" };
        let mut map =
            vec![("name".to_owned(), Value::from(options.name)), ("storage".to_owned(), Value::from(storage))];
        if let Some(clock) = options.clock {
            map.push(("clock".to_owned(), Value::from(clock)));
        }
        let text = Value::Map(map.into_iter().collect()).to_json();
        let js = bridge::open_session(&text).await.map_err(|error| refusal(&error))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a record's number")]
        let listener = Closure::<dyn Fn(f64, bool)>::new(move |seq: f64, foreign: bool| changed(seq as u64, foreign));
        bridge::on_change(&js, listener.as_ref());
        Ok(Self { js, _listener: Some(Rc::new(listener)) })
    }

    /// A session that somebody else has opened, and closes.
    pub(crate) fn shared(js: JsValue) -> Self {
        Self { js, _listener: None }
    }

    /// The npm package's own object.
    pub(crate) fn js(&self) -> &JsValue {
        &self.js
    }

    /// One call of the protocol and its result.
    pub(crate) async fn call(&self, call: impl Tagged) -> Result<Value, Refusal> {
        self.call_text(call.tagged().to_json()).await
    }

    async fn call_text(&self, text: String) -> Result<Value, Refusal> {
        let answer = bridge::request(&self.js, &text).await.map_err(|error| refusal(&error))?;
        Ok(json::read_value(&answer.as_string().unwrap_or_default())?)
    }

    /// Answers a query.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, query: impl Tagged) -> Result<T, Refusal> {
        let value = self.ask_value(&query.tagged()).await?;
        Ok(from_value(&value)?)
    }

    /// Answers a query with a value that is not read yet.
    pub(crate) async fn ask_value(&self, query: &Value) -> Result<Value, Refusal> {
        self.call(Ask { query: query.to_json() }).await
    }

    /// Runs a command given as a value; a refusal is an error here.
    pub(crate) async fn execute(&self, command: &Value, meta: Meta) -> Result<Value, Refusal> {
        let value = self.call(Execute { command: command.to_json(), meta }).await?;
        Ok(from_value::<Done>(&value)?.result)
    }

    /// Ends the session; what is under way is waited for.
    pub(crate) async fn close(&self) {
        // Whether it ended well or was gone already: either way it is closed.
        let _ = bridge::close_session(&self.js).await;
    }
}

/// A journal that is stored here.
#[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct Stored {
    /// Its name.
    pub(crate) name: String,
    /// Its last record.
    pub(crate) seq: u64,
    /// Why it cannot be read, as a code.
    pub(crate) error: Option<String>,
}

/// The journals stored here.
pub(crate) async fn stored() -> Result<Vec<Stored>, Refusal> {
    let text = bridge::list_journals().await.map_err(|error| refusal(&error))?.as_string().unwrap_or_default();
    Ok(from_value(&json::read_value(&text)?)?)
}

/// Removes a stored journal for good.
pub(crate) async fn delete(name: &str) -> Result<(), Refusal> {
    bridge::delete_journal(name).await.map_err(|error| refusal(&error))
}

/// A file beside the page.
pub(crate) async fn file(path: &str) -> Result<String, Refusal> {
    Ok(bridge::fetch_text(path).await.map_err(|error| refusal(&error))?.as_string().unwrap_or_default())
}

/// A refusal from what JavaScript threw: the package's errors carry a code and details.
pub(crate) fn refusal(error: &JsValue) -> Refusal {
    let field = |name: &str| js_sys::Reflect::get(error, &JsValue::from_str(name)).ok().filter(|v| !v.is_undefined());
    let text = |name: &str| field(name).and_then(|value| value.as_string());
    let code = text("code").unwrap_or_else(|| "page-error".to_owned());
    let message = text("message").or_else(|| error.as_string()).unwrap_or_else(|| code.clone());
    // The package's errors bring the whole refusal with them.
    let whole = field("details")
        .and_then(|details| js_sys::JSON::stringify(&details).ok())
        .and_then(|text| text.as_string())
        .and_then(|text| json::read_value(&text).ok())
        .and_then(|value| from_value::<Refusal>(&value).ok());
    whole.unwrap_or_else(|| Refusal::new(&code, message))
}

/// A command as a value, with its type first.
pub(crate) fn command(name: &str, fields: &[(&str, Value)]) -> Value {
    let fields = fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    Value::Map(std::iter::once(("type".to_owned(), Value::from(name))).chain(fields).collect())
}

/// A view as a value, to show it raw.
pub(crate) fn raw<T: serde::Serialize>(view: &T) -> String {
    to_value(view).map(|value| json::write_pretty(&value)).unwrap_or_default()
}
