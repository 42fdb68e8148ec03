//! Rendering within limits.

use throughline_value::{Span, Value};

use super::{Block, Decision, Interpolation, Sink, Tag};
use crate::env::Env;
use crate::error::{Code, Error, a, wrong_type};
use crate::eval::{Context, Local, Origin, Val};
use crate::limits::{MAX_ITERATIONS, MAX_OUTPUT_BYTES};

pub(super) fn render(blocks: &[Block], env: &dyn Env, sink: &mut dyn Sink) -> Result<(), Error> {
    let context = Context::traced(env);
    Renderer { context: &context, sink, iterations: 0, bytes: 0 }.blocks(blocks)
}

struct Renderer<'a, 'e> {
    context: &'a Context<'e>,
    sink: &'a mut dyn Sink,
    iterations: usize,
    bytes: usize,
}

impl Renderer<'_, '_> {
    fn blocks(&mut self, blocks: &[Block]) -> Result<(), Error> {
        for block in blocks {
            self.context.spend(1)?;
            match block {
                Block::Text(text) => {
                    self.grow(text.len(), None)?;
                    self.sink.literal(text);
                }
                Block::Show(tag) => self.show(tag)?,
                Block::Set { name, value } => self.set(name, value)?,
                Block::If { arms, otherwise } => self.choose(arms, otherwise)?,
                Block::For { names, list, body, otherwise } => self.repeat(names, list, body, otherwise)?,
            }
        }
        Ok(())
    }

    fn grow(&mut self, bytes: usize, span: Option<Span>) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MAX_OUTPUT_BYTES {
            return Ok(());
        }
        let error = Error::new(Code::OutputTooLong, format!("the output has over {MAX_OUTPUT_BYTES} bytes; show less"));
        Err(match span {
            Some(span) => error.at(span),
            None => error,
        })
    }

    fn show(&mut self, tag: &Tag) -> Result<(), Error> {
        self.context.take_reads();
        let place = |error: Error| error.at(tag.expr.ast().span);
        let value = self.context.eval(tag.expr.ast()).and_then(|val| self.context.value(val))?;
        let text = self.context.printed(Val::Plain(value.clone())).map_err(place)?;
        self.grow(text.len(), Some(tag.span))?;
        let reads = self.context.take_reads();
        self.sink.value(&Interpolation {
            source: tag.expr.source(),
            names: &tag.expr.names(),
            reads: &reads,
            value: &value,
            text: &text,
            span: tag.span,
        });
        Ok(())
    }

    /// The value of a tag, the path it stands at when it stands at one, and otherwise what was read for it.
    fn traced(&mut self, tag: &Tag) -> Result<(Value, Origin), Error> {
        self.context.take_reads();
        let value = self.context.eval(tag.expr.ast()).and_then(|val| self.context.value(val))?;
        let origin = match self.context.path_of(tag.expr.ast()) {
            Some(path) => Origin::At(path),
            None => Origin::From(self.context.take_reads().into()),
        };
        Ok((value, origin))
    }

    fn set(&mut self, name: &str, tag: &Tag) -> Result<(), Error> {
        let (value, origin) = self.traced(tag)?;
        self.context.bind(Local { name: name.to_owned(), value, origin });
        Ok(())
    }

    fn choose(&mut self, arms: &[(Tag, Vec<Block>)], otherwise: &[Block]) -> Result<(), Error> {
        for (tag, body) in arms {
            self.context.take_reads();
            let holds = self.context.condition(tag.expr.ast())?;
            let reads = self.context.take_reads();
            self.sink.decided(&Decision { source: tag.expr.source(), reads: &reads, holds, span: tag.span });
            if holds {
                return self.blocks(body);
            }
        }
        self.blocks(otherwise)
    }

    fn repeat(
        &mut self,
        (first, second): &(String, Option<String>),
        list: &Tag,
        body: &[Block],
        otherwise: &[Block],
    ) -> Result<(), Error> {
        let (value, origin) = self.traced(list)?;
        let wrong = |kind: &str, hint: &str| {
            wrong_type(format!("a loop runs over a list or a map, not {}{hint}", a(kind))).at(list.expr.ast().span)
        };
        // Each item as what the names are bound to, and its place in the list or map.
        let items: Vec<(Value, Option<Value>, String)> = match (value, second) {
            (Value::List(items), None) => {
                items.into_iter().enumerate().map(|(at, item)| (item, None, at.to_string())).collect()
            }
            (Value::List(_), Some(_)) => {
                return Err(wrong("list", " when it has two names; use `loop.index0` for the position"));
            }
            (Value::Map(map), None) => map.into_keys().map(|key| (Value::from(key.as_str()), None, key)).collect(),
            (Value::Map(map), Some(_)) => {
                map.into_iter().map(|(key, item)| (Value::from(key.as_str()), Some(item), key)).collect()
            }
            (Value::Null, _) => return Err(wrong("null", "; write `x ?? []`")),
            (other, _) => return Err(wrong(other.kind(), "")),
        };
        if items.is_empty() {
            return self.blocks(otherwise);
        }
        let length = items.len();
        let outer = self.context.bound_count();
        for (at, (item, value, step)) in items.into_iter().enumerate() {
            self.iterations += 1;
            if self.iterations > MAX_ITERATIONS {
                return Err(Error::new(
                    Code::TooManyIterations,
                    format!("the loops of a template run at most {MAX_ITERATIONS} times; show less"),
                )
                .at(list.span));
            }
            let place = match &origin {
                Origin::At(path) => Origin::At(path.iter().cloned().chain([step]).collect()),
                other => other.clone(),
            };
            self.context.bind(Local { name: first.clone(), value: item, origin: place.clone() });
            if let (Some(name), Some(value)) = (second, value) {
                self.context.bind(Local { name: name.clone(), value, origin: place });
            }
            self.context.bind(Local { name: "loop".to_owned(), value: position(at, length), origin: Origin::None });
            let done = self.blocks(body);
            self.context.unbind(outer);
            done?;
        }
        Ok(())
    }
}

/// What `loop` is inside a loop.
fn position(at: usize, length: usize) -> Value {
    Value::from([
        ("index", Value::from(at + 1)),
        ("index0", Value::from(at)),
        ("first", Value::from(at == 0)),
        ("last", Value::from(at + 1 == length)),
        ("length", Value::from(length)),
    ])
}
