//! The body of a plain chat completion.

pub use crate::stream::{MAX_BODY_BYTES, Stream};

use throughline_protocol::ModelSettings;
use throughline_value::Value;

use crate::{Request, provider};

/// The body of a streaming chat request. Its schema is reduced to what every provider accepts; the reply is
/// validated against the full one afterwards.
///
/// ```
/// use throughline_model::{Message, Request, openai};
/// let request = Request { model: "small".into(), ..Request::new("respond", vec![Message::new("user", "Hi")]) };
/// let body = openai::body(&request);
/// assert_eq!(body.at(&["messages", "0", "content"]).and_then(|v| v.as_str()), Some("Hi"));
/// assert_eq!(body.at(&["stream_options", "include_usage"]).and_then(|v| v.as_bool()), Some(true));
/// ```
#[must_use]
pub fn body(request: &Request) -> Value {
    let settings = ModelSettings {
        provider: "compatible".into(),
        endpoint: Some("http://localhost/v1".into()),
        ..ModelSettings::default()
    };
    let http = provider::http(&settings, request);
    http.ok().and_then(|http| throughline_value::json::read_value(&http.body).ok()).unwrap_or_default()
}
