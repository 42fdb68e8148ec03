//! Collecting what is wrong.

use throughline_protocol::view::{Diagnostic, Fix};
use throughline_value::{InOrder as _, Span};

use crate::limits::{MAX_DIAGNOSTICS, MAX_REPAIR_BYTES};

/// What is wrong with a plan, as it is found.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Diagnostic>);

impl Problems {
    /// An error at a place; say more with the calls on what it gives back.
    pub(crate) fn error(&mut self, code: &str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push("error", code, span, message.into())
    }

    /// A warning at a place.
    pub(crate) fn warning(&mut self, code: &str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push("warning", code, span, message.into())
    }

    fn push(&mut self, severity: &str, code: &str, span: Span, message: String) -> &mut Diagnostic {
        let diagnostic = Diagnostic {
            code: code.to_owned(),
            severity: severity.to_owned(),
            message,
            step: None,
            span: Some(span),
            fix: None,
        };
        let at = self.0.len();
        self.0.push(diagnostic);
        // The element that was pushed just now.
        #[expect(clippy::indexing_slicing, reason = "`at` was the length before the push")]
        &mut self.0[at]
    }

    /// Every problem from number `from` on that names no step is one of `step`.
    pub(crate) fn belong_to(&mut self, from: usize, step: &str) {
        for diagnostic in self.0.iter_mut().skip(from) {
            diagnostic.step.get_or_insert_with(|| step.to_owned());
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them in the order of the text, each once.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.0.order_by_key(|d| d.span.map_or((usize::MAX, usize::MAX), |s| (s.start, s.end)));
        self.0.dedup_by(|a, b| a.code == b.code && a.span == b.span && a.message == b.message);
        // Repairs that move much text overlap, and only the first of them is applied in one round.
        let mut room = MAX_REPAIR_BYTES;
        for diagnostic in &mut self.0 {
            diagnostic.fix = diagnostic.fix.take().filter(|fix| {
                let left = room.checked_sub(fix.replacement.len());
                room = left.unwrap_or(room);
                left.is_some()
            });
        }
        if self.0.len() > MAX_DIAGNOSTICS {
            let left = self.0.len() - MAX_DIAGNOSTICS;
            self.0.truncate(MAX_DIAGNOSTICS);
            self.0.push(Diagnostic {
                code: "too-many-problems".to_owned(),
                severity: "error".to_owned(),
                message: format!("{left} more problems are not listed; mend these first"),
                ..Diagnostic::default()
            });
        }
        self.0
    }
}

/// A repair that a machine can apply.
pub(crate) fn fix(title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Option<Fix> {
    Some(Fix { title: title.into(), span, replacement: replacement.into() })
}
