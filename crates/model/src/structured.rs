//! The one JSON value of a reply.
//!
//! A reply has two channels: free thinking, kept for the audit, and one JSON value, the only part that
//! counts. The whole text is parsed first; what is valid is taken as it is. Otherwise the text outside of
//! thinking is searched for balanced values, each is parsed and checked against the schema, and the one that
//! fits is taken. Only then are coercions tried (listed, never in strict mode) and last the repair of a
//! single candidate, and never when the text may have been cut off. A refusal in words, or the schema sent
//! back, never becomes data.

mod coerce;
mod refusal;
mod repair;
mod scan;

use throughline_value::{Error, InOrder as _, Span, Value, json};

use crate::{Reply, schema};

pub use coerce::{Coercion, fit};
pub(crate) use scan::Balance;
pub use scan::{MAX_SCAN_DEPTH, MAX_SCAN_STARTS};

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// No coercion and no repair.
    pub strict: bool,
    /// Whether the text ended well; what may have been cut off is never repaired.
    pub complete: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { strict: false, complete: true }
    }
}

/// Something to know about how a value was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable code: `skipped-text`, `stripped-fence`, `skipped-value`, `not-json`, `schema-not-checked`,
    /// `search-limited`, and those of repairs: `trailing-comma`, `missing-comma`, `missing-colon`, `comment`, `quote`,
    /// `bare-name`, `bare-text`, `other-word`, `other-number`, `other-brackets`, `ellipsis`, `raw-control`,
    /// `bad-escape`, `wide-mark`, `wrong-bracket`,
    /// `closed-at-end`.
    pub code: &'static str,
    /// Where in the text, in bytes.
    pub span: Span,
    /// What was found, or done.
    pub message: String,
}

/// The value of a reply, and how it was come by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structured {
    /// The value; it fits the schema.
    pub value: Value,
    /// Where it stood in the text.
    pub span: Span,
    /// What the model thought, when it stood in the text.
    pub thinking: String,
    /// What was passed over or repaired.
    pub diagnostics: Vec<Diagnostic>,
    /// What was changed to make it fit.
    pub coercions: Vec<Coercion>,
    /// Whether its text was not valid JSON and was repaired.
    pub repaired: bool,
}

/// Why a text gives no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// A stable code: `no-json`, `invalid-json`, `schema-mismatch`, `schema-echoed`, `ambiguous-json`,
    /// `refused-in-words`, or those of [`Reply::usable`].
    pub code: &'static str,
    /// What was wrong and what to do.
    pub message: String,
    /// How the best candidate does not fit.
    pub problems: Vec<schema::Problem>,
    /// What was passed over.
    pub diagnostics: Vec<Diagnostic>,
    /// What the model thought, when it stood in the text.
    pub thinking: String,
}

impl Unusable {
    /// What to tell the model when it is asked again: the code's sentence and every problem with its place.
    #[must_use]
    pub fn advice(&self) -> String {
        let mut out = self.message.clone();
        for problem in &self.problems {
            let place = if problem.path.is_empty() { "the value itself" } else { &problem.path };
            out.push_str(&format!("\n- at {place}: {}", problem.message));
        }
        out
    }
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.advice())
    }
}

impl std::error::Error for Unusable {}

/// The value of a reply that ended well.
///
/// # Errors
/// As [`read`], and those of [`Reply::usable`] for a reply that did not end well.
pub fn read_reply(reply: &Reply, schema: &Value, strict: bool) -> Result<Structured, Unusable> {
    if let Err(error) = reply.usable() {
        return Err(Unusable {
            code: error.code(),
            message: error.message().to_owned(),
            problems: Vec::new(),
            diagnostics: Vec::new(),
            thinking: reply.thinking.clone(),
        });
    }
    let with_thinking = |own: String| match (reply.thinking.is_empty(), own.is_empty()) {
        (true, _) => own,
        (false, true) => reply.thinking.clone(),
        (false, false) => format!("{}\n{own}", reply.thinking),
    };
    match read(&reply.text, schema, Rules { strict, complete: true }) {
        Ok(found) => Ok(Structured { thinking: with_thinking(found.thinking.clone()), ..found }),
        Err(bad) => Err(Unusable { thinking: with_thinking(bad.thinking.clone()), ..bad }),
    }
}

/// The one value in a text that fits the schema.
///
/// ```
/// use throughline_model::structured::{Rules, read};
/// use throughline_value::json;
/// let schema = json::read_value(r#"{"type": "object", "required": ["ok"]}"#)?;
/// let found = read("Using {a, b}: {\"ok\": true} {done}.", &schema, Rules::default()).unwrap();
/// assert_eq!(found.value.to_json(), r#"{"ok":true}"#);
/// assert!(!found.repaired && found.coercions.is_empty());
/// # Ok::<(), throughline_value::Error>(())
/// ```
///
/// # Errors
/// `no-json`, `invalid-json`, `schema-mismatch`, `schema-echoed`, `ambiguous-json`, `refused-in-words`.
pub fn read(text: &str, schema: &Value, rules: Rules) -> Result<Structured, Unusable> {
    let mut reading = Reading { text, schema, rules, thinking: String::new(), diagnostics: Vec::new() };
    for path in schema::unsupported(schema) {
        let message = format!("`{path}` of the schema is not checked");
        reading.diagnostics.push(Diagnostic { code: "schema-not-checked", span: Span::default(), message });
    }
    reading.run()
}

struct Reading<'a> {
    text: &'a str,
    schema: &'a Value,
    rules: Rules,
    thinking: String,
    diagnostics: Vec<Diagnostic>,
}

/// A value that was parsed, and where it stood.
struct Candidate {
    value: Value,
    span: Span,
}

impl Reading<'_> {
    fn run(mut self) -> Result<Structured, Unusable> {
        // The whole text first: valid JSON is looked at in no other way.
        let whole = json::read(self.text).ok().map(|node| Candidate { span: node.span, value: node.into_value() });
        if let Some(whole) = whole {
            return self.choose(vec![whole], &[]);
        }
        let found = scan::scan(self.text);
        self.thinking = found.thinking;
        let any = !found.values.is_empty() || found.open.is_some();
        let declined = any && self.declined(&found.diagnostics, &found.values, found.open);
        self.diagnostics.extend(found.diagnostics);
        if declined {
            let message = "the reply declines in words, and nothing beside a refusal is taken for an answer".to_owned();
            return Err(self.unusable("refused-in-words", message, Vec::new()));
        }
        let mut candidates = Vec::new();
        let mut broken: Vec<(Span, Error)> = Vec::new();
        for span in found.values {
            match json::read(self.slice(span)) {
                Ok(node) => candidates.push(Candidate { value: node.into_value(), span }),
                Err(error) => broken.push((span, error)),
            }
        }
        // A value that never closes can only be the last thing in the text.
        broken.extend(found.open.map(|span| (span, Error::new("json-syntax", "the value is not closed").at(span))));
        if candidates.is_empty() && broken.is_empty() {
            let round =
                scan::round(self.text).map(|span| (span, Error::new("json-syntax", "these are no brackets of JSON")));
            broken.extend(round);
        }
        self.choose(candidates, &broken)
    }

    /// Whether the prose declines the request, or the sentence that a value stands in declines that.
    fn declined(&self, prose: &[Diagnostic], values: &[Span], open: Option<Span>) -> bool {
        prose.iter().filter(|skipped| skipped.code == "skipped-text").any(|skipped| {
            let next = values.iter().chain(&open).map(|value| value.start).filter(|start| *start >= skipped.span.end);
            let end = next.min().unwrap_or(skipped.span.end);
            match refusal::declines(self.slice(Span::new(skipped.span.start, end))) {
                Some(whole) => whole || end > skipped.span.end || values.iter().any(|value| value.start == end),
                None => false,
            }
        })
    }

    fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    fn choose(mut self, candidates: Vec<Candidate>, broken: &[(Span, Error)]) -> Result<Structured, Unusable> {
        let echoed = candidates.iter().any(|c| is_echo(&c.value, self.schema));
        let real: Vec<Candidate> = candidates.into_iter().filter(|c| !is_echo(&c.value, self.schema)).collect();
        let mut fitting: Vec<(Candidate, Vec<Coercion>)> = Vec::new();
        let mut problems: Vec<schema::Problem> = Vec::new();
        let mut misfits = Vec::new();
        for candidate in real {
            let found = schema::problems(&candidate.value, self.schema);
            if found.is_empty() {
                fitting.push((candidate, Vec::new()));
            } else {
                if problems.is_empty() || found.len() < problems.len() {
                    problems = found;
                }
                misfits.push(candidate);
            }
        }
        if fitting.is_empty() && !self.rules.strict {
            for candidate in &misfits {
                match coerce::coerce(&candidate.value, self.schema) {
                    Ok((value, coercions)) => {
                        fitting.push((Candidate { value, span: candidate.span }, coercions));
                    }
                    // What is left after coercion is what the model has to mend.
                    Err(left) => problems = left,
                }
            }
        }
        if fitting.is_empty() && misfits.is_empty() && !echoed && self.rules.complete && !self.rules.strict {
            return self.repair(broken);
        }
        let Some((first, _)) = fitting.first() else {
            return Err(self.nothing(echoed, problems, broken));
        };
        if fitting.iter().any(|(other, _)| other.value != first.value) {
            let n = fitting.len();
            let message = format!("the reply holds {n} different values that fit the schema; give one");
            return Err(self.unusable("ambiguous-json", message, Vec::new()));
        }
        let (taken, coercions) = fitting.swap_remove(fitting.len() - 1);
        let (value, mut coercions) = (taken.value, coercions);
        let value = if self.rules.strict { value } else { coerce::spell(value, self.schema, &mut coercions) };
        let passed: Vec<Span> = misfits.iter().map(|c| c.span).filter(|s| *s != taken.span).collect();
        for span in passed {
            let message = "a value that does not fit the schema was passed over".to_owned();
            self.diagnostics.push(Diagnostic { code: "skipped-value", span, message });
        }
        for (span, error) in broken {
            let message = format!("this is not JSON and was passed over: {}", error.message());
            self.diagnostics.push(Diagnostic { code: "not-json", span: *span, message });
        }
        self.diagnostics.order_by_key(|d| d.span.start);
        Ok(Structured {
            value,
            span: taken.span,
            thinking: self.thinking,
            diagnostics: self.diagnostics,
            coercions,
            repaired: false,
        })
    }

    /// Repairs the one candidate that looks most like a value: the longest.
    fn repair(mut self, broken: &[(Span, Error)]) -> Result<Structured, Unusable> {
        let best = broken.iter().max_by_key(|(span, _)| span.end - span.start);
        let Some((span, error)) = best else {
            return Err(self.nothing(false, Vec::new(), broken));
        };
        let round = self.slice(*span).starts_with('(');
        let (value, repairs) = match repair::repair(self.slice(*span)) {
            // Words in round brackets are words.
            Ok((_, notes)) if round && notes.iter().any(|note| matches!(note.code, "bare-text" | "skipped-text")) => {
                return Err(self.nothing(false, Vec::new(), &[]));
            }
            Ok(repaired) => repaired,
            Err(second) => {
                // Something valid may stand inside what was not.
                return match self.inside(broken) {
                    Some(inner) => self.choose(vec![inner], &[]),
                    None => {
                        let message = format!("the reply is not JSON ({}); write the value only", error.message());
                        self.diagnostics.push(Diagnostic {
                            code: "not-json",
                            span: *span,
                            message: second.message().to_owned(),
                        });
                        Err(self.unusable("invalid-json", message, Vec::new()))
                    }
                };
            }
        };
        let coerced = coerce::coerce(&value, self.schema);
        let (value, mut coercions) = match coerced {
            Ok(fits) => fits,
            Err(problems) => {
                return match self.inside(broken) {
                    Some(inner) => self.choose(vec![inner], &[]),
                    None => {
                        let message = "the reply was not JSON and, repaired, does not fit the schema".to_owned();
                        Err(self.unusable("schema-mismatch", message, problems))
                    }
                };
            }
        };
        let value = coerce::spell(value, self.schema, &mut coercions);
        self.diagnostics.extend(repairs.into_iter().map(|d| {
            let at = Span::new(d.span.start + span.start, d.span.end + span.start);
            Diagnostic { span: at, ..d }
        }));
        self.diagnostics.order_by_key(|d| d.span.start);
        let (thinking, diagnostics) = (self.thinking, self.diagnostics);
        Ok(Structured { value, span: *span, thinking, diagnostics, coercions, repaired: true })
    }

    /// The one valid value inside the broken ones that fits the schema.
    fn inside(&self, broken: &[(Span, Error)]) -> Option<Candidate> {
        let mut fitting: Vec<Candidate> = Vec::new();
        let prose = broken.iter().filter(|(outer, _)| !scan::is_like_json(self.slice(*outer)));
        for (outer, _) in prose {
            for span in scan::inner(self.text, *outer) {
                let Ok(node) = json::read(self.slice(span)) else { continue };
                let value = node.into_value();
                if !is_echo(&value, self.schema) && schema::problems(&value, self.schema).is_empty() {
                    fitting.push(Candidate { value, span });
                }
            }
        }
        let one = fitting.pop()?;
        fitting.iter().all(|other| other.value == one.value).then_some(one)
    }

    fn nothing(self, echoed: bool, problems: Vec<schema::Problem>, broken: &[(Span, Error)]) -> Unusable {
        if echoed && problems.is_empty() {
            let message = "the reply is the schema itself; write a value that fits it, not the schema".to_owned();
            return self.unusable("schema-echoed", message, Vec::new());
        }
        if !problems.is_empty() {
            let message = "the value does not fit the schema; correct these places".to_owned();
            return self.unusable("schema-mismatch", message, problems);
        }
        if let Some((_, error)) = broken.first() {
            let message = format!("the reply is not JSON ({}); write the value only", error.message());
            return self.unusable("invalid-json", message, Vec::new());
        }
        self.unusable("no-json", "the reply holds no JSON value; write one that fits the schema".to_owned(), Vec::new())
    }

    fn unusable(self, code: &'static str, message: String, problems: Vec<schema::Problem>) -> Unusable {
        Unusable { code, message, problems, diagnostics: self.diagnostics, thinking: self.thinking }
    }
}

/// Whether a value is a schema that was sent back: the same one, or a map of the words of schemas that the
/// schema does not ask for.
fn is_echo(value: &Value, schema: &Value) -> bool {
    if value == schema && value.as_map().is_some_and(|m| !m.is_empty()) {
        return true;
    }
    let Some(map) = value.as_map() else { return false };
    let wanted = |name: &str| schema.at(&["properties", name]).is_some();
    let says = |name: &str| map.contains_key(name) && !wanted(name);
    let describes = says("properties") && map.get("properties").is_some_and(|p| p.as_map().is_some());
    describes && (map.get("type").and_then(Value::as_str) == Some("object") || says("$defs") || says("$schema"))
}
