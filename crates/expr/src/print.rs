//! The syntax tree in its one normal spelling.

use throughline_value::json;

use crate::ast::{BinaryOp, Node, NodeData, Step, UnaryOp};
use crate::lex::{is_name_continue, is_name_start};

/// Reading what is printed gives the same tree, spans aside.
pub(crate) fn print(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(node: &Node, out: &mut String) {
    match &node.data {
        NodeData::Null => out.push_str("null"),
        NodeData::Bool(true) => out.push_str("true"),
        NodeData::Bool(false) => out.push_str("false"),
        NodeData::Number(number) => out.push_str(&number.as_str()),
        NodeData::Quantity(number, unit) => {
            out.push_str(&number.as_str());
            out.push(' ');
            out.push_str(unit);
        }
        NodeData::Percent(number) => {
            out.push_str(&number.as_str());
            out.push('%');
        }
        NodeData::Duration(text) | NodeData::Name(text) => out.push_str(text),
        NodeData::Text(text) => out.push_str(&json::quote(text)),
        NodeData::List(items) => list('[', items, ']', out),
        NodeData::Map(entries) => {
            out.push('{');
            for (i, (name, item)) in entries.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(&if is_name(name) { name.clone() } else { json::quote(name) });
                out.push_str(": ");
                write(item, out);
            }
            out.push('}');
        }
        NodeData::Access { object, step } => {
            operand(object, out);
            match step {
                Step::Name { name, safe } => {
                    out.push_str(if *safe { "?." } else { "." });
                    out.push_str(name);
                }
                Step::Index(index) => {
                    out.push('[');
                    write(index, out);
                    out.push(']');
                }
            }
        }
        NodeData::Unary { op, operand: inner } => {
            out.push_str(match op {
                UnaryOp::Neg => "-",
                UnaryOp::Plus => "+",
                UnaryOp::Not => "not ",
            });
            operand(inner, out);
        }
        NodeData::Binary { op, left, right } => {
            // A chain of one operator that groups to the left needs no brackets.
            let same =
                *op != BinaryOp::Coalesce && matches!(&left.data, NodeData::Binary { op: below, .. } if below == op);
            if same {
                write(left, out)
            } else {
                operand(left, out)
            }
            out.push(' ');
            out.push_str(op.as_str());
            out.push(' ');
            operand(right, out);
        }
        NodeData::Compare { first, rest } => {
            operand(first, out);
            for (op, item) in rest {
                out.push(' ');
                out.push_str(op.as_str());
                out.push(' ');
                operand(item, out);
            }
        }
        NodeData::Is { operand: inner, test, negated } => {
            operand(inner, out);
            out.push_str(if *negated { " is not " } else { " is " });
            out.push_str(test.as_str());
        }
        NodeData::If { condition, then, otherwise } => {
            out.push_str("if ");
            operand(condition, out);
            out.push_str(" then ");
            operand(then, out);
            out.push_str(" else ");
            operand(otherwise, out);
        }
        NodeData::Call { name, args, .. } => {
            out.push_str(name);
            list('(', args, ')', out);
        }
        NodeData::Lambda { param, body } => {
            out.push_str(param);
            out.push_str(" => ");
            write(body, out);
        }
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_continue) && !crate::time::is_iso_duration(text)
}

fn list(open: char, items: &[Node], close: char, out: &mut String) {
    out.push(open);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write(item, out);
    }
    out.push(close);
}

/// An operand, in brackets unless it stands for itself.
fn operand(node: &Node, out: &mut String) {
    let plain = matches!(
        node.data,
        NodeData::Null
            | NodeData::Bool(_)
            | NodeData::Number(_)
            | NodeData::Duration(_)
            | NodeData::Text(_)
            | NodeData::Name(_)
            | NodeData::List(_)
            | NodeData::Map(_)
            | NodeData::Access { .. }
            | NodeData::Call { .. }
    );
    if plain {
        write(node, out);
    } else {
        out.push('(');
        write(node, out);
        out.push(')');
    }
}
