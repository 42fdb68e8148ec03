//! Providers as data, and requests to them as plain values: what differs between them is in one table.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;
mod table;

use throughline_protocol::{ModelSettings, Refusal, nearest};
use throughline_value::{Map, Value};

use crate::retry::MAX_RETRIES;
use crate::{Request, Wire, schema};

pub use table::{PROVIDERS, Provider, Structured};

/// The most tokens of a reply where neither the request nor the settings say and the provider must know.
pub const DEFAULT_MAX_TOKENS: u32 = 4_096;

/// The context that Ollama is asked for when the settings do not say: its own default cuts prompts off.
pub const DEFAULT_CONTEXT: u32 = 8_192;

/// The longest name of a schema, in characters.
const MAX_FORMAT_NAME: usize = 64;

/// A request over HTTP. Its headers hold the key; so it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Http {
    /// The method.
    pub method: &'static str,
    /// The address; it never holds the key.
    pub url: String,
    /// The headers, in order.
    pub headers: Vec<(&'static str, String)>,
    /// The body; empty with `GET`.
    pub body: String,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} ({} bytes)", self.method, self.url, self.body.len())
    }
}

/// The provider of this name.
///
/// # Errors
/// `unknown-provider`, with the nearest name.
pub fn provider(name: &str) -> Result<&'static Provider, Refusal> {
    PROVIDERS.iter().find(|p| p.name == name).ok_or_else(|| {
        let names: Vec<&str> = PROVIDERS.iter().map(|p| p.name).collect();
        let refusal = Refusal::new(
            "unknown-provider",
            format!("there is no provider `{name}`; the providers are {}", names.join(", ")),
        )
        .at_path("/settings/provider");
        match nearest(name, &names) {
            Some(near) => refusal.suggest(format!("did you mean `{near}`?")),
            None => refusal,
        }
    })
}

/// Where requests of these settings go, without the operation.
///
/// # Errors
/// `unknown-provider`, `no-endpoint`, `bad-endpoint`, `key-in-endpoint`.
pub fn endpoint(settings: &ModelSettings) -> Result<String, Refusal> {
    let provider = provider(&settings.provider)?;
    let given = settings.endpoint.as_deref().unwrap_or("").trim();
    let text = if given.is_empty() { provider.endpoint } else { given };
    let refuse = |code: &str, message: &str| Err(Refusal::new(code, message).at_path("/settings/endpoint"));
    if text.is_empty() {
        return refuse("no-endpoint", "this provider has no address of its own; give one as `endpoint`");
    }
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest.filter(|rest| !rest.is_empty() && !rest.starts_with('/')) else {
        return refuse("bad-endpoint", "an endpoint begins with `https://` or `http://` and names a host");
    };
    if rest.split('/').next().is_some_and(|host| host.contains('@')) || rest.contains(['?', '#']) {
        return refuse(
            "key-in-endpoint",
            "an endpoint holds no user, no password, no question mark: addresses are logged; give the key as `key`",
        );
    }
    let text = text.trim_end_matches('/');
    let text = provider.wire.operation().iter().find_map(|op| text.strip_suffix(op)).unwrap_or(text);
    // A bare host gets the path that the provider's own address has.
    let bare = !rest.trim_end_matches('/').contains('/');
    Ok(if bare { format!("{text}{}", provider.base) } else { text.to_owned() })
}

impl Wire {
    /// The ends of addresses that name an operation and not the provider.
    fn operation(self) -> &'static [&'static str] {
        match self {
            Self::Chat => &["/chat/completions"],
            Self::Responses => &["/responses"],
            Self::Anthropic => &["/messages"],
            Self::Gemini => &[],
            Self::Ollama => &["/api/chat", "/api", "/v1"],
        }
    }
}

/// Whether these settings can be worked with: the address, the key's signs, and caps that can be held.
///
/// # Errors
/// As [`endpoint`]; `bad-key`, `bad-prices`, `bad-settings`, `too-many-retries`, `cap-without-prices`.
pub fn check(settings: &ModelSettings) -> Result<(), Refusal> {
    endpoint(settings)?;
    let refuse = |code: &str, path: &str, message: &str| Err(Refusal::new(code, message).at_path(path));
    // A header takes no others, and says so by quoting the key.
    if settings.key.as_ref().is_some_and(|key| !key.reveal().trim().chars().all(|c| c.is_ascii_graphic())) {
        let message = "a key is one run of letters, digits and signs; copy it again, without spaces or line breaks";
        return refuse("bad-key", "/settings/key", message);
    }
    let negative = |number: &throughline_value::Number| number.as_str().starts_with('-');
    let prices = settings.prices.iter().flat_map(|p| [Some(&p.prompt), Some(&p.completion), p.cached.as_ref()]);
    if prices.flatten().chain(&settings.spend_cap).any(negative) {
        return refuse("bad-prices", "/settings/prices", "prices and `spend_cap` are not below zero");
    }
    if settings.tool_calls.as_deref().is_some_and(|how| !matches!(how, "native" | "json")) {
        return refuse("bad-settings", "/settings/tool_calls", "`tool_calls` is `native` or `json`");
    }
    if settings.retries.is_some_and(|retries| retries > MAX_RETRIES) {
        let message = format!("at most {MAX_RETRIES} retries; a model that does not answer then will not");
        return refuse("too-many-retries", "/settings/retries", &message);
    }
    if settings.spend_cap.is_some() && settings.prices.is_none() {
        let message = "`spend_cap` needs `prices`: without them nobody knows what a request costs; or set `token_cap`";
        return refuse("cap-without-prices", "/settings/spend_cap", message);
    }
    Ok(())
}

/// The request as the provider wants it.
///
/// # Errors
/// As [`check`]; `no-model-name`.
pub fn http(settings: &ModelSettings, request: &Request) -> Result<Http, Refusal> {
    check(settings)?;
    let provider = provider(&settings.provider)?;
    let base = endpoint(settings)?;
    let model = if settings.model.is_empty() { request.model.as_str() } else { settings.model.as_str() };
    if model.is_empty() && !provider.local {
        let message = "name the model as `model`, as the provider spells it";
        return Err(Refusal::new("no-model-name", message).at_path("/settings/model"));
    }
    let mode = Structured::named(settings.structured.as_deref()).unwrap_or(provider.structured);
    let mut own = request.clone();
    let forced = own.tool_calls.is_some() && !own.tools.is_empty();
    // One way for one value: the tools, or the schema.
    match (own.tool_calls.as_deref(), settings.tool_calls.as_deref()) {
        (None, _) => {}
        (_, Some("json")) => own.tools.clear(),
        (Some("auto"), None) if !provider.native => own.tools.clear(),
        _ if forced => own.schema = None,
        _ => {}
    }
    let forced = forced && !own.tools.is_empty();
    let asked = Asked { provider, settings, request: &own, model, mode, forced };
    let (path, body) = match provider.wire {
        Wire::Chat => ("/chat/completions".to_owned(), chat::body(&asked)),
        Wire::Responses => ("/responses".to_owned(), responses::body(&asked)),
        Wire::Anthropic => ("/messages".to_owned(), anthropic::body(&asked)),
        Wire::Gemini => (format!("/models/{}:streamGenerateContent?alt=sse", path_name(model)), gemini::body(&asked)),
        Wire::Ollama => ("/api/chat".to_owned(), ollama::body(&asked)),
    };
    let mut headers = vec![("content-type", "application/json".to_owned())];
    authorise(&asked, &mut headers);
    Ok(Http { method: "POST", url: base + &path, headers, body: body.to_json() })
}

/// The request for the list of models: the cheapest one that proves address and key.
///
/// # Errors
/// As [`endpoint`].
pub fn models(settings: &ModelSettings) -> Result<Http, Refusal> {
    let provider = provider(&settings.provider)?;
    let request = Request::default();
    let mode = Structured::Prompt;
    let asked = Asked { provider, settings, request: &request, model: "", mode, forced: false };
    let mut headers = Vec::new();
    authorise(&asked, &mut headers);
    let path = if provider.wire == Wire::Ollama { "/api/tags" } else { "/models" };
    Ok(Http { method: "GET", url: endpoint(settings)? + path, headers, body: String::new() })
}

/// The names in a list of models, whatever its form.
#[must_use]
pub fn model_names(list: &Value) -> Vec<String> {
    let items = ["data", "models"].iter().find_map(|name| list.get(name).and_then(Value::as_list)).unwrap_or_default();
    let name = |item: &Value| {
        ["id", "name", "model"]
            .iter()
            .find_map(|n| item.get(n).and_then(Value::as_str))
            .map(|name| name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    items.iter().filter_map(name).collect()
}

/// Everything that a body is made from.
struct Asked<'a> {
    provider: &'a Provider,
    settings: &'a ModelSettings,
    request: &'a Request,
    model: &'a str,
    mode: Structured,
    /// Whether one of the tools is to be called, and one only.
    forced: bool,
}

impl Asked<'_> {
    /// The smaller of the request's limit and the person's.
    fn max_tokens(&self) -> Option<u32> {
        self.request.max_tokens.into_iter().chain(self.settings.max_tokens).min()
    }

    /// The schema to be sent as such, with what this provider does not know taken out.
    fn schema(&self) -> Option<Value> {
        let schema = self.request.schema.as_ref().filter(|_| self.mode == Structured::Schema)?;
        Some(if self.provider.grammar { schema::tighten(schema) } else { schema::reduce(schema) })
    }

    /// The first message for providers that take no schema: it stays the same from turn to turn, so that a
    /// cached beginning holds.
    fn schema_words(&self, sent: bool) -> Option<String> {
        let schema = self.request.schema.as_ref().filter(|_| !sent)?;
        let schema = schema.to_json();
        // The prompt may hold it already.
        if self.request.messages.iter().any(|m| m.text.contains(&schema)) {
            return None;
        }
        Some(format!("Answer with one JSON value that fits this JSON Schema, and nothing else:\n{schema}"))
    }

    fn messages(&self, sent: bool) -> Vec<(&str, String)> {
        let words = self.schema_words(sent).map(|words| ("system", words));
        words.into_iter().chain(self.request.messages.iter().map(|m| (m.role.as_str(), m.text.clone()))).collect()
    }

    fn put_temperature(&self, body: &mut Map, name: &str) {
        if let Some(temperature) = &self.settings.temperature {
            body.insert(name.to_owned(), Value::Number(temperature.clone()));
        }
    }
}

/// The system's words apart from the turns, with neighbours of one role joined.
fn split_system(messages: Vec<(&str, String)>) -> (String, Vec<(&str, String)>) {
    let mut system = String::new();
    let mut turns: Vec<(&str, String)> = Vec::new();
    for (role, text) in messages {
        let (last, into) = match (role, turns.last_mut()) {
            ("system" | "developer", _) => (!system.is_empty(), &mut system),
            (role, Some((before, last))) if *before == role => (true, last),
            _ => {
                turns.push((role, text));
                continue;
            }
        };
        if last {
            into.push_str("\n\n");
        }
        into.push_str(&text);
    }
    (system, turns)
}

fn authorise(asked: &Asked<'_>, headers: &mut Vec<(&'static str, String)>) {
    let key = asked.settings.key.as_ref().map(|key| key.reveal().trim()).filter(|key| !key.is_empty());
    if asked.provider.wire == Wire::Anthropic {
        headers.push(("anthropic-version", "2023-06-01".to_owned()));
        // Without it a browser is told nothing, not even why.
        headers.push(("anthropic-dangerous-direct-browser-access", "true".to_owned()));
    }
    if let Some(key) = key {
        headers.push(match asked.provider.wire {
            Wire::Anthropic => ("x-api-key", key.to_owned()),
            Wire::Gemini => ("x-goog-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        });
    }
}

/// A model's name in a path.
fn path_name(model: &str) -> String {
    let model = model.strip_prefix("models/").unwrap_or(model);
    model.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')).collect()
}

/// The name of a schema, of the signs and the length that providers take.
fn format_name(purpose: &str) -> Value {
    let sign = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = purpose.chars().take(MAX_FORMAT_NAME).map(sign).collect();
    Value::from(if name.is_empty() { "reply".to_owned() } else { name })
}

fn text(text: &str) -> Value {
    Value::from(text)
}

fn number(n: u32) -> Value {
    Value::from(u64::from(n))
}

/// The tools of a request, as a list of functions; none where there is none.
fn functions(asked: &Asked<'_>) -> Option<Value> {
    let one = |tool: &crate::Tool| {
        let function = Value::from([
            ("name", text(&tool.name)),
            ("description", text(&tool.description)),
            ("parameters", asked.parameters(&tool.schema)),
        ]);
        Value::from([("type", text("function")), ("function", function)])
    };
    let tools = &asked.request.tools;
    (!tools.is_empty()).then(|| Value::List(tools.iter().map(one).collect()))
}

impl Asked<'_> {
    /// The schema of a tool's arguments. A grammar is made of it, too, and long repetitions break the whole request.
    fn parameters(&self, schema: &Value) -> Value {
        let whole = parameters(schema);
        if self.provider.grammar { schema::tighten(&whole) } else { whole }
    }
}

/// The schema of a tool's arguments: an object where nothing is said.
fn parameters(schema: &Value) -> Value {
    if schema.as_map().is_some() { schema.clone() } else { Value::from([("type", "object")]) }
}
