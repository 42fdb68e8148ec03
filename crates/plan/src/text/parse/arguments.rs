//! The arguments of each operation.

use throughline_value::Span;

use super::{Parser, Place, Use};
use crate::check::problems::fix;
use crate::holes::{Language, holes};
use crate::limits;
use crate::plan::{Action, Argument, Extract, How, Pick, Spanned, Type};
use crate::scope::bare;
use crate::text::token::{Cursor, Quoted, trimmed};

/// Where the text starts inside its quotes, when each of its bytes is a byte of the plan: in a raw text, or in
/// one without escapes.
pub(crate) fn inside_quotes(text: &Spanned<String>) -> Option<usize> {
    match (text.span.end - text.span.start).checked_sub(text.value.len()) {
        Some(3) => Some(text.span.start + 2),
        Some(2) => Some(text.span.start + 1),
        _ => None,
    }
}

impl Parser<'_> {
    pub(super) fn get(&mut self, cursor: &mut Cursor<'_>, op: Span) -> Option<Action> {
        let source = self.named(cursor, op, "a source is expected, as in `GET orders`")?;
        self.nothing_after(cursor);
        Some(Action::Get { source, arguments: Vec::new(), or: Vec::new() })
    }

    pub(super) fn condition(&mut self, cursor: &mut Cursor<'_>, op: Span) -> Option<Action> {
        let Some(then_at) = cursor.find_word("THEN") else {
            let message = "`IF condition THEN expression ELSE expression`: THEN is missing";
            self.problems.error("plan-syntax", op, message);
            return None;
        };
        let condition = self.formula(Span::new(cursor.at, then_at), Place::Always);
        cursor.at = then_at + "THEN".len();
        let Some(else_at) = cursor.find_word("ELSE") else {
            let end = Span::new(cursor.end, cursor.end);
            let then = self.formula(Span::new(cursor.at, cursor.end), Place::Then);
            let message =
                "`IF condition THEN expression ELSE expression`: ELSE is missing; write what the value is otherwise";
            let problem = self.problems.error("plan-syntax", op, message);
            // Only behind an expression that reads is the place for ELSE certain.
            problem.fix = then.and_then(|_| fix("otherwise null", end, " ELSE null"));
            return None;
        };
        let then = self.formula(Span::new(cursor.at, else_at), Place::Then);
        let otherwise = self.formula(Span::new(else_at + "ELSE".len(), cursor.end), Place::Else);
        Some(Action::If { condition: condition?, then: then?, otherwise: otherwise? })
    }

    pub(super) fn call(&mut self, cursor: &mut Cursor<'_>, op: Span) -> Option<Action> {
        let tool = self.named(cursor, op, "a tool is expected, as in `CALL refund(order: $order)`")?;
        cursor.skip_space();
        let open = cursor.at;
        if !cursor.eat("(") {
            let at = Span::new(tool.span.end, tool.span.end);
            if cursor.is_done() {
                self.problems.error("plan-syntax", tool.span, "brackets are expected after the tool").fix =
                    fix("add brackets", at, "()");
            } else {
                self.problems.error(
                    "plan-syntax",
                    cursor.remaining(),
                    "the arguments stand in brackets: `(name: expression)`",
                );
            }
            return None;
        }
        let body = cursor.remaining();
        let text = cursor.slice(body);
        if !text.ends_with(')') {
            let end = Span::new(cursor.end, cursor.end);
            let closes = Cursor { at: open, ..*cursor }.open_brackets() == Some(1);
            let problem = self.problems.error(
                "plan-syntax",
                Span::new(open, open + 1),
                "this bracket is not closed; add `)` at the end",
            );
            problem.fix = if closes { fix("close the bracket", end, ")") } else { None };
            return None;
        }
        let inner = Cursor { end: body.end - 1, ..*cursor };
        let mut arguments: Vec<Argument> = Vec::new();
        let parts = if inner.remaining().start < inner.remaining().end { inner.split_commas() } else { Vec::new() };
        if parts.len() > limits::MAX_ARGUMENTS {
            let message =
                format!("a call takes at most {} arguments; this one has {}", limits::MAX_ARGUMENTS, parts.len());
            self.problems.error("plan-syntax", tool.span, message);
            return None;
        }
        let mut whole = true;
        for part in parts {
            match self.argument(part) {
                Some(argument) if arguments.iter().any(|a| a.name.value == argument.name.value) => {
                    let message = format!("the argument `{}` stands twice; keep one", argument.name.value);
                    self.problems.error("plan-syntax", argument.name.span, message);
                    whole = false;
                }
                Some(argument) => arguments.push(argument),
                None => whole = false,
            }
        }
        whole.then_some(Action::Call { tool, arguments })
    }

    /// `name: expression`
    fn argument(&mut self, part: Span) -> Option<Argument> {
        let mut cursor = Cursor::new(self.masked, part);
        let name = match cursor.quoted() {
            Some(quoted) => Some(Spanned::new(quoted.value.clone(), quoted.span)),
            None => cursor.name().map(|span| Spanned::new(cursor.slice(span).to_owned(), span)),
        };
        cursor.skip_space();
        let named = name.filter(|_| {
            cursor.eat(":") || (cursor.rest().starts_with('=') && !cursor.rest().starts_with("==") && cursor.eat("="))
        });
        let Some(name) = named else {
            self.problems.error("plan-syntax", part, "arguments have names: `name: expression`");
            self.loose_uses(part);
            return None;
        };
        let value = self.formula(Span::new(cursor.at, part.end), Place::Always)?;
        Some(Argument { name, value })
    }

    pub(super) fn extract(&mut self, cursor: &mut Cursor<'_>, op: Span) -> Option<Action> {
        let Some(span) = cursor.reference() else {
            self.problems.error(
                "plan-syntax",
                op,
                "`EXTRACT $document JSONPATH \"$.path\"` or `EXTRACT $document PATTERN r\"…(group)…\"`: the document is missing",
            );
            return None;
        };
        let written = cursor.slice(span);
        let from = Spanned::new(bare(written).to_owned(), span);
        self.uses.push(Use { name: from.value.clone(), span, dollar: true, place: Place::Always });
        if cursor.rest().starts_with(['.', '[']) {
            let wrong = cursor.chunk();
            let message =
                "EXTRACT reads a whole binding; take the part with JSONPATH, or with COMPUTE in a step before";
            self.problems.error("plan-syntax", wrong, message);
            return None;
        }
        cursor.skip_space();
        let how = self.how(cursor)?;
        let (mut pick, mut r#type, mut default) = (None, None, None);
        while !cursor.is_done() {
            let Some(word_span) = cursor.name() else { return self.surprise(cursor) };
            let word = cursor.slice(word_span);
            if let Some(found) = Pick::ALL.iter().copied().find(|p| p.as_str() == word) {
                self.twice(pick.replace(found).is_some(), word_span);
            } else if word == "AS" {
                cursor.skip_space();
                let found = self.r#type(cursor, word_span)?;
                self.twice(r#type.replace(found).is_some(), word_span);
            } else if word == "DEFAULT" {
                default = Some(self.formula(cursor.remaining(), Place::Always)?);
                cursor.at = cursor.end;
            } else {
                cursor.at = word_span.start;
                return self.surprise(cursor);
            }
        }
        Some(Action::Extract(Box::new(Extract { from, how, or: Vec::new(), pick, r#type, default })))
    }

    fn how(&mut self, cursor: &mut Cursor<'_>) -> Option<How> {
        let span = cursor.name();
        let word = span.map_or("", |s| cursor.slice(s));
        cursor.skip_space();
        match word {
            "JSONPATH" => {
                if let Some(quoted) = cursor.quoted() {
                    let path = self.text(quoted, false)?;
                    self.places(&path, Language::Path);
                    return Some(How::Path(path));
                }
                let chunk = cursor.chunk();
                let text = cursor.slice(chunk);
                if text.is_empty() {
                    self.problems.error(
                        "plan-syntax",
                        span.unwrap_or_default(),
                        "a path in quotes is expected: `JSONPATH \"$.items[0].price\"`",
                    );
                } else {
                    self.problems.error("plan-syntax", chunk, "the path stands in quotes").fix =
                        fix("put it in quotes", chunk, super::super::token::quote_plain(text));
                }
                None
            }
            "PATTERN" => {
                if let Some(quoted) = cursor.quoted() {
                    let pattern = self.text(quoted, true)?;
                    self.places(&pattern, Language::Pattern);
                    return Some(How::Pattern(pattern));
                }
                if let Some(span) = cursor.word() {
                    return Some(How::Named(Spanned::new(cursor.slice(span).to_owned(), span)));
                }
                let message = "a regular expression in quotes is expected (`PATTERN r\"total: (\\d+)\"`), or the name of a pattern of the domain";
                self.problems.error("plan-syntax", span.unwrap_or_default(), message);
                None
            }
            _ => {
                let at = span.unwrap_or_else(|| cursor.remaining());
                self.problems.error("plan-syntax", at, "JSONPATH or PATTERN is expected here");
                None
            }
        }
    }

    /// A text in quotes; a pattern with a wrong escape is taken as it is, so that all else can be said of it.
    fn text(&mut self, quoted: Quoted, is_pattern: bool) -> Option<Spanned<String>> {
        if quoted.open {
            let message = "this text is not closed; add a quote";
            self.problems.error("plan-syntax", quoted.span, message);
            return None;
        }
        if let Some(span) = quoted.wrong_escape {
            let at = Span::new(quoted.span.start, quoted.span.start);
            let what = if is_pattern { "regular expressions" } else { "texts with backslashes" };
            self.problems
                .error("plan-syntax", span, format!("this is not an escape in a text; write {what} as r\"…\""))
                .fix = fix("write it as r\"…\"", at, "r");
        }
        Some(Spanned::new(quoted.value, quoted.span))
    }

    /// The places for values in a path or a pattern are uses of bindings.
    fn places(&mut self, text: &Spanned<String>, language: Language) {
        let inside = inside_quotes(text);
        for hole in holes(&text.value, language) {
            let span = inside.map_or(text.span, |start| Span::new(start + hole.start + 1, start + hole.end - 1));
            self.uses.push(Use { name: hole.name, span, dollar: true, place: Place::Always });
        }
    }

    fn r#type(&mut self, cursor: &mut Cursor<'_>, after: Span) -> Option<Type> {
        let names: Vec<_> = Type::ALL.iter().map(|t| t.as_str()).collect();
        let Some(span) = cursor.name() else {
            self.problems.error("plan-syntax", after, format!("a type is expected after AS: {}", names.join(", ")));
            return None;
        };
        let word = cursor.slice(span);
        if let Some(found) = Type::parse(word) {
            return Some(found);
        }
        let meant = match word.to_lowercase().as_str() {
            "int" => Some("integer"),
            "float" | "decimal" | "double" | "numeric" | "money" => Some("number"),
            "string" | "str" => Some("text"),
            "bool" => Some("boolean"),
            "date" | "datetime" | "time" | "timestamp" => Some("instant"),
            "timedelta" | "interval" => Some("duration"),
            other => crate::nearest::nearest(other, names.iter().copied()),
        };
        self.problems
            .error("unknown-type", span, format!("`{word}` is not a type; the types are {}", names.join(", ")))
            .fix = meant.and_then(|name| fix(format!("write {name}"), span, name));
        None
    }

    /// A source, a tool or a pattern by name, bare or in quotes.
    fn named(&mut self, cursor: &mut Cursor<'_>, op: Span, expected: &str) -> Option<Spanned<String>> {
        if let Some(quoted) = cursor.quoted() {
            return self.text(quoted, false);
        }
        if let Some(span) = cursor.word() {
            return Some(Spanned::new(cursor.slice(span).to_owned(), span));
        }
        if let Some(span) = cursor.reference() {
            let name = bare(cursor.slice(span));
            let message = format!("{expected}; `${name}` is a binding, and a name cannot come from a value");
            self.problems.error("plan-syntax", span, message).fix = fix("write the name", span, name);
            self.uses.push(Use { name: name.to_owned(), span, dollar: true, place: Place::Always });
            return None;
        }
        let rest = cursor.remaining();
        let span = if rest.start < rest.end { rest } else { op };
        let problem = self.problems.error("plan-syntax", span, expected);
        // `GET(orders)`: what stands between the brackets alone.
        let inner = cursor.slice(rest).strip_prefix('(').and_then(|t| t.strip_suffix(')'));
        if let Some(inner) = inner.filter(|t| !t.contains(['(', ')', ','])) {
            let inner = bare(inner.trim().trim_matches(['"', '\'']));
            problem.fix = fix("write it without brackets", Span::new(op.end, rest.end), format!(" {inner}"));
        }
        None
    }

    fn nothing_after(&mut self, cursor: &mut Cursor<'_>) {
        if !cursor.is_done() {
            let span = trimmed(self.masked, cursor.remaining());
            self.problems.error("plan-syntax", span, "the step ends before this; remove it").fix =
                fix("remove it", Span::new(cursor.at, cursor.end), "");
        }
    }

    fn surprise(&mut self, cursor: &Cursor<'_>) -> Option<Action> {
        let message = "ONE, FIRST, LAST, ALL, `AS type` or `DEFAULT expression` is expected here";
        self.problems.error("plan-syntax", cursor.remaining(), message);
        None
    }

    fn twice(&mut self, again: bool, span: Span) {
        if again {
            self.problems.error("plan-syntax", span, "this stands twice in one step; keep one");
        }
    }
}
