//! What a person is told: by code, and by provider where that matters. English and Chinese.

type Both = (&'static str, &'static str);

/// The title and the fix of a code for a provider.
pub(super) fn find(code: &str, provider: &str) -> (Both, Both) {
    let title = TITLES.iter().find(|(c, ..)| *c == code).map_or(("", ""), |(_, en, zh)| (*en, *zh));
    let of = |wanted: &str| FIXES.iter().find(|(c, p, ..)| *c == code && *p == wanted);
    let fix = of(provider).or_else(|| of("")).map_or(("", ""), |(_, _, en, zh)| (*en, *zh));
    (title, fix)
}

/// Every code with its title.
pub(super) const TITLES: &[(&str, &str, &str)] = &[
    ("ok", "The model answers", "模型可以应答"),
    ("offline", "This device has no network", "设备没有联网"),
    ("own-policy", "This page's own policy forbids the address", "本页面自身的安全策略不允许该地址"),
    ("mixed-content", "A secure page may not call an unencrypted address", "安全页面不能访问未加密的地址"),
    ("local-permission", "The browser has not allowed the local network", "浏览器尚未允许访问本地网络"),
    ("cors", "The server answers, but not to pages from here", "服务器在运行，但不接受来自本页面的请求"),
    ("not-running", "Nobody answers at this address", "该地址没有应答"),
    ("timed-out", "The server takes too long", "服务器响应超时"),
    ("key-missing", "A key is needed", "需要密钥"),
    ("key", "The key is not accepted", "密钥未被接受"),
    ("forbidden", "The key may not do this", "该密钥没有权限"),
    ("quota", "The account has no credit left", "账户余额不足"),
    ("rate-limited", "Too many requests for now", "请求过于频繁"),
    ("model-unlisted", "The provider has no model of this name", "提供方没有这个名称的模型"),
    ("model-name", "The provider has no model of this name", "提供方没有这个名称的模型"),
    ("context", "The prompt is longer than the model's context", "提示词超出了模型的上下文长度"),
    ("server-error", "The provider has a fault of its own", "提供方自身出现故障"),
    ("bad-settings", "The settings are not complete", "设置不完整"),
    ("other", "The provider answered with something else", "提供方给出了其他答复"),
];

/// What to do, by code and provider; an empty provider stands for all others.
pub(super) const FIXES: &[(&str, &str, &str, &str)] = &[
    ("ok", "", "Nothing to do.", "无需处理。"),
    ("offline", "", "Connect, or use a model on this machine or a cassette.", "请联网，或改用本机模型或录制的回放。"),
    (
        "own-policy",
        "",
        "Add {endpoint} to `connect-src` of the page's Content-Security-Policy and load the page again.",
        "把 {endpoint} 加入页面 Content-Security-Policy 的 `connect-src`，然后重新加载。",
    ),
    (
        "mixed-content",
        "",
        "Use https for {endpoint}, or run the server on this machine as http://localhost, or open this page from http://localhost.",
        "让 {endpoint} 使用 https，或在本机以 http://localhost 运行服务器，或从 http://localhost 打开本页面。",
    ),
    (
        "local-permission",
        "",
        "Allow “local network” for {origin} beside the address bar and try again; a page from http://localhost needs no permission.",
        "请在地址栏旁为 {origin} 允许“本地网络”，然后重试；从 http://localhost 打开的页面无需授权。",
    ),
    (
        "cors",
        "",
        "Let the server at {endpoint} send `Access-Control-Allow-Origin: {origin}`, or put a server of your own in between.",
        "让 {endpoint} 的服务器返回 `Access-Control-Allow-Origin: {origin}`，或在中间架设自己的服务器。",
    ),
    (
        "cors",
        "ollama",
        "Start Ollama with OLLAMA_ORIGINS={origin} and restart it.",
        "设置 OLLAMA_ORIGINS={origin} 后重启 Ollama。",
    ),
    (
        "cors",
        "lm-studio",
        "Run `lms server start --cors`, or switch CORS on in LM Studio's Developer tab.",
        "运行 `lms server start --cors`，或在 LM Studio 的 Developer 页打开 CORS。",
    ),
    (
        "cors",
        "vllm",
        "Start vLLM with --allowed-origins '[\"{origin}\"]'.",
        "启动 vLLM 时加上 --allowed-origins '[\"{origin}\"]'。",
    ),
    (
        "cors",
        "llama-cpp",
        "Start llama-server with --cors-origins {origin}; with server tools or MCP on it only answers pages of this machine.",
        "启动 llama-server 时加上 --cors-origins {origin}；开启服务器工具或 MCP 后它只应答本机页面。",
    ),
    (
        "cors",
        "anthropic",
        "This organisation does not allow requests from browsers: allow them in its settings, use a key of another organisation, or go by OpenRouter.",
        "该组织不允许来自浏览器的请求：请在组织设置中允许，换用其他组织的密钥，或改走 OpenRouter。",
    ),
    (
        "not-running",
        "",
        "Check the address {endpoint}: its host, port and path, and that the server is up.",
        "请检查地址 {endpoint} 的主机、端口和路径，并确认服务器已启动。",
    ),
    (
        "not-running",
        "ollama",
        "Start it with `ollama serve`; it listens at http://localhost:11434.",
        "运行 `ollama serve`；它监听 http://localhost:11434。",
    ),
    (
        "not-running",
        "lm-studio",
        "Start its server with `lms server start --cors`; it listens at http://localhost:1234.",
        "运行 `lms server start --cors`；它监听 http://localhost:1234。",
    ),
    (
        "not-running",
        "llama-cpp",
        "Start it with `llama-server -m model.gguf`; it listens at http://localhost:8080.",
        "运行 `llama-server -m model.gguf`；它监听 http://localhost:8080。",
    ),
    (
        "not-running",
        "vllm",
        "Start it with `vllm serve {model}`; it listens at http://localhost:8000.",
        "运行 `vllm serve {model}`；它监听 http://localhost:8000。",
    ),
    (
        "timed-out",
        "",
        "Try again, or raise `first_byte_ms`; a model on this machine may still be loading.",
        "请重试，或调大 `first_byte_ms`；本机模型可能还在加载。",
    ),
    ("key-missing", "", "Give a key for {provider}.", "请填写 {provider} 的密钥。"),
    (
        "key-missing",
        "openrouter",
        "Sign in with OpenRouter, or make a key at https://openrouter.ai/keys.",
        "用 OpenRouter 登录，或在 https://openrouter.ai/keys 创建密钥。",
    ),
    (
        "key",
        "",
        "Copy the key again; it may be cut short, revoked, or of another provider.",
        "请重新复制密钥；它可能不完整、已吊销，或属于别的提供方。",
    ),
    (
        "key",
        "openai",
        "Make a new key at https://platform.openai.com/api-keys.",
        "在 https://platform.openai.com/api-keys 创建新密钥。",
    ),
    (
        "key",
        "openai-responses",
        "Make a new key at https://platform.openai.com/api-keys.",
        "在 https://platform.openai.com/api-keys 创建新密钥。",
    ),
    (
        "key",
        "anthropic",
        "Make a new key at https://console.anthropic.com/settings/keys.",
        "在 https://console.anthropic.com/settings/keys 创建新密钥。",
    ),
    (
        "key",
        "gemini",
        "Make a new key at https://aistudio.google.com/apikey.",
        "在 https://aistudio.google.com/apikey 创建新密钥。",
    ),
    ("key", "openrouter", "Sign in with OpenRouter again.", "请重新用 OpenRouter 登录。"),
    (
        "key",
        "deepseek",
        "Make a new key at https://platform.deepseek.com/api_keys.",
        "在 https://platform.deepseek.com/api_keys 创建新密钥。",
    ),
    (
        "forbidden",
        "",
        "Give the key the right to use {model}, or use another key.",
        "为该密钥开通 {model} 的权限，或换用其他密钥。",
    ),
    ("quota", "", "Add credit or raise the key's limit at the provider.", "请在提供方充值或提高密钥限额。"),
    (
        "quota",
        "openai",
        "Add credit at https://platform.openai.com/settings/organization/billing.",
        "在 https://platform.openai.com/settings/organization/billing 充值。",
    ),
    (
        "quota",
        "openrouter",
        "Add credit at https://openrouter.ai/credits, or raise the key's own limit.",
        "在 https://openrouter.ai/credits 充值，或提高密钥自身的限额。",
    ),
    (
        "quota",
        "anthropic",
        "Add credit at https://console.anthropic.com/settings/billing.",
        "在 https://console.anthropic.com/settings/billing 充值。",
    ),
    (
        "rate-limited",
        "",
        "Wait a minute and try again; a higher tier allows more.",
        "请稍候一分钟再试；更高的等级允许更多请求。",
    ),
    (
        "model-unlisted",
        "",
        "Check how {provider} spells `{model}`, that the key may use it, and that {endpoint} is the right address.",
        "请核对 {provider} 对 `{model}` 的拼写、密钥是否有权使用它，以及地址 {endpoint} 是否正确。",
    ),
    (
        "model-unlisted",
        "ollama",
        "Fetch it with `ollama pull {model}`; `ollama list` says which are there.",
        "运行 `ollama pull {model}` 下载；`ollama list` 会列出已有的模型。",
    ),
    (
        "model-name",
        "",
        "Use a name that the provider lists, such as `{near}`.",
        "请使用提供方列出的名称，例如 `{near}`。",
    ),
    (
        "model-name",
        "ollama",
        "Fetch it with `ollama pull {model}`, or use one that is there, such as `{near}`.",
        "运行 `ollama pull {model}` 下载，或使用已有的模型，例如 `{near}`。",
    ),
    (
        "context",
        "",
        "Shorten the prompt, or start the server with a larger context.",
        "请缩短提示词，或让服务器使用更大的上下文。",
    ),
    (
        "context",
        "ollama",
        "Raise `context` in these settings; Ollama's own default is small.",
        "请调大设置中的 `context`；Ollama 的默认值很小。",
    ),
    ("server-error", "", "Try again later, or use another model.", "请稍后重试，或换用其他模型。"),
    ("bad-settings", "", "Choose a provider, its address and a model.", "请选择提供方、地址和模型。"),
    (
        "other",
        "",
        "Read what it said, and check that {endpoint} is the address of its interface.",
        "请查看它的答复，并确认 {endpoint} 是其接口地址。",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_title_and_a_fix_in_both_languages() {
        for (code, en, zh) in TITLES {
            assert!(!en.is_empty() && !zh.is_empty(), "{code}");
            let ((_, _), (en, zh)) = find(code, "nobody");
            assert!(!en.is_empty() && !zh.is_empty(), "{code}");
        }
        for (code, provider, ..) in FIXES {
            assert!(TITLES.iter().any(|(c, ..)| c == code), "{code}");
            assert!(provider.is_empty() || crate::provider::provider(provider).is_ok(), "{provider}");
        }
    }
}
