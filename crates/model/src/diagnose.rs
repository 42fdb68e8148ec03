//! Why a model cannot be reached, and what to do about it: from what a browser lets a page know.
//!
//! To a page a refused origin, a server that does not run, a denied permission and its own policy are one and
//! the same error. So the rim gathers what it can see around the request, and this tells them apart.

mod texts;

use throughline_protocol::{ModelSettings, nearest};
use throughline_value::{Map, Value};

use crate::{Ending, provider};

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The page's origin: `https://example.org`; empty outside of browsers.
    pub origin: String,
    /// Whether the browser says that it has a network.
    pub online: Option<bool>,
    /// The permission for servers on this machine or in the local network: `granted`, `denied`, `prompt`.
    pub permission: Option<String>,
    /// The directive of the page's own policy that stopped the request.
    pub policy: Option<String>,
    /// Whether the server answered a request that needs nobody's consent.
    pub answers: Option<bool>,
    /// What the transport said, where the request failed without an answer.
    pub failure: Option<(String, String)>,
    /// How the answer ended, where there was one.
    pub ending: Option<Ending>,
    /// The models that the provider lists; none when they were not asked for.
    pub models: Option<Vec<String>>,
}

/// The diagnosis: `ok`, `code`, `title`, `fix`, `provider`, `endpoint` and `message`, the texts in English and
/// Chinese. Codes: `ok`, `offline`, `own-policy`, `mixed-content`, `local-permission`, `cors`, `not-running`,
/// `timed-out`, `key-missing`, `key`, `forbidden`, `quota`, `rate-limited`, `model-name`, `context`,
/// `server-error`, `bad-settings`, `other`.
#[must_use]
pub fn diagnose(settings: &ModelSettings, facts: &Facts) -> Value {
    let endpoint = provider::endpoint(settings).unwrap_or_default();
    let code = code(settings, &endpoint, facts);
    let code = if code == "model-name" && !listed(facts) { "model-unlisted" } else { code };
    let near = facts.models.as_ref().and_then(|models| {
        let names: Vec<&str> = models.iter().map(String::as_str).collect();
        nearest(&settings.model, &names).or(names.first().copied()).map(str::to_owned)
    });
    let fill = |text: &str| {
        let model = if settings.model.is_empty() { "…" } else { &settings.model };
        text.replace("{endpoint}", &endpoint)
            .replace("{origin}", if facts.origin.is_empty() { "*" } else { &facts.origin })
            .replace("{provider}", &settings.provider)
            .replace("{near}", near.as_deref().unwrap_or(model))
            .replace("{model}", model)
    };
    let both = |(en, zh): (&str, &str)| Value::from([("en", fill(en)), ("zh", fill(zh))]);
    let (title, fix) = texts::find(code, &settings.provider);
    let code = if code == "model-unlisted" { "model-name" } else { code };
    let message = match (&facts.ending, &facts.failure) {
        (Some(Ending::Failed { code, message, .. }), _) => format!("{code}: {message}"),
        (_, Some((code, message))) => format!("{code}: {message}"),
        (Some(ending), None) => ending.name().to_owned(),
        (None, None) => String::new(),
    };
    let mut out = Map::new();
    out.insert("ok".into(), Value::Bool(code == "ok"));
    out.insert("code".into(), code.into());
    out.insert("title".into(), both(title));
    out.insert("fix".into(), both(fix));
    out.insert("provider".into(), settings.provider.as_str().into());
    out.insert("endpoint".into(), endpoint.as_str().into());
    out.insert("model".into(), settings.model.as_str().into());
    out.insert("message".into(), message.into());
    if let Some(models) = &facts.models {
        out.insert("models".into(), Value::from(models.clone()));
    }
    Value::Map(out)
}

/// Whether the provider gave a list of its models to choose from.
fn listed(facts: &Facts) -> bool {
    facts.models.as_ref().is_some_and(|models| !models.is_empty())
}

/// Whether a message blames the model's name, and not what was asked of the model.
fn blames_the_name(message: &str) -> bool {
    let message = message.to_lowercase();
    let faults =
        ["not exist", "not found", "unknown", "invalid model", "not a valid model", "no such", "model name", "不存在"];
    message.contains("model") && faults.iter().any(|fault| message.contains(fault)) || message.contains("模型不存在")
}

fn code(settings: &ModelSettings, endpoint: &str, facts: &Facts) -> &'static str {
    let Ok(provider) = provider::provider(&settings.provider) else { return "bad-settings" };
    if endpoint.is_empty() {
        return "bad-settings";
    }
    let has_key = settings.key.as_ref().is_some_and(|key| !key.reveal().trim().is_empty());
    if let Some((code, _)) = &facts.failure {
        // In the order in which a browser stops a request.
        if facts.policy.is_some() {
            return "own-policy";
        }
        if code == "timed-out" {
            return "timed-out";
        }
        if code == "bad-key" {
            return "key";
        }
        if provider::provider(code).is_ok() || crate::retry::is_final(code) && code != "not-reachable" {
            return "bad-settings";
        }
        let local = is_local(endpoint);
        if facts.origin.starts_with("https:") && endpoint.starts_with("http:") && !is_loopback(endpoint) {
            return "mixed-content";
        }
        if facts.online == Some(false) && !local {
            return "offline";
        }
        if local && matches!(facts.permission.as_deref(), Some("denied" | "prompt")) && !is_local(&facts.origin) {
            return "local-permission";
        }
        return if facts.answers == Some(true) { "cors" } else { "not-running" };
    }
    let unlisted = facts.models.as_ref().is_some_and(|models| {
        !models.is_empty() && !settings.model.is_empty() && !models.iter().any(|m| same_model(m, &settings.model))
    });
    match &facts.ending {
        Some(Ending::Failed { code, message, .. }) => match code.as_str() {
            "unauthorized" if message.contains("CORS") => "cors",
            "unauthorized" if has_key => "key",
            "unauthorized" => "key-missing",
            "forbidden" if provider.local => "cors",
            "forbidden" => "forbidden",
            "quota-exceeded" => "quota",
            "rate-limited" => "rate-limited",
            // A page instead of an answer: there is no such interface at this address.
            "model-not-found" if message.trim_start().starts_with('<') && !listed(facts) => "other",
            "model-not-found" => "model-name",
            "context-full" => "context",
            "timed-out" => "timed-out",
            "bad-request" if message.to_lowercase().contains("api key") => "key",
            "bad-request" if unlisted || blames_the_name(message) => "model-name",
            "server-error" | "overloaded" => "server-error",
            "no-model-name" => "model-name",
            _ => "other",
        },
        _ if unlisted => "model-name",
        Some(Ending::Interrupted) => "other",
        _ => "ok",
    }
}

fn same_model(listed: &str, wanted: &str) -> bool {
    listed == wanted || listed.strip_suffix(":latest") == Some(wanted)
}

fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    if authority.starts_with('[') {
        return authority.split_inclusive(']').next().unwrap_or("");
    }
    authority.split(':').next().unwrap_or("")
}

fn is_loopback(address: &str) -> bool {
    let host = host(address);
    host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.") || host == "[::1]"
}

/// Whether an address is on this machine or in the local network.
fn is_local(address: &str) -> bool {
    let host = host(address);
    let private = |prefix: &str| host.starts_with(prefix) && host.split('.').all(|p| p.parse::<u8>().is_ok());
    let second = host.strip_prefix("172.").and_then(|rest| rest.split('.').next()?.parse::<u8>().ok());
    is_loopback(address)
        || host.ends_with(".local")
        || private("10.")
        || private("192.168.")
        || private("169.254.")
        || second.is_some_and(|n| (16..32).contains(&n))
}
