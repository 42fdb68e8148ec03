//! Answer templates: Jinja's block syntax over the expression language.
//!
//! `{{ expression }}`, `{% if %}` / `{% elif %}` / `{% else %}` / `{% endif %}`, `{% for x in xs %}` /
//! `{% else %}` / `{% endfor %}`, `{% set name = expression %}`, `{% raw %}` / `{% endraw %}`,
//! `{# comment #}`, and `-` inside a tag to take away the white space beside it. Values are data: what
//! they contain is never read as a template. Rendering tells a [`Sink`] every literal text and every
//! interpolated value with the paths it was read from, so that footnotes can be derived from evidence.
//!
//! ```
//! use throughline_expr::{MapEnv, template::Template};
//! let template = Template::parse("{% for p in parcels %}{{ p.id }}: {{ p.price | fixed(2) }}\n{% endfor %}")?;
//! let env = MapEnv::new().with_json("parcels", r#"[{"id": "SF1", "price": 9.5}]"#)?;
//! let rendered = template.render_text(&env)?;
//! assert_eq!(rendered.text, "SF1: 9.50\n");
//! assert_eq!(rendered.pieces[1].reads[0].dotted(), "parcels.0.price");
//! # Ok::<(), throughline_expr::Error>(())
//! ```

mod parse;
mod render;
mod scan;

use std::fmt;
use std::sync::Arc;

use throughline_value::{Span, Value};

use crate::env::Env;
use crate::error::Error;
use crate::expr::Expr;
use crate::names::{self, Path};

/// A template: read once, immutable, cheap to clone.
#[derive(Clone)]
pub struct Template(Arc<Inner>);

struct Inner {
    source: String,
    blocks: Vec<Block>,
}

/// A part of a template.
pub(crate) enum Block {
    /// Text as it stands.
    Text(String),
    /// `{{ expression }}`
    Show(Tag),
    /// `{% set name = expression %}`
    Set { name: String, value: Tag },
    /// `{% if %}` with its arms in order.
    If { arms: Vec<(Tag, Vec<Block>)>, otherwise: Vec<Block> },
    /// `{% for %}`; with two names it runs over a map.
    For { names: (String, Option<String>), list: Tag, body: Vec<Block>, otherwise: Vec<Block> },
}

/// An expression with the bytes of the tag it stands in.
pub(crate) struct Tag {
    pub(crate) expr: Expr,
    pub(crate) span: Span,
}

/// One interpolated value, as a [`Sink`] gets it.
#[derive(Clone, Copy, Debug)]
pub struct Interpolation<'a> {
    /// The expression, as written between the braces.
    pub source: &'a str,
    /// The names the expression uses, as written: locals of the template included.
    pub names: &'a [Path],
    /// The paths of the environment that were really read for this value; a loop's `item.price` is
    /// resolved to `items.0.price`, a `set` name to what it was computed from.
    pub reads: &'a [Path],
    /// The value.
    pub value: &'a Value,
    /// The value as text.
    pub text: &'a str,
    /// The tag's bytes in the template.
    pub span: Span,
}

/// One condition that was tested, as a [`Sink`] gets it.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// The condition, as written.
    pub source: &'a str,
    /// The paths of the environment that were really read for it.
    pub reads: &'a [Path],
    /// Whether it held.
    pub holds: bool,
    /// The tag's bytes in the template.
    pub span: Span,
}

/// Where a rendering goes.
pub trait Sink {
    /// A piece of the template's own text.
    fn literal(&mut self, text: &str);

    /// A value. The sink decides what to write for it: its text, the text with a footnote, or a mask.
    fn value(&mut self, piece: &Interpolation<'_>);

    /// A condition of an `{% if %}` was tested.
    fn decided(&mut self, _decision: &Decision<'_>) {}
}

/// A rendering as plain text, with what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The whole text.
    pub text: String,
    /// The interpolated values in order.
    pub pieces: Vec<Piece>,
}

/// One interpolated value of a [`Rendered`] text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The expression, as written.
    pub source: String,
    /// The paths that were really read for it.
    pub reads: Vec<Path>,
    /// The value.
    pub value: Value,
    /// The bytes it fills in the rendered text.
    pub at: Span,
    /// The tag's bytes in the template.
    pub span: Span,
}

impl Sink for Rendered {
    fn literal(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn value(&mut self, piece: &Interpolation<'_>) {
        let start = self.text.len();
        self.text.push_str(piece.text);
        self.pieces.push(Piece {
            source: piece.source.to_owned(),
            reads: piece.reads.to_vec(),
            value: piece.value.clone(),
            at: Span::new(start, self.text.len()),
            span: piece.span,
        });
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// `template-syntax`, and every code of reading an expression, with the place in the template.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let blocks = parse::parse(source)?;
        Ok(Self(Arc::new(Inner { source: source.to_owned(), blocks })))
    }

    /// The text it was read from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The names it takes from the environment, with the paths below them, in the order of the source.
    /// A name that only some branches of an `{% if %}` set counts as taken from the environment after it.
    #[must_use]
    pub fn names(&self) -> Vec<Path> {
        self.free().into_iter().map(|name| name.path).collect()
    }

    /// The names without those that the template copes with when they are not known; as
    /// [`Expr::required_names`].
    #[must_use]
    pub fn required_names(&self) -> Vec<Path> {
        self.free().into_iter().filter(|name| !name.optional).map(|name| name.path).collect()
    }

    fn free(&self) -> Vec<names::Free> {
        let mut out = Vec::new();
        free(&self.0.blocks, &mut Vec::new(), &mut out);
        out
    }

    /// All expressions in the order of the source.
    #[must_use]
    pub fn expressions(&self) -> Vec<Expr> {
        let mut out = Vec::new();
        expressions(&self.0.blocks, &mut out);
        out
    }

    /// Renders into a sink. What was written before an error stays in the sink.
    ///
    /// # Errors
    /// Every code of evaluating an expression, `too-many-iterations`, `output-too-long`, with the place in
    /// the template.
    pub fn render(&self, env: &dyn Env, sink: &mut dyn Sink) -> Result<(), Error> {
        render::render(&self.0.blocks, env, sink)
    }

    /// Renders into text.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn render_text(&self, env: &dyn Env) -> Result<Rendered, Error> {
        let mut out = Rendered::default();
        self.render(env, &mut out)?;
        Ok(out)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({:?})", self.0.source)
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

impl Eq for Template {}

fn free(blocks: &[Block], bound: &mut Vec<String>, out: &mut Vec<names::Free>) {
    for block in blocks {
        match block {
            Block::Text(_) => {}
            Block::Show(tag) => names::free(tag.expr.ast(), bound, out),
            Block::Set { name, value } => {
                names::free(value.expr.ast(), bound, out);
                bound.push(name.clone());
            }
            Block::If { arms, otherwise } => {
                let before = bound.len();
                let mut in_all: Option<Vec<String>> = None;
                let bodies = arms.iter().map(|(tag, body)| (Some(tag), body)).chain([(None, otherwise)]);
                for (condition, body) in bodies {
                    if let Some(tag) = condition {
                        names::free(tag.expr.ast(), bound, out);
                    }
                    free(body, bound, out);
                    let set = bound.split_off(before);
                    in_all = Some(match in_all {
                        None => set,
                        Some(known) => known.into_iter().filter(|name| set.contains(name)).collect(),
                    });
                }
                bound.extend(in_all.unwrap_or_default());
            }
            Block::For { names: (first, second), list, body, otherwise } => {
                names::free(list.expr.ast(), bound, out);
                let before = bound.len();
                bound.push(first.clone());
                bound.extend(second.clone());
                bound.push("loop".to_owned());
                free(body, bound, out);
                bound.truncate(before);
                free(otherwise, bound, out);
                bound.truncate(before);
            }
        }
    }
}

fn expressions(blocks: &[Block], out: &mut Vec<Expr>) {
    for block in blocks {
        match block {
            Block::Text(_) => {}
            Block::Show(tag) | Block::Set { value: tag, .. } => out.push(tag.expr.clone()),
            Block::If { arms, otherwise } => {
                for (tag, body) in arms {
                    out.push(tag.expr.clone());
                    expressions(body, out);
                }
                expressions(otherwise, out);
            }
            Block::For { list, body, otherwise, .. } => {
                out.push(list.expr.clone());
                expressions(body, out);
                expressions(otherwise, out);
            }
        }
    }
}
