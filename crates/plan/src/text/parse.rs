//! Lines to draft steps: everything that can be said about one step by itself.

use throughline_value::Span;

use super::lines::{Line, lines};
use super::token::{Cursor, is_name_part, is_name_start, trimmed};
use crate::check::problems::{Problems, fix};
use crate::plan::{Action, Formula, Options, Spanned};
use crate::scope::{Scope, bare};
use crate::{Op, limits};

mod arguments;
mod operations;
mod options;

pub(crate) use arguments::inside_quotes;

/// A plan as it was read, whatever is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct DraftPlan {
    pub(crate) steps: Vec<Draft>,
    pub(crate) note: String,
    pub(crate) options: Options,
    /// What the plan's own options use.
    pub(crate) uses: Vec<Use>,
    /// Where the plan's own options stand.
    pub(crate) head: Option<Span>,
}

/// A step as it was read.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The binding, without `$`; its span covers the `$`.
    pub(crate) id: Spanned<String>,
    /// What it does, when that could be read.
    pub(crate) action: Option<Action>,
    /// What it uses.
    pub(crate) uses: Vec<Use>,
    pub(crate) note: String,
    pub(crate) span: Span,
    pub(crate) options: Options,
}

/// One use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    /// Without `$`.
    pub(crate) name: String,
    /// With the `$`.
    pub(crate) span: Span,
    /// Whether the `$` stands there. Without it, it may be a name of the environment.
    pub(crate) dollar: bool,
    pub(crate) place: Place,
}

/// In which part of a step a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where it is always needed.
    Always,
    /// In the `THEN` branch.
    Then,
    /// In the `ELSE` branch.
    Else,
    /// In the fallback, which is needed only when the step has failed.
    Rescue,
}

/// Reads all steps.
pub(crate) fn parse(text: &str, scope: &Scope, problems: &mut Problems) -> DraftPlan {
    let lines = lines(text);
    for fence in &lines.fences {
        problems.warning("code-fence", *fence, "a code fence is not part of a plan; it is passed over").fix =
            fix("remove the fence", *fence, "");
    }
    if lines.lines.is_empty() {
        problems.error(
            "plan-syntax",
            Span::new(0, text.len()),
            "the plan has no step; write at least one, as `$orders = GET orders`",
        );
    }
    if lines.lines.len() > limits::MAX_STEPS {
        let span = lines.lines.get(limits::MAX_STEPS).map_or_else(Span::default, |l| l.span);
        problems.error(
            "too-many-steps",
            span,
            format!("a plan has at most {} steps; this one has {}", limits::MAX_STEPS, lines.lines.len()),
        );
    }
    let mut out = DraftPlan { note: lines.tail, ..DraftPlan::default() };
    for (index, line) in lines.lines.iter().enumerate() {
        let from = problems.len();
        let mut parser = Parser {
            masked: &lines.masked,
            scope,
            problems,
            uses: Vec::new(),
            locals: false,
            options: Options::default(),
        };
        if parser.head(line, &mut out) {
            continue;
        }
        let step = parser.step(line, index);
        if let Some(step) = step {
            problems.belong_to(from, &step.id.value);
            out.steps.push(step);
        }
    }
    out
}

/// Names that a rule over items has of its own.
const LOCALS: [&str; 2] = ["item", "index"];

struct Parser<'a> {
    masked: &'a str,
    scope: &'a Scope,
    problems: &'a mut Problems,
    uses: Vec<Use>,
    /// Whether the formula that is read is a rule over items.
    locals: bool,
    options: Options,
}

impl Parser<'_> {
    fn step(mut self, line: &Line, index: usize) -> Option<Draft> {
        let mut cursor = Cursor::new(self.masked, line.span);
        self.list_mark(&mut cursor);
        let start = cursor.at;
        let id = self.binding(&mut cursor, line, index)?;
        let before = self.problems.len();
        let rest = cursor.remaining();
        if let Some(mark) = [";", "；", "。"].iter().find(|mark| cursor.slice(rest).ends_with(**mark)) {
            let at = Span::new(rest.end - mark.len(), rest.end);
            self.problems.error("plan-syntax", at, "a step ends with its line").fix = fix("remove it", at, "");
            cursor.end = at.start;
        }
        let body = cursor.remaining();
        self.cut_options(&mut cursor);
        let action = self.operation(&mut cursor);
        if let Some(action) = &action {
            self.options_fit(action, body);
        }
        if action.is_none() {
            // What a broken step uses is still used: nothing else is to look unused for it.
            self.loose_uses(Span::new(id.span.end, line.span.end));
        }
        self.problems.belong_to(before, &id.value);
        let span = Span::new(start, line.span.end);
        Some(Draft { id, action, uses: self.uses, note: line.note.clone(), span, options: self.options })
    }

    /// `1.`, `-`, `*` in front of a step.
    fn list_mark(&mut self, cursor: &mut Cursor<'_>) {
        let rest = cursor.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = rest.get(digits..).unwrap_or("");
        let mark = if digits > 0 && after.starts_with(['.', ')']) {
            digits + 1
        } else if digits == 0 && after.starts_with(['-', '*']) {
            1
        } else {
            return;
        };
        let tail = rest.get(mark..).unwrap_or("");
        if !tail.starts_with(char::is_whitespace) {
            return;
        }
        let start = cursor.at;
        cursor.at += mark;
        cursor.skip_space();
        let span = Span::new(start, cursor.at);
        self.problems.error("plan-syntax", span, "steps are not numbered or listed; each has its name").fix =
            fix("remove the list mark", span, "");
    }

    /// `$a-b = OPERATION`: a step whose name is none; it is kept under the nearest name that is one.
    fn bad_name(&mut self, cursor: &mut Cursor<'_>) -> Option<(String, Span)> {
        let rest = cursor.rest();
        let equals = rest.find('=')?;
        let written = rest.get(..equals)?.trim_end();
        let word = rest.get(equals + 1..)?.trim_start().split(|c: char| !is_name_part(c)).next()?;
        let whole = !written.is_empty()
            && !written.contains(|c: char| c.is_whitespace() || c == '$' && written.rfind(c) > Some(0));
        (whole && Op::parse(word).is_some()).then_some(())?;
        let plain: String = written.chars().map(|c| if is_name_part(c) { c } else { '_' }).collect();
        let plain = plain.trim_matches('_');
        let lead = if plain.is_empty() || plain.starts_with(|c: char| c.is_ascii_digit()) { "s" } else { "" };
        let name = format!("{lead}{plain}");
        let span = Span::new(cursor.at, cursor.at + written.len());
        cursor.at += equals + 1;
        cursor.skip_space();
        let message = format!("`{written}` is not a name: names are letters, digits and `_`, and begin with no digit");
        self.problems.error("plan-syntax", span, message).fix = fix("write a name", span, format!("${name}"));
        Some((name, span))
    }

    /// `$name =`
    fn binding(&mut self, cursor: &mut Cursor<'_>, line: &Line, index: usize) -> Option<Spanned<String>> {
        let start = *cursor;
        if let Some(span) = cursor.reference() {
            let name = bare(cursor.slice(span)).to_owned();
            cursor.skip_space();
            if cursor.rest().starts_with('=') && !cursor.rest().starts_with("==") {
                cursor.eat("=");
                cursor.skip_space();
                return Some(Spanned::new(name, span));
            }
            if cursor.eat(":=")
                || cursor.eat(":")
                    && Op::parse(cursor.rest().trim_start().split(|c: char| !is_name_part(c)).next().unwrap_or(""))
                        .is_some()
            {
                let wrong = trimmed(self.masked, Span::new(span.end, cursor.at));
                cursor.skip_space();
                self.problems.error("plan-syntax", wrong, "a step's name is followed by `=`").fix = fix(
                    "write `=`",
                    wrong,
                    if self.masked.get(span.end..wrong.start) == Some("") { " =" } else { "=" },
                );
                return Some(Spanned::new(name, span));
            }
            if Op::parse(&name).is_some() {
                let id = format!("step{}", index + 1);
                let at = Span::new(span.start, span.start);
                self.problems
                    .error("plan-syntax", span, format!("this step has no name; write `$name = {name} …`"))
                    .fix = fix("name the step", at, format!("${id} = "));
                cursor.at = span.start;
                return Some(Spanned::new(id, at));
            }
        }
        *cursor = start;
        if let Some((name, span)) = self.bad_name(cursor) {
            return Some(Spanned::new(name, span));
        }
        let at = Span::new(line.span.start, line.span.start);
        self.problems
            .error(
                "plan-syntax",
                line.span,
                "this is not a step; write `$name = OPERATION …`, or put `#` before a remark",
            )
            .fix = fix("make it a comment", at, "# ");
        None
    }

    fn operation(&mut self, cursor: &mut Cursor<'_>) -> Option<Action> {
        let body = cursor.remaining();
        if body.start >= body.end {
            self.problems.error("plan-syntax", body, format!("an operation is expected: {}", Op::names()));
            return None;
        }
        let word = cursor.name();
        let Some(span) = word else {
            return self.bare_expression(body);
        };
        let word = cursor.slice(span);
        let Some(op) = Op::parse(word) else {
            return self.unknown_operation(word, span, body);
        };
        if cursor.peek().is_some_and(|c| !c.is_whitespace() && c != '(' && c != '$' && c != '"') {
            self.problems.error(
                "plan-syntax",
                Span::new(span.end, span.end + 1),
                format!("a space is expected after {word}"),
            );
        }
        cursor.skip_space();
        match op {
            Op::Get => self.get(cursor, span),
            Op::Search | Op::Query => self.lookup(cursor, op, span),
            Op::Extract => self.extract(cursor, span),
            Op::Compute => self.formula(cursor.remaining(), Place::Always).map(Action::Compute),
            Op::If => self.condition(cursor, span),
            Op::Call => self.call(cursor, span),
            Op::Validate => self.validate(cursor),
            Op::Merge => self.merge(cursor, span),
            Op::Filter => self.filter(cursor, span),
            Op::Arbitrate => self.arbitrate(cursor, span),
            Op::Ask => self.ask(cursor),
        }
    }

    /// Something without an operation: where it is an expression, COMPUTE was left out.
    fn bare_expression(&mut self, body: Span) -> Option<Action> {
        let text = self.masked.get(body.start..body.end).unwrap_or("");
        let at = Span::new(body.start, body.start);
        let message = format!("an operation is expected before this: {}", Op::names());
        let reads = throughline_expr::Expr::parse(text).is_ok();
        let problem = self.problems.error("plan-syntax", body, message);
        if reads {
            problem.fix = fix("compute it", at, "COMPUTE ");
        }
        None
    }

    fn unknown_operation(&mut self, word: &str, span: Span, body: Span) -> Option<Action> {
        let text = self.masked.get(body.start..body.end).unwrap_or("");
        let at = Span::new(body.start, body.start);
        let called = self.masked.get(span.end..).is_some_and(|t| t.trim_start().starts_with('('));
        let (hint, repair) = if called && self.scope.tools.contains_key(word) {
            (format!("; tools are called as `CALL {word}(…)`"), fix("call the tool", at, "CALL "))
        } else if let Some(op) = Op::meant(word) {
            (
                format!("; {} is near: {}", op.as_str(), op.usage()),
                fix(format!("write {}", op.as_str()), span, op.as_str()),
            )
        } else if throughline_expr::Expr::parse(text).is_ok() {
            ("; an expression is computed with COMPUTE".to_owned(), fix("compute it", at, "COMPUTE "))
        } else {
            (String::new(), None)
        };
        self.problems
            .error(
                "unknown-operation",
                span,
                format!("`{word}` is not an operation; the operations are {}{hint}", Op::names()),
            )
            .fix = repair;
        None
    }

    /// An expression in `span`.
    fn formula(&mut self, span: Span, place: Place) -> Option<Formula> {
        let span = trimmed(self.masked, span);
        let text = self.masked.get(span.start..span.end).unwrap_or("");
        if text.is_empty() {
            self.problems.error("plan-syntax", span, "an expression is expected here");
            return None;
        }
        match throughline_expr::Expr::parse_at(text, span.start) {
            Ok(expr) => {
                for path in expr.names() {
                    let root = path.root();
                    let at = Span::new(path.span.start, path.span.start + root.len());
                    let name = bare(root).to_owned();
                    if self.locals && LOCALS.contains(&root) {
                        continue;
                    }
                    self.uses.push(Use { dollar: root.starts_with('$'), name, span: at, place });
                }
                Some(Formula { expr, span })
            }
            Err(error) => {
                // A word of another language is named by what stands there.
                let ours = super::dialect::translated(text);
                let hint = ours.as_ref().map_or_else(String::new, |ours| format!("; in this language: `{ours}`"));
                let at = error.span().unwrap_or(span);
                self.problems.error(error.code(), at, format!("{}{hint}", error.message())).fix =
                    ours.and_then(|ours| fix("write it in this language", span, ours));
                self.loose_uses(span);
                None
            }
        }
    }

    /// Every `$name` in `span`, read without understanding what stands around it.
    fn loose_uses(&mut self, span: Span) {
        let text = self.masked.get(span.start..span.end).unwrap_or("");
        for (at, _) in text.match_indices('$') {
            let name = text.get(at + 1..).unwrap_or("");
            let end = name.find(|c| !is_name_part(c)).unwrap_or(name.len());
            let name = name.get(..end).unwrap_or("");
            let span = Span::new(span.start + at, span.start + at + 1 + end);
            if name.starts_with(is_name_start) && !self.uses.iter().any(|u| u.span == span) {
                self.uses.push(Use { name: name.to_owned(), span, dollar: true, place: Place::Always });
            }
        }
    }
}
