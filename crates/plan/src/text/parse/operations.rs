//! The arguments of the operations that look things up, join them and settle between them.

use throughline_value::Span;

use super::{Parser, Place, Use};
use crate::Op;
use crate::check::problems::fix;
use crate::limits;
use crate::plan::{Action, Argument, Formula, Lookup, Policy, Spanned};
use crate::scope::bare;
use crate::text::token::Cursor;

impl Parser<'_> {
    /// `(name: expression, …) OR other OR other` behind a source.
    pub(super) fn source_parts(&mut self, cursor: &mut Cursor<'_>) -> Option<(Vec<Argument>, Vec<Spanned<String>>)> {
        cursor.skip_space();
        let mut arguments = Vec::new();
        if cursor.peek() == Some('(') {
            let open = cursor.at;
            cursor.at += 1;
            let Some(close) = cursor.close() else {
                let message = "this bracket is not closed; add `)` behind the arguments";
                self.problems.error("plan-syntax", Span::new(open, open + 1), message);
                return None;
            };
            arguments = self.bracketed(Cursor { end: close, ..*cursor }, Span::new(open, close + 1))?;
            cursor.at = close + 1;
        }
        let mut or = Vec::new();
        while cursor.eat_word("OR") {
            cursor.skip_space();
            let at = Span::new(cursor.at, cursor.at);
            or.push(self.named(cursor, at, "a source is expected after OR")?);
        }
        if or.len() > limits::MAX_ALTERNATIVES {
            let message =
                format!("a step has at most {} other sources; this one has {}", limits::MAX_ALTERNATIVES, or.len());
            self.problems.error("plan-syntax", Span::new(cursor.at, cursor.at), message);
            return None;
        }
        Some((arguments, or))
    }

    pub(super) fn lookup(&mut self, cursor: &mut Cursor<'_>, op: Op, at: Span) -> Option<Action> {
        let source = self.named(cursor, at, &format!("a source is expected, as in `{}`", op.usage()))?;
        let (arguments, or) = self.source_parts(cursor)?;
        let words = self.clause(cursor, "FOR", &["WHERE", "LIMIT"])?;
        self.locals = true;
        let rule = self.clause(cursor, "WHERE", &["LIMIT"]);
        self.locals = false;
        let rule = rule?;
        let mut limit = None;
        if cursor.eat_word("LIMIT") {
            cursor.skip_space();
            let span = cursor.chunk();
            limit = cursor.slice(span).parse().ok().filter(|n| *n > 0);
            if limit.is_none() {
                self.problems.error("plan-syntax", span, "a whole number above zero is expected after LIMIT");
                return None;
            }
        }
        if op == Op::Search && words.is_none() {
            // `SEARCH source "words"`
            let rest = cursor.remaining();
            let problem = self.problems.error("plan-syntax", at, "SEARCH needs words: `SEARCH source FOR \"words\"`");
            if rest.start < rest.end && throughline_expr::Expr::parse(cursor.slice(rest)).is_ok() {
                problem.fix = fix("write FOR", Span::new(rest.start, rest.start), "FOR ");
            }
            return None;
        }
        self.nothing_after(cursor);
        let lookup = Box::new(Lookup { source, arguments, or, words, rule, limit });
        Some(if op == Op::Search { Action::Search(lookup) } else { Action::Query(lookup) })
    }

    /// `WORD expression`, up to the next of `until`. The outer `None` is a mistake that was reported.
    #[expect(clippy::option_option, reason = "absent, and wrong")]
    fn clause(&mut self, cursor: &mut Cursor<'_>, word: &str, until: &[&str]) -> Option<Option<Formula>> {
        if !cursor.eat_word(word) {
            return Some(None);
        }
        let end = cursor.find_first(until).unwrap_or(cursor.end);
        let formula = self.formula(Span::new(cursor.at, end), Place::Always)?;
        cursor.at = end;
        Some(Some(formula))
    }

    /// What stands before the next of `until`.
    fn before(&mut self, cursor: &mut Cursor<'_>, until: &[&str]) -> Option<Formula> {
        let end = cursor.find_first(until).unwrap_or(cursor.end);
        let formula = self.formula(Span::new(cursor.at, end), Place::Always);
        cursor.at = end;
        formula
    }

    pub(super) fn validate(&mut self, cursor: &mut Cursor<'_>) -> Option<Action> {
        let rule = self.before(cursor, &["ELSE"])?;
        let message = self.clause(cursor, "ELSE", &[])?;
        Some(Action::Validate { rule, message })
    }

    pub(super) fn merge(&mut self, cursor: &mut Cursor<'_>, op: Span) -> Option<Action> {
        let end = cursor.find_word("BY").unwrap_or(cursor.end);
        let body = Cursor { end, ..*cursor };
        let items: Option<Vec<Formula>> =
            body.split_commas().into_iter().map(|part| self.formula(part, Place::Always)).collect();
        cursor.at = end;
        let by = if cursor.eat_word("BY") { Some(self.quoted_text(cursor, op, "`BY \"id\"`")?) } else { None };
        self.nothing_after(cursor);
        let items = items?;
        if items.len() > limits::MAX_ARGUMENTS {
            self.problems.error("plan-syntax", op, format!("at most {} things are merged", limits::MAX_ARGUMENTS));
            return None;
        }
        Some(Action::Merge { items, by })
    }

    pub(super) fn filter(&mut self, cursor: &mut Cursor<'_>, op: Span) -> Option<Action> {
        let list = self.before(cursor, &["WHERE"])?;
        self.locals = true;
        let rule = self.clause(cursor, "WHERE", &[]);
        self.locals = false;
        let Some(rule) = rule? else {
            let message = "`FILTER list WHERE rule`: WHERE is missing; the rule is about `item`";
            self.problems.error("plan-syntax", op, message);
            return None;
        };
        Some(Action::Filter { list, rule })
    }

    pub(super) fn arbitrate(&mut self, cursor: &mut Cursor<'_>, op: Span) -> Option<Action> {
        let end = cursor.find_first(&["BY", "WITHIN"]).unwrap_or(cursor.end);
        let mut among: Vec<Spanned<String>> = Vec::new();
        for part in (Cursor { end, ..*cursor }).split_commas() {
            let mut item = Cursor::new(self.masked, part);
            let span = item.reference().filter(|_| item.is_done());
            let Some(span) = span else {
                let message = "ARBITRATE settles between bindings, which carry their evidence: `ARBITRATE $a, $b`; compute a value in a step before";
                self.problems.error("plan-syntax", part, message);
                return None;
            };
            let name = bare(self.masked.get(span.start..span.end).unwrap_or("")).to_owned();
            self.uses.push(Use { name: name.clone(), span, dollar: true, place: Place::Always });
            among.push(Spanned::new(name, span));
        }
        cursor.at = end;
        if among.len() < 2 || among.len() > limits::MAX_ARGUMENTS {
            let message = format!("ARBITRATE settles between 2 to {} bindings", limits::MAX_ARGUMENTS);
            self.problems.error("plan-syntax", op, message);
            return None;
        }
        let mut by = Vec::new();
        if cursor.eat_word("BY") {
            let names: Vec<_> = Policy::ALL.iter().map(|p| p.as_str()).collect();
            loop {
                let found = self.one_of(cursor, op, &names, "a policy", "unknown-policy")?;
                by.push(Spanned::new(Policy::parse(&found.value)?, found.span));
                cursor.skip_space();
                if !cursor.eat(",") {
                    break;
                }
            }
        }
        let within = self.clause(cursor, "WITHIN", &[])?;
        self.nothing_after(cursor);
        Some(Action::Arbitrate { among, by, within })
    }

    pub(super) fn ask(&mut self, cursor: &mut Cursor<'_>) -> Option<Action> {
        let question = self.before(cursor, &["OPTIONS"])?;
        let options = self.clause(cursor, "OPTIONS", &[])?;
        Some(Action::Ask { question, options })
    }
}
