//! Pieces to a tree of blocks, without recursion: the open blocks are a stack.

use throughline_value::Span;

use super::scan::{Inside, Piece, pieces, syntax};
use super::{Block, Tag};
use crate::error::{Code, Error};
use crate::expr::Expr;
use crate::lex::{is_name_continue, is_name_start};
use crate::limits::{MAX_BLOCK_DEPTH, MAX_TEMPLATE_BYTES};
use crate::parse::KEYWORDS;

pub(super) fn parse(source: &str) -> Result<Vec<Block>, Error> {
    if source.len() > MAX_TEMPLATE_BYTES {
        return Err(Error::new(
            Code::SourceTooLong,
            format!("a template has at most {MAX_TEMPLATE_BYTES} bytes; this one has {}", source.len()),
        )
        .at(Span::new(0, source.len())));
    }
    let mut parser = Parser { frames: vec![Frame::new(Open::Root, Span::default())] };
    for piece in pieces(source)? {
        match piece {
            Piece::Text(text) => parser.push(Block::Text(text.to_owned())),
            Piece::Show(inside) => {
                let tag = tag(inside.text, inside.start, inside.span)?;
                parser.push(Block::Show(tag));
            }
            Piece::Block(inside) => parser.block(&inside)?,
        }
    }
    parser.finish()
}

fn tag(source: &str, start: usize, span: Span) -> Result<Tag, Error> {
    if source.is_empty() {
        return Err(syntax("an expression is missing in this tag").at(span));
    }
    Ok(Tag { expr: Expr::parse_at(source, start)?, span })
}

/// A block that is not closed yet.
enum Open {
    Root,
    /// The arms that are complete, and the condition of the one being read; none in `else`.
    If {
        arms: Vec<(Tag, Vec<Block>)>,
        condition: Option<Tag>,
    },
    /// The body once `else` was met.
    For {
        names: (String, Option<String>),
        list: Tag,
        body: Option<Vec<Block>>,
    },
}

struct Frame {
    open: Open,
    span: Span,
    body: Vec<Block>,
    sets: Vec<String>,
}

impl Frame {
    fn new(open: Open, span: Span) -> Self {
        Self { open, span, body: Vec::new(), sets: Vec::new() }
    }
}

struct Parser {
    /// Never empty: the first is the template itself.
    frames: Vec<Frame>,
}

impl Parser {
    fn push(&mut self, block: Block) {
        if let Some(frame) = self.frames.last_mut() {
            frame.body.push(block);
        }
    }

    fn open(&mut self, open: Open, span: Span) -> Result<(), Error> {
        if self.frames.len() > MAX_BLOCK_DEPTH {
            return Err(Error::new(Code::TooDeep, format!("blocks nest at most {MAX_BLOCK_DEPTH} deep")).at(span));
        }
        self.frames.push(Frame::new(open, span));
        Ok(())
    }

    fn block(&mut self, inside: &Inside<'_>) -> Result<(), Error> {
        let end = inside.text.find(|c| !is_name_continue(c)).unwrap_or(inside.text.len());
        let (word, rest) = inside.text.split_at_checked(end).unwrap_or((inside.text, ""));
        let start = inside.start + end + rest.len() - rest.trim_start().len();
        let rest = rest.trim();
        let span = inside.span;
        match word {
            "if" => {
                let condition = Some(tag(rest, start, span)?);
                self.open(Open::If { arms: Vec::new(), condition }, span)
            }
            "elif" => {
                let next = tag(rest, start, span)?;
                self.next_arm(Some(next), span)
            }
            "else" if rest.is_empty() => self.next_arm(None, span),
            "else" => Err(syntax("write `{% elif condition %}`, or `{% else %}` alone").at(span)),
            "for" => {
                let (names, list) = for_head(rest, start, span)?;
                self.open(Open::For { names, list, body: None }, span)
            }
            "set" => self.set(rest, start, span),
            "endif" | "endfor" => {
                if !rest.is_empty() {
                    return Err(syntax(format!("`{word}` stands alone in its tag")).at(span));
                }
                self.close(word, span)
            }
            "" => Err(syntax("this tag is empty; write `{% if … %}`, `{% for … %}` or `{% set … %}`").at(span)),
            other => Err(syntax(format!(
                "`{other}` is not a block here; the blocks are if, elif, else, endif, for, endfor, set, raw, endraw"
            ))
            .at(span)),
        }
    }

    fn next_arm(&mut self, next: Option<Tag>, span: Span) -> Result<(), Error> {
        let stray = || syntax("this tag belongs into an open `{% if %}` (or, for `else`, a `{% for %}`)").at(span);
        let Some(frame) = self.frames.last_mut() else { return Err(stray()) };
        let done = std::mem::take(&mut frame.body);
        match &mut frame.open {
            Open::If { arms, condition } => {
                let Some(known) = condition.take() else {
                    return Err(syntax("nothing but `{% endif %}` comes after `{% else %}`").at(span));
                };
                arms.push((known, done));
                *condition = next;
                Ok(())
            }
            Open::For { body, .. } if next.is_none() && body.is_none() => {
                *body = Some(done);
                Ok(())
            }
            _ => Err(stray()),
        }
    }

    fn set(&mut self, rest: &str, start: usize, span: Span) -> Result<(), Error> {
        let (name, after) = name(rest, span)?;
        let value = after.trim_start().strip_prefix('=').filter(|value| !value.starts_with('='));
        let Some(value) = value else {
            return Err(syntax("write `{% set name = expression %}`").at(span));
        };
        // A loop's body has its own names. Setting an outer one would be lost at its end, in silence.
        let inner = self.frames.iter().rposition(|frame| matches!(frame.open, Open::For { .. })).unwrap_or(0);
        if self.frames.iter().take(inner).any(|frame| frame.sets.iter().any(|known| known == name)) {
            return Err(syntax(format!(
                "`{name}` is set outside of this loop and would not keep the new value; compute it at once: sum(map(xs, x => …))"
            ))
            .at(span));
        }
        let lead = value.len() - value.trim_start().len();
        let tag = tag(value.trim(), start + (rest.len() - value.len()) + lead, span)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.sets.push(name.to_owned());
        }
        self.push(Block::Set { name: name.to_owned(), value: tag });
        Ok(())
    }

    fn close(&mut self, word: &str, span: Span) -> Result<(), Error> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let Frame { open, body: last, sets, .. } = frame;
        let block = match (open, word) {
            (Open::If { mut arms, condition }, "endif") => {
                let otherwise = match condition {
                    Some(condition) => {
                        arms.push((condition, last));
                        Vec::new()
                    }
                    None => last,
                };
                if let Some(parent) = self.frames.last_mut() {
                    parent.sets.extend(sets);
                }
                Block::If { arms, otherwise }
            }
            (Open::For { names, list, body }, "endfor") => match body {
                Some(body) => Block::For { names, list, body, otherwise: last },
                None => Block::For { names, list, body: last, otherwise: Vec::new() },
            },
            (open, _) => {
                return Err(match open {
                    Open::Root => syntax(format!("`{word}` closes nothing; take it away")),
                    Open::If { .. } => syntax("`{% if %}` is open here; close it with `{% endif %}`"),
                    Open::For { .. } => syntax("`{% for %}` is open here; close it with `{% endfor %}`"),
                }
                .at(span));
            }
        };
        self.push(block);
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Block>, Error> {
        match self.frames.pop() {
            Some(Frame { open: Open::Root, body, .. }) => Ok(body),
            Some(Frame { open, span, .. }) => {
                let word = if matches!(open, Open::If { .. }) { "endif" } else { "endfor" };
                Err(syntax(format!("this block is not closed; add `{{% {word} %}}`")).at(span))
            }
            None => Ok(Vec::new()),
        }
    }
}

/// The name at the start of a text, and what follows it.
fn name(text: &str, span: Span) -> Result<(&str, &str), Error> {
    let end = text.find(|c| !is_name_continue(c) && c != '$').unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    if !name.starts_with(is_name_start) {
        return Err(syntax("a name is expected here").at(span));
    }
    if KEYWORDS.contains(&name) || name == "loop" || name == "now" {
        return Err(syntax(format!("`{name}` has a meaning of its own; choose another name")).at(span));
    }
    Ok((name, rest))
}

type ForHead = ((String, Option<String>), Tag);

fn for_head(text: &str, start: usize, span: Span) -> Result<ForHead, Error> {
    let (first, rest) = name(text, span)?;
    let mut rest = rest.trim_start();
    let mut second = None;
    if let Some(after) = rest.strip_prefix(',') {
        let (name, after) = name(after.trim_start(), span)?;
        second = Some(name.to_owned());
        rest = after.trim_start();
    }
    let list = rest.strip_prefix("in").filter(|list| list.starts_with(|c: char| !is_name_continue(c)));
    let Some(list) = list else {
        return Err(syntax("write `{% for item in list %}` or `{% for name, value in map %}`").at(span));
    };
    let lead = list.len() - list.trim_start().len();
    let tag = tag(list.trim(), start + (text.len() - list.len()) + lead, span)?;
    Ok(((first.to_owned(), second), tag))
}
