//! The arguments of each operation.

use throughline_value::Span;

use super::{Parser, Place, Use};
use crate::check::problems::fix;
use crate::holes::{Language, holes};
use crate::limits;
use crate::plan::{Action, Argument, Extract, How, Looks, Pick, Spanned, Type};
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
        let (arguments, or) = self.source_parts(cursor)?;
        self.nothing_after(cursor);
        Some(Action::Get { source, arguments, or })
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
        let arguments = self.bracketed(Cursor { end: body.end - 1, ..*cursor }, tool.span)?;
        Some(Action::Call { tool, arguments })
    }

    /// The arguments between brackets.
    pub(super) fn bracketed(&mut self, inner: Cursor<'_>, of: Span) -> Option<Vec<Argument>> {
        let mut arguments: Vec<Argument> = Vec::new();
        let parts = if inner.remaining().start < inner.remaining().end { inner.split_commas() } else { Vec::new() };
        if parts.len() > limits::MAX_ARGUMENTS {
            let message =
                format!("a call takes at most {} arguments; this one has {}", limits::MAX_ARGUMENTS, parts.len());
            self.problems.error("plan-syntax", of, message);
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
        whole.then_some(arguments)
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
        let mut or = Vec::new();
        while cursor.eat_word("OR") {
            or.push(self.how(cursor)?);
        }
        if or.len() > limits::MAX_ALTERNATIVES {
            let message =
                format!("a step has at most {} other ways; this one has {}", limits::MAX_ALTERNATIVES, or.len());
            self.problems.error("plan-syntax", from.span, message);
            return None;
        }
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
            } else if word == "UNIT" {
                self.unit(cursor, word_span)?;
            } else if word == "DEFAULT" {
                let end = cursor.find_first(&["AS", "UNIT"]).unwrap_or(cursor.end);
                default = Some(self.formula(Span::new(cursor.at, end), Place::Always)?);
                cursor.at = end;
            } else {
                cursor.at = word_span.start;
                return self.surprise(cursor);
            }
        }
        Some(Action::Extract(Box::new(Extract { from, how, or, pick, r#type, default })))
    }

    fn how(&mut self, cursor: &mut Cursor<'_>) -> Option<How> {
        cursor.skip_space();
        let start = cursor.at;
        let span = cursor.name();
        let word = span.map_or("", |s| cursor.slice(s));
        cursor.skip_space();
        let at = span.unwrap_or_default();
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
                        at,
                        "a path in quotes is expected: `JSONPATH \"$.items[0].price\"`",
                    );
                } else {
                    self.problems.error("plan-syntax", chunk, "the path stands in quotes").fix =
                        fix("put it in quotes", chunk, super::super::token::quote_plain(text));
                }
                // What stands behind it is looked at all the same.
                (!text.is_empty()).then(|| How::Path(Spanned::new(text.to_owned(), chunk)))
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
                self.problems.error("plan-syntax", at, message);
                None
            }
            "SELECTOR" => self.quoted_text(cursor, at, "`SELECTOR \"table.q3 td\"`").map(How::Selector),
            "CELL" => {
                let expected = "`CELL \"head of the row\", \"head of the column\"`";
                let row = self.quoted_text(cursor, at, expected)?;
                cursor.skip_space();
                cursor.eat(",");
                let column = self.quoted_text(cursor, at, expected)?;
                Some(How::Cell(row, column))
            }
            "FIND" => {
                let names: Vec<_> = Looks::ALL.iter().map(|l| l.as_str()).collect();
                let looks = self.one_of(cursor, at, &names, "what FIND looks for", "unknown-type")?;
                let near = if cursor.eat_word("NEAR") {
                    Some(self.quoted_text(cursor, at, "`NEAR \"yield rate\"`")?)
                } else {
                    None
                };
                Some(How::Looks(Spanned::new(Looks::parse(&looks.value)?, looks.span), near))
            }
            _ => self.other_how(&Cursor { at: start, ..*cursor }, span),
        }
    }

    /// What other systems write where `JSONPATH` or `PATTERN` stands.
    fn other_how(&mut self, cursor: &Cursor<'_>, word: Option<Span>) -> Option<How> {
        const EXPECTED: &str = "JSONPATH, PATTERN, SELECTOR, CELL or FIND is expected here";
        const OTHERS: [(&str, &str); 12] = [
            ("REGEX", "PATTERN"),
            ("REGEXP", "PATTERN"),
            ("MATCH", "PATTERN"),
            ("MATCHES", "PATTERN"),
            ("WITH", "PATTERN"),
            ("PATH", "JSONPATH"),
            ("JSON_PATH", "JSONPATH"),
            ("JSON", "JSONPATH"),
            ("CSS", "SELECTOR"),
            ("XPATH", "SELECTOR"),
            ("TABLE", "CELL"),
            ("RECOGNISE", "FIND"),
        ];
        let mut ahead = *cursor;
        if let Some(quoted) = ahead.quoted().filter(|q| !q.open) {
            let at = Span::new(quoted.span.start, quoted.span.start);
            let way = if quoted.value.starts_with('$') { "JSONPATH" } else { "PATTERN" };
            self.problems.error("plan-syntax", quoted.span, EXPECTED).fix =
                fix(format!("write {way}"), at, format!("{way} "));
            return None;
        }
        let at = word.unwrap_or_else(|| cursor.remaining());
        let upper = cursor.slice(at).to_uppercase();
        let problem = self.problems.error("plan-syntax", at, EXPECTED);
        let ways = ["JSONPATH", "PATTERN", "SELECTOR", "CELL", "FIND"];
        let meant = OTHERS.iter().find(|(other, _)| *other == upper).map(|(_, ours)| *ours);
        let meant = meant.or_else(|| crate::nearest::nearest(&upper, ways)).filter(|_| word.is_some());
        problem.fix = meant.and_then(|way| fix(format!("write {way}"), at, way));
        None
    }

    /// A text in quotes; a pattern with a wrong escape is taken as it is, so that all else can be said of it.
    pub(super) fn text(&mut self, quoted: Quoted, is_pattern: bool) -> Option<Spanned<String>> {
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

    pub(super) fn r#type(&mut self, cursor: &mut Cursor<'_>, after: Span) -> Option<Type> {
        cursor.skip_space();
        let names: Vec<_> = Type::ALL.iter().map(|t| t.as_str()).collect();
        let found = self.one_of(cursor, after, &names, "a type", "unknown-type")?;
        Type::parse(&found.value)
    }

    /// One of some words.
    pub(super) fn one_of(
        &mut self,
        cursor: &mut Cursor<'_>,
        after: Span,
        names: &[&str],
        what: &str,
        code: &str,
    ) -> Option<Spanned<String>> {
        cursor.skip_space();
        let list = names.join(", ");
        let Some(span) = cursor.name() else {
            self.problems.error("plan-syntax", after, format!("{what} is expected here: {list}"));
            return None;
        };
        let word = cursor.slice(span);
        if names.contains(&word) {
            return Some(Spanned::new(word.to_owned(), span));
        }
        let meant = match word.to_lowercase().as_str() {
            "int" => "integer",
            "float" | "decimal" | "double" | "numeric" | "percentage" => "number",
            "string" | "str" => "text",
            "bool" => "boolean",
            "datetime" | "date" | "time" | "timestamp" => "instant",
            "timedelta" | "interval" => "duration",
            "array" => "list",
            "object" | "dict" => "map",
            "currency" => "money",
            "latest" => "newest",
            "vote" => "majority",
            "trusted" | "most_trusted" => "trust",
            "fail" | "abort" => "stop",
            "ignore" | "continue" | "null" => "skip",
            _ => word,
        };
        let meant = names.iter().find(|n| **n == meant).copied();
        let meant = meant.or_else(|| crate::nearest::nearest(word, names.iter().copied()));
        self.problems.error(code, span, format!("`{word}` is not {what}; there are {list}")).fix =
            meant.and_then(|name| fix(format!("write {name}"), span, name));
        None
    }

    /// A text in quotes, which must be there.
    pub(super) fn quoted_text(
        &mut self,
        cursor: &mut Cursor<'_>,
        after: Span,
        expected: &str,
    ) -> Option<Spanned<String>> {
        cursor.skip_space();
        if let Some(quoted) = cursor.quoted() {
            return self.text(quoted, false);
        }
        self.problems.error("plan-syntax", after, format!("a text in quotes is expected: {expected}"));
        None
    }

    /// A source, a tool or a pattern by name, bare or in quotes.
    pub(super) fn named(&mut self, cursor: &mut Cursor<'_>, op: Span, expected: &str) -> Option<Spanned<String>> {
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

    pub(super) fn nothing_after(&mut self, cursor: &mut Cursor<'_>) {
        if !cursor.is_done() {
            let span = trimmed(self.masked, cursor.remaining());
            self.problems.error("plan-syntax", span, "the step ends before this; remove it").fix =
                fix("remove it", Span::new(cursor.at, cursor.end), "");
        }
    }

    fn surprise(&mut self, cursor: &Cursor<'_>) -> Option<Action> {
        let message = "ONE, FIRST, LAST, ALL, `AS type`, `UNIT \"…\"` or `DEFAULT expression` is expected here";
        self.problems.error("plan-syntax", cursor.remaining(), message);
        None
    }

    pub(super) fn twice(&mut self, again: bool, span: Span) {
        if again {
            self.problems.error("plan-syntax", span, "this stands twice in one step; keep one");
        }
    }
}
