//! What each step says: sources, tools, patterns, paths.

use throughline_value::{Span, Value};

use super::problems::{Problems, fix};
use crate::holes::{Language, marked, unmarked};
use crate::limits::MAX_JSON_PATH_BYTES;
use crate::nearest::nearest;
use crate::path::Path;
use crate::pattern;
use crate::plan::{Action, Argument, How, Spanned};
use crate::scope::Scope;
use crate::text::{DraftPlan, inside_quotes, quote_pattern, quote_plain};

pub(super) fn check(plan: &DraftPlan, scope: &Scope, problems: &mut Problems) {
    for step in &plan.steps {
        let from = problems.len();
        match &step.action {
            Some(Action::Extract(extract)) => {
                std::iter::once(&extract.how).chain(&extract.or).for_each(|how| self::how(how, scope, problems));
            }
            Some(Action::Call { tool, arguments }) => call(tool, arguments, scope, problems),
            _ => {}
        }
        problems.belong_to(from, &step.id.value);
    }
}

/// There is nothing of this name; the nearest name is the repair.
pub(super) fn unknown<'a>(
    code: &str,
    what: &str,
    name: &Spanned<String>,
    known: impl Iterator<Item = &'a String> + Clone,
    problems: &mut Problems,
) {
    let near = nearest(&name.value, known.clone().map(String::as_str));
    let list: Vec<_> = known.map(String::as_str).take(20).collect();
    let list = if list.is_empty() { "there are none".to_owned() } else { format!("there are {}", list.join(", ")) };
    let problem = problems.error(code, name.span, format!("there is no {what} `{}`; {list}", name.value));
    problem.fix = near.and_then(|near| fix(format!("write {near}"), name.span, crate::print::name(near)));
}

fn how(how: &How, scope: &Scope, problems: &mut Problems) {
    match how {
        How::Path(path) => json_path(path, problems),
        How::Pattern(regex) => {
            let marked = marked(&regex.value, Language::Pattern);
            let Err(wrong) = pattern::compile(&marked) else { return };
            // Behind a place for a value the bytes are others.
            let inside = inside_quotes(regex).filter(|_| marked == regex.value);
            let span = wrong.at.zip(inside).map_or(regex.span, |((a, b), start)| Span::new(start + a, start + b));
            let instead = wrong.instead.map(|new| unmarked(&new, &regex.value, Language::Pattern));
            problems.error(wrong.code, span, wrong.message).fix =
                instead.and_then(|new| fix("write it so", regex.span, quote_pattern(&new)));
        }
        How::Selector(selector) => {
            if let Err(wrong) = crate::html::Selector::parse(&selector.value) {
                let inside = inside_quotes(selector).filter(|_| selector.value.is_char_boundary(wrong.at));
                let start = inside.map_or(selector.span.start, |start| start + wrong.at);
                let span = Span::new(start.min(selector.span.end), selector.span.end);
                problems.error("bad-selector", span, wrong.message);
            }
        }
        How::Named(name) => match scope.patterns.get(&name.value) {
            None => unknown("unknown-pattern", "pattern", name, scope.patterns.keys(), problems),
            Some(regex) => {
                if let Err(wrong) = pattern::compile(regex) {
                    let message = format!("the domain's pattern `{}`: {}", name.value, wrong.message);
                    problems.error(wrong.code, name.span, message);
                }
            }
        },
        _ => {}
    }
}

fn json_path(path: &Spanned<String>, problems: &mut Problems) {
    if path.value.len() > MAX_JSON_PATH_BYTES {
        let message = format!("a path has at most {MAX_JSON_PATH_BYTES} bytes; this one has {}", path.value.len());
        problems.error("bad-json-path", path.span, message);
        return;
    }
    let marked = marked(&path.value, Language::Path);
    let Err(error) = Path::parse(&marked) else { return };
    let inside = inside_quotes(path).filter(|_| marked == path.value);
    let at = inside.map(|start| start + error.at).filter(|at| at + 1 < path.span.end);
    let span = at.map_or(path.span, |at| Span::new(at, path.span.end - 1));
    // What people write for a path: without the root, or with only a dot.
    let stem = marked.trim().trim_start_matches('$').trim_start_matches('.');
    let meant = [format!("$.{stem}"), format!("${stem}")].into_iter().find(|p| Path::parse(p).is_ok());
    let meant = meant.map(|p| unmarked(&p, &path.value, Language::Path));
    problems.error("bad-json-path", span, format!("this is not a JSON path (RFC 9535): {}", error.message)).fix =
        meant.and_then(|p| fix(format!("write {p}"), path.span, quote_plain(&p)));
}

fn call(tool: &Spanned<String>, arguments: &[Argument], scope: &Scope, problems: &mut Problems) {
    let Some(rule) = scope.tools.get(&tool.value) else {
        unknown("unknown-tool", "tool", tool, scope.tools.keys(), problems);
        return;
    };
    against_schema("tool", tool, &rule.schema, arguments, problems);
}

/// The names of the arguments against a schema.
pub(super) fn against_schema(
    what: &str,
    tool: &Spanned<String>,
    schema: &Value,
    arguments: &[Argument],
    problems: &mut Problems,
) {
    let given = |name: &str| arguments.iter().any(|a| a.name.value == name);
    let required = schema.get("required").and_then(Value::as_list).unwrap_or(&[]);
    for name in required.iter().filter_map(Value::as_str).filter(|name| !given(name)) {
        let message = format!("the {what} `{}` needs the argument `{name}`; add it", tool.value);
        problems.error("missing-argument", tool.span, message);
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_map) else { return };
    if schema.get("additionalProperties").and_then(Value::as_bool) != Some(false) {
        return;
    }
    for argument in arguments.iter().filter(|a| !properties.contains_key(&a.name.value)) {
        unknown("unknown-argument", "argument", &argument.name, properties.keys(), problems);
    }
}
