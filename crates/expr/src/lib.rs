//! The one expression language: exact decimals, instants, durations; parse, check, evaluate within limits.
//!
//! Guards, invariants, constraints, computed plan steps, event conditions and answer templates all speak
//! it. An [`Expr`] is read once, knows the names it uses, and is evaluated against an [`Env`] that hands
//! out values by name. Nothing here reads a clock, a zone database or the network: `now` and the zone are
//! arguments. No number is ever a float, and nothing that is doubtful is decided in silence: `"10" < 9`
//! is an error that points at the bytes.
//!
//! ```
//! use throughline_expr::{Expr, MapEnv};
//! let expr = Expr::parse("0.1 + 0.2 == 0.3 and 订单.状态 == \"已签收\"")?;
//! let env = MapEnv::new().with_json("订单", r#"{"状态": "已签收"}"#)?;
//! assert!(expr.test(&env)?);
//! assert_eq!(Expr::parse("\"10\" < 9").unwrap().eval(&env).unwrap_err().code(), "wrong-type");
//! # Ok::<(), throughline_expr::Error>(())
//! ```
//!
//! [`template`] puts expressions into text with Jinja's block syntax and reports what every interpolated
//! value rests on. The language is described for its users in `docs/expressions.md`.

mod ast;
pub mod decimal;
mod env;
mod error;
mod eval;
mod expr;
mod functions;
mod lex;
pub mod limits;
mod names;
mod parse;
mod print;
pub mod template;
pub mod time;

pub use ast::{BinaryOp, CompareOp, Node, NodeData, Step, Test, UnaryOp};
pub use env::{Env, MapEnv, Overlay};
pub use error::{Code, Error};
pub use expr::{Evaluation, Expr};
pub use functions::{Function, functions};
pub use names::Path;
pub use throughline_value::{Map, Number, Span, Value};
