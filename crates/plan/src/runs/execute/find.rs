//! `EXTRACT`: layer by layer, until one finds something.

use throughline_expr::Env as _;
use throughline_journal::Digest;
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Span, Value};

use super::{Failed, Finished, Place, computed};
use crate::evidence;
use crate::extract::{Extracted, Failure, Query, extract};
use crate::holes::{Hole, Language, filled, literal};
use crate::plan::{Action, Extract, How};
use crate::runs::environment::RunEnv;
use crate::runs::{DocumentRef, Documents};

pub(super) fn extracted(place: Place<'_>, what: &Extract) -> Result<Finished, Failed> {
    let mut input = Map::from_iter([("from".to_owned(), what.from.value.as_str().into())]);
    let mut first: Option<Failure> = None;
    for (layer, how) in std::iter::once(&what.how).chain(&what.or).enumerate() {
        match self::layer(place, what, how, &mut input) {
            Ok(mut finished) => {
                if layer > 0 {
                    input.insert("layer".to_owned(), Value::from(layer + 1));
                }
                if let How::Named(name) = how {
                    finished.classes.extend(place.run.meaning.classes.get(&name.value).cloned());
                }
                return Ok(Finished { input: Value::Map(input), ..finished });
            }
            // Only what is not there is looked for elsewhere.
            Err(failure) if failure.code == "value-missing" => _ = first.get_or_insert(failure),
            Err(failure) => return Err((Value::Map(input), failure)),
        }
    }
    let input = Value::Map(input);
    let failure = first.unwrap_or_else(|| Failure::new("value-missing", "nothing was found"));
    let Some(default) = &what.default else { return Err((input, failure)) };
    let finished = computed(default, place.env).map_err(|(_, failure)| (input.clone(), failure))?;
    Ok(Finished { input, finds: Some(0), ..finished })
}

fn layer(place: Place<'_>, what: &Extract, how: &How, input: &mut Map) -> Result<Finished, Failure> {
    let Place { run, env, .. } = place;
    let fill = |text: &str, language| filled(text, language, |hole| literal_of(hole, language, env));
    let text;
    let query = match how {
        How::Path(path) => {
            text = fill(&path.value, Language::Path)?;
            input.insert("path".to_owned(), text.as_str().into());
            Query::Path(&text)
        }
        How::Pattern(regex) => {
            text = fill(&regex.value, Language::Pattern)?;
            input.insert("pattern".to_owned(), text.as_str().into());
            Query::Pattern(&text)
        }
        How::Named(name) => {
            let Some(regex) = run.meaning.patterns.get(&name.value) else {
                let message = format!("the pattern `{}` is not known to this run", name.value);
                return Err(Failure::new("unknown-pattern", message));
            };
            text = fill(regex, Language::Pattern)?;
            input.insert("pattern".to_owned(), text.as_str().into());
            Query::Pattern(&text)
        }
        How::Selector(selector) => {
            input.insert("selector".to_owned(), selector.value.as_str().into());
            Query::Selector(&selector.value)
        }
        How::Cell(row, column) => {
            input.insert("cell".to_owned(), vec![row.value.as_str(), column.value.as_str()].into());
            Query::Cell(&row.value, &column.value)
        }
        How::Looks(looks, near) => {
            input.insert("looks".to_owned(), looks.value.as_str().into());
            if let Some(near) = near {
                input.insert("near".to_owned(), near.value.as_str().into());
            }
            Query::Looks(looks.value, near.as_ref().map(|near| near.value.as_str()))
        }
    };
    look(place, what, query, input)
}

/// The value of a place in a path or a pattern, as a literal there.
fn literal_of(hole: &Hole, language: Language, env: &RunEnv<'_>) -> Result<String, Failure> {
    let value = env.get(&format!("${}", hole.name)).unwrap_or_default();
    literal(&value, language).ok_or_else(|| {
        let message = format!(
            "${} is a {}; in a path or a pattern stands a text, a number or a boolean",
            hole.name,
            value.kind()
        );
        Failure::new("wrong-type", message)
    })
}

/// Where the text of a step's value lies.
enum Source<'a> {
    /// In a document, or in the result of a tool, which is as one.
    Document(DocumentRef<'a>),
    /// In a value that rests on evidence of its own.
    Value(&'a str, &'a [Evidence]),
}

fn look(place: Place<'_>, what: &Extract, query: Query<'_>, input: &mut Map) -> Result<Finished, Failure> {
    let Place { run, host, env, .. } = place;
    let from = what.from.value.as_str();
    let step = run.steps.get(from);
    let value = run.value(from).ok_or_else(|| Failure::new("value-missing", format!("${from} has no value")))?;
    // What a value is follows from the step that gave it, never from how the value looks: a tool's result that
    // is shaped like a document is still only a result.
    let action = step.and_then(|s| s.action.as_deref());
    let text_of_value = match value {
        Value::Text(text) => text.clone(),
        other => other.to_json(),
    };
    let hash;
    let given;
    let source = match (step, action) {
        (Some(step), _) if step.now().document => {
            let document = read(value, host)?;
            input.insert("document".to_owned(), document.name.into());
            input.insert("version".to_owned(), document.version.into());
            Source::Document(document)
        }
        // Runs of older journals say it by their action alone.
        (Some(_), Some(Action::Get { source, .. }))
            if run.meaning.documents.contains_key(&source.value) && value.get("hash").is_some() =>
        {
            let document = read(value, host)?;
            input.insert("document".to_owned(), document.name.into());
            input.insert("version".to_owned(), document.version.into());
            Source::Document(document)
        }
        (Some(step), Some(Action::Get { .. } | Action::Call { .. })) => {
            hash = Digest::of_bytes(text_of_value.as_bytes());
            let name = step.now().evidence.first().map_or(from, |e| e.document.as_str());
            input.insert("document".to_owned(), name.into());
            Source::Document(DocumentRef { name, version: 0, media_type: "", text: &text_of_value, hash: &hash })
        }
        (Some(step), _) => Source::Value(&text_of_value, &step.now().evidence),
        (None, _) => {
            given = [evidence::given(from, value, "input")];
            Source::Value(&text_of_value, &given)
        }
    };
    let (text, media_type) = match &source {
        Source::Document(document) => (document.text, document.media_type),
        Source::Value(text, _) => (*text, ""),
    };
    // A number with a unit is read as text, and its unit taken off afterwards.
    let unit = place.step.options.unit.is_some() && super::is_number(what.r#type);
    let r#type = if unit { None } else { what.r#type };
    let found = extract(text, media_type, query, what.pick, r#type, env).map_err(|mut failure| {
        if let (Some(near), Source::Document(document)) = (&mut failure.near, &source) {
            near.document = document.name.to_owned();
        }
        failure
    })?;
    Ok(grounded(found, &source, query.method()))
}

/// The document that a step's output names.
pub(super) fn read<'a>(output: &Value, host: &'a dyn Documents) -> Result<DocumentRef<'a>, Failure> {
    let name = output.get("document").and_then(Value::as_str).unwrap_or("");
    let version = output.get("version").and_then(Value::as_i64).and_then(|v| u64::try_from(v).ok());
    host.document(name, version).ok_or_else(|| {
        let message = format!("version {} of `{name}` is no longer there", version.unwrap_or(0));
        Failure::new("document-missing", message)
    })
}

/// The value with evidence for the bytes it was found in.
fn grounded(found: Extracted, source: &Source<'_>, method: &str) -> Finished {
    let evidence = match source {
        Source::Document(document) => evidence::all_of(document, &found.spans, method),
        // Text that was taken from one place as it stands: the find lies further inside that place.
        Source::Value(text, [one]) if one.quote == **text => {
            let inside = |span: &Span| Evidence {
                span: Span::new(one.span.start + span.start, one.span.start + span.end),
                quote: text.get(span.start..span.end).unwrap_or("").to_owned(),
                page: one.page + evidence::page(text, span.start) - 1,
                method: method.to_owned(),
                ..one.clone()
            };
            found.spans.iter().map(inside).collect()
        }
        Source::Value(_, all) => all.to_vec(),
    };
    let finds = (found.finds != 1).then_some(found.finds as u64);
    Finished { output: found.value, evidence, confidence: Some(found.confidence), finds, ..Finished::default() }
}
