//! Every obstacle between a page and a model, told apart by what a page can see.

use throughline_model::Ending;
use throughline_model::diagnose::{Facts, diagnose};
use throughline_protocol::ModelSettings;
use throughline_value::Value;

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.at(path).and_then(Value::as_str).unwrap_or_default()
}

/// What is seen, the code that it has, and words that its fix must hold in English.
#[track_caller]
fn check(settings: ModelSettings, facts: Facts, code: &str, fix: &str) {
    let found = diagnose(&settings, &facts);
    assert_eq!(text(&found, &["code"]), code, "{}", found.to_json());
    assert!(text(&found, &["fix", "en"]).contains(fix), "{}", found.to_json());
    assert!(!text(&found, &["title", "en"]).is_empty() && !text(&found, &["title", "zh"]).is_empty());
    assert!(!text(&found, &["fix", "zh"]).is_empty());
    assert!(!found.to_json().contains("sk-secret"), "a key is in a diagnosis");
}

fn settings(provider: &str, endpoint: &str) -> ModelSettings {
    let endpoint = (!endpoint.is_empty()).then(|| endpoint.to_owned());
    let key = Some("sk-secret-0123456789".into());
    ModelSettings { provider: provider.to_owned(), endpoint, model: "m-1".to_owned(), key, ..ModelSettings::default() }
}

/// A request that failed without an answer, from a page at `origin`.
fn silent(origin: &str) -> Facts {
    let failure = Some(("not-reachable".to_owned(), "Failed to fetch".to_owned()));
    Facts { origin: origin.to_owned(), online: Some(true), answers: Some(false), failure, ..Facts::default() }
}

fn said(code: &str, message: &str) -> Facts {
    let ending = Ending::Failed { code: code.to_owned(), message: message.to_owned(), retryable: false };
    Facts { ending: Some(ending), ..Facts::default() }
}

#[test]
fn what_a_browser_stops_is_told_apart_in_the_order_in_which_it_stops_it() {
    const PAGE: &str = "https://page.example";
    let remote = || settings("openai", "");
    let policy = Facts { policy: Some("connect-src".to_owned()), online: Some(false), ..silent(PAGE) };
    check(remote(), policy, "own-policy", "connect-src");
    check(
        settings("vllm", "http://models.example:8000"),
        silent(PAGE),
        "mixed-content",
        "https for http://models.example:8000/v1",
    );
    check(remote(), Facts { online: Some(false), ..silent(PAGE) }, "offline", "Connect");
    let denied = Facts { permission: Some("denied".to_owned()), ..silent(PAGE) };
    check(settings("ollama", ""), denied.clone(), "local-permission", "https://page.example");
    check(settings("lm-studio", "http://192.168.1.7:1234"), Facts { ..denied }, "mixed-content", "https");
    let from_here = Facts { permission: Some("denied".to_owned()), ..silent("http://localhost:8080") };
    check(settings("ollama", ""), from_here, "not-running", "ollama serve");
    let answers = || Facts { answers: Some(true), ..silent(PAGE) };
    check(settings("ollama", ""), answers(), "cors", "OLLAMA_ORIGINS=https://page.example");
    check(settings("lm-studio", ""), answers(), "cors", "lms server start --cors");
    check(settings("vllm", ""), answers(), "cors", "--allowed-origins");
    check(settings("llama-cpp", ""), answers(), "cors", "--cors-origins https://page.example");
    check(settings("anthropic", ""), answers(), "cors", "organisation");
    check(settings("compatible", "https://models.example/v1"), answers(), "cors", "Access-Control-Allow-Origin");
    check(settings("llama-cpp", ""), silent(PAGE), "not-running", "llama-server");
    let late = Facts { failure: Some(("timed-out".to_owned(), "no answer".to_owned())), ..silent(PAGE) };
    check(remote(), late, "timed-out", "first_byte_ms");
    // Outside of browsers nobody asks for permissions.
    check(settings("ollama", ""), silent(""), "not-running", "11434");
}

#[test]
fn what_a_provider_says_is_told_with_the_place_where_it_is_mended() {
    check(settings("openai", ""), said("unauthorized", "bad key"), "key", "platform.openai.com/api-keys");
    check(settings("anthropic", ""), said("unauthorized", "invalid x-api-key"), "key", "console.anthropic.com");
    let cors = said("unauthorized", "CORS requests are not allowed for this Organization because of its settings");
    check(settings("anthropic", ""), cors, "cors", "OpenRouter");
    check(
        settings("gemini", ""),
        said("bad-request", "API key not valid. Please pass a valid API key."),
        "key",
        "aistudio",
    );
    let none = ModelSettings { key: None, ..settings("openrouter", "") };
    check(none, said("unauthorized", "No auth credentials found"), "key-missing", "Sign in");
    check(settings("openai", ""), said("quota-exceeded", "You exceeded your current quota"), "quota", "billing");
    check(settings("deepseek", ""), said("rate-limited", "slow"), "rate-limited", "minute");
    let keyless = ModelSettings { key: None, ..settings("ollama", "") };
    check(keyless, said("forbidden", "403"), "cors", "OLLAMA_ORIGINS");
    let listed = Facts { models: Some(vec!["m-2".to_owned(), "other".to_owned()]), ..said("model-not-found", "no") };
    check(settings("openai", ""), listed.clone(), "model-name", "`m-2`");
    check(settings("ollama", ""), listed, "model-name", "ollama pull m-1");
    // Without a list nothing is suggested, and least of all the name that was refused.
    check(settings("openai", ""), said("model-not-found", "no"), "model-name", "spells `m-1`");
    check(settings("ollama", ""), said("model-not-found", "no"), "model-name", "ollama pull m-1");
    check(settings("compatible", "https://a.example"), said("model-not-found", "<html>404</html>"), "other", "address");
    let parameter = "Unsupported parameter: 'max_tokens' is not supported with this model.";
    check(settings("openai", ""), said("bad-request", parameter), "other", "Read what it said");
    check(settings("glm", ""), said("bad-request", "模型不存在，请检查模型代码"), "model-name", "m-1");
    check(settings("ollama", ""), said("forbidden", "the answer was empty"), "cors", "OLLAMA_ORIGINS");
    let failure = Some(("bad-key".to_owned(), "a key is one run".to_owned()));
    check(settings("openai", ""), Facts { failure, ..Facts::default() }, "key", "platform.openai.com/api-keys");
    check(settings("ollama", ""), said("context-full", "too long"), "context", "`context`");
    check(settings("kimi", ""), said("overloaded", "busy"), "server-error", "later");
    check(settings("nobody", ""), Facts::default(), "bad-settings", "provider");
    check(settings("compatible", ""), Facts::default(), "bad-settings", "address");
    check(settings("openai", ""), Facts { ending: Some(Ending::Truncated), ..Facts::default() }, "ok", "Nothing");
    check(settings("openai", ""), said("unknown-ending", "?"), "other", "interface");
}

#[test]
fn settings_that_cannot_be_worked_with_are_refused_without_a_request() {
    use throughline_model::provider;
    use throughline_protocol::Prices;
    use throughline_value::Number;
    #[track_caller]
    fn check(change: impl FnOnce(&mut ModelSettings), expected: Option<&str>) {
        let mut settings = settings("openai", "");
        change(&mut settings);
        let found = provider::check(&settings).err();
        assert_eq!(found.as_ref().map(|refusal| refusal.code.as_str()), expected);
        assert!(found.is_none_or(|refusal| !refusal.to_string().contains("sk-")), "a key is in a refusal");
    }
    let number = |text: &str| Number::parse(text).unwrap();
    let prices = |prompt: &str| Some(Prices { prompt: number(prompt), completion: number("1"), cached: None });
    check(|_| {}, None);
    check(|s| s.key = Some("  sk-secret-0123456789\n".into()), None);
    check(|s| s.key = Some("sk-secret\n0123456789".into()), Some("bad-key"));
    check(|s| s.key = Some("sk-secret-钥匙".into()), Some("bad-key"));
    check(|s| s.spend_cap = Some(number("1")), Some("cap-without-prices"));
    check(|s| (s.spend_cap, s.prices) = (Some(number("1")), prices("1")), None);
    check(|s| (s.spend_cap, s.prices) = (Some(number("-1")), prices("1")), Some("bad-prices"));
    check(|s| s.prices = prices("-1"), Some("bad-prices"));
}
