//! Answers: a template, the values it shows, and a footnote for everything that rests on evidence.

mod mask;

use throughline_expr::template::{Interpolation, Sink, Template};
use throughline_expr::time::Zone;
use throughline_expr::{Env, Error, Path};
use throughline_protocol::view::{AnswerView, Evidence, Footnote};
use throughline_value::{Map, Named, Value};

use crate::extract::Failure;
use crate::scope::bare;
use crate::{Bound, Documents, evidence};

/// Where an answer gets its values from, and what they rest on.
pub trait AnswerScope: Env {
    /// What the value at a path rests on: `["$price"]`, `["facts", "budget"]`. Nothing: it is unsupported.
    fn evidence(&self, path: &[String]) -> Vec<Evidence>;

    /// The classes of personal data at a path.
    fn classes(&self, _path: &[String]) -> Vec<String> {
        Vec::new()
    }
}

/// An environment whose values rest on nothing that is known.
pub struct NoEvidence<'a>(pub &'a dyn Env);

impl Env for NoEvidence<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        self.0.get(name)
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        self.0.get_path(path)
    }

    fn now(&self) -> Option<i64> {
        self.0.now()
    }

    fn zone(&self) -> Option<&Zone> {
        self.0.zone()
    }

    fn zone_assumed(&self, text: &str) {
        self.0.zone_assumed(text);
    }
}

impl AnswerScope for NoEvidence<'_> {
    fn evidence(&self, _path: &[String]) -> Vec<Evidence> {
        Vec::new()
    }
}

/// The values of a run as an [`AnswerScope`]: `$name` and `name`; other names are looked up in `outer`.
pub struct RunScope<'a> {
    values: &'a Named<Bound>,
    outer: &'a dyn AnswerScope,
    about: Map,
}

impl<'a> RunScope<'a> {
    /// The values of a run before an outer scope.
    #[must_use]
    pub fn new(values: &'a Named<Bound>, outer: &'a dyn AnswerScope) -> Self {
        Self { values, outer, about: Map::new() }
    }

    /// The same, with what is known of the run itself: see [`crate::Plans::about`].
    #[must_use]
    pub fn about(mut self, about: Map) -> Self {
        self.about = about;
        self
    }

    /// What an arbitration's part rests on: the candidate it is about, or all of them.
    fn settled(&self, path: &[String]) -> Vec<Evidence> {
        let mut evidence = Vec::new();
        // How it was settled is the domain's own word; only the values rest on something.
        if path.last().is_none_or(|last| last != "value") {
            return evidence;
        }
        let names: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
        let arbitration = self.about.get("arbitration");
        let named = (1..=names.len()).rev().find_map(|end| arbitration?.at(names.get(..end)?)?.get("name")?.as_str());
        let of_step = names.first().and_then(|step| arbitration?.get(step)?.get("candidates")?.as_list());
        let all = of_step.unwrap_or_default().iter().filter_map(|c| c.get("name").and_then(Value::as_str));
        let wanted: Vec<&str> = named.map_or_else(|| all.collect(), |named| vec![named]);
        for bound in wanted.iter().filter_map(|name| self.values.get(name)) {
            evidence::union(&mut evidence, &bound.evidence);
        }
        evidence
    }

    fn bound(&self, name: &str) -> Option<&Bound> {
        // With a `$` it is a binding or nothing; a bare name gives way to the outer scope.
        if name.starts_with('$') || self.outer.get(name).is_none() { self.values.get(bare(name)) } else { None }
    }
}

impl Env for RunScope<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.about.get(name) {
            return Some(value.clone());
        }
        self.bound(name).map_or_else(|| self.outer.get(name), |bound| Some(bound.value.clone()))
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        if let Some(value) = self.about.get(name) {
            return value.at(rest).cloned();
        }
        match self.bound(name) {
            Some(bound) => bound.value.at(rest).cloned(),
            None => self.outer.get_path(path),
        }
    }

    fn now(&self) -> Option<i64> {
        self.outer.now()
    }

    fn zone(&self) -> Option<&Zone> {
        self.outer.zone()
    }

    fn zone_assumed(&self, text: &str) {
        self.outer.zone_assumed(text);
    }
}

impl AnswerScope for RunScope<'_> {
    fn evidence(&self, path: &[String]) -> Vec<Evidence> {
        match path.first() {
            Some(name) if name == "arbitration" && self.about.contains_key("arbitration") => return self.settled(path),
            _ => {}
        }
        match path.first().and_then(|name| self.bound(name)) {
            Some(bound) => bound.evidence.clone(),
            None => self.outer.evidence(path),
        }
    }

    fn classes(&self, path: &[String]) -> Vec<String> {
        match path.first().and_then(|name| self.bound(name)) {
            Some(bound) => bound.classes.clone(),
            None => self.outer.classes(path),
        }
    }
}

/// Renders an answer. After each value that rests on evidence stands `[n]`, the number of its footnote; the
/// same evidence has the same number. A figure that rests on nothing is listed as unsupported. The template's
/// own words are the author's, and so is a value that reads nothing. `from` is what the answer says it comes
/// from.
///
/// # Errors
/// Every code of templates and expressions, with its place in the template.
pub fn render(template: &str, from: &str, scope: &dyn AnswerScope) -> Result<AnswerView, Error> {
    render_revealing(template, from, &[], scope)
}

/// As [`render`], with these classes of personal data unmasked.
///
/// # Errors
/// As [`render`].
pub fn render_revealing(
    template: &str,
    from: &str,
    reveals: &[String],
    scope: &dyn AnswerScope,
) -> Result<AnswerView, Error> {
    let template = Template::parse(template)?;
    let view = AnswerView { from: from.to_owned(), ..AnswerView::default() };
    let mut writer = Writer { scope, reveals, view };
    template.render(scope, &mut writer)?;
    Ok(writer.view)
}

/// What no longer holds of an answer: the number of each footnote whose evidence fails, and why.
#[must_use]
pub fn verify(answer: &AnswerView, host: &dyn Documents) -> Vec<(u32, Failure)> {
    let of_note = |note: &Footnote| {
        let number = note.number;
        let failures = note.evidence.iter().filter_map(|e| evidence::verify(e, host).err());
        failures.map(move |failure| (number, failure)).collect::<Vec<_>>()
    };
    answer.footnotes.iter().flat_map(of_note).collect()
}

struct Writer<'a> {
    scope: &'a dyn AnswerScope,
    reveals: &'a [String],
    view: AnswerView,
}

impl Sink for Writer<'_> {
    fn literal(&mut self, text: &str) {
        self.view.text.push_str(text);
    }

    fn value(&mut self, piece: &Interpolation<'_>) {
        let mut evidence: Vec<Evidence> = Vec::new();
        let mut masked: Option<String> = None;
        for path in piece.reads {
            evidence::union(&mut evidence, &self.scope.evidence(&path.segments));
            // What is true or false of it says nothing of it.
            if masked.is_none() && !matches!(piece.value, Value::Bool(_)) {
                masked = self.scope.classes(&path.segments).into_iter().find(|class| !self.reveals.contains(class));
            }
        }
        let shown = masked.as_ref().map(|class| mask::masked(piece.text, class));
        let text = shown.as_deref().unwrap_or(piece.text);
        self.view.text.push_str(text);
        if let Some(class) = masked {
            *self.view.masked.entry(class).or_insert(0) += 1;
            // The place stays; the words there are as personal as the value.
            evidence.iter_mut().for_each(|evidence| evidence.quote.clear());
        }
        let piece = &Interpolation { text, ..*piece };
        if !evidence.is_empty() {
            let number = self.footnote(piece, evidence);
            self.view.text.push_str(&format!("[{number}]"));
            return;
        }
        // A value that reads nothing is the author's; the clock needs no source.
        let from_outside = piece.reads.iter().any(|path| path.root() != "now");
        if from_outside
            && piece.text.contains(char::is_numeric)
            && !self.view.unsupported.iter().any(|u| u == piece.text)
        {
            self.view.unsupported.push(piece.text.to_owned());
        }
    }
}

impl Writer<'_> {
    fn footnote(&mut self, piece: &Interpolation<'_>, evidence: Vec<Evidence>) -> u32 {
        if let Some(known) = self.view.footnotes.iter().find(|f| f.evidence == evidence) {
            return known.number;
        }
        let number = u32::try_from(self.view.footnotes.len()).unwrap_or(u32::MAX).saturating_add(1);
        let names: Vec<_> = piece.reads.iter().map(Path::dotted).collect();
        self.view.footnotes.push(Footnote { number, value: piece.text.to_owned(), name: names.join(", "), evidence });
        number
    }
}
