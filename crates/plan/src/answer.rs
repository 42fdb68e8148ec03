//! Answers: a template, the values it shows, and a footnote for everything that rests on evidence.

use throughline_expr::template::{Interpolation, Sink, Template};
use throughline_expr::time::Zone;
use throughline_expr::{Env, Error, Path};
use throughline_protocol::view::{AnswerView, Evidence, Footnote};
use throughline_value::{Named, Value};

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
}

impl<'a> RunScope<'a> {
    /// The values of a run before an outer scope.
    #[must_use]
    pub fn new(values: &'a Named<Bound>, outer: &'a dyn AnswerScope) -> Self {
        Self { values, outer }
    }

    fn bound(&self, name: &str) -> Option<&Bound> {
        // With a `$` it is a binding or nothing; a bare name gives way to the outer scope.
        if name.starts_with('$') || self.outer.get(name).is_none() { self.values.get(bare(name)) } else { None }
    }
}

impl Env for RunScope<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        self.bound(name).map_or_else(|| self.outer.get(name), |bound| Some(bound.value.clone()))
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
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
        match path.first().and_then(|name| self.bound(name)) {
            Some(bound) => bound.evidence.clone(),
            None => self.outer.evidence(path),
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
    let template = Template::parse(template)?;
    let view = AnswerView { from: from.to_owned(), ..AnswerView::default() };
    let mut writer = Writer { scope, view };
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
    view: AnswerView,
}

impl Sink for Writer<'_> {
    fn literal(&mut self, text: &str) {
        self.view.text.push_str(text);
    }

    fn value(&mut self, piece: &Interpolation<'_>) {
        self.view.text.push_str(piece.text);
        let mut evidence: Vec<Evidence> = Vec::new();
        for path in piece.reads {
            evidence::union(&mut evidence, &self.scope.evidence(&path.segments));
        }
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
