//! The conditions of events: what can never be evaluated is refused, what cannot be evaluated now is shown.

use throughline_agent::Rooms;
use throughline_expr::{Expr, Path};
use throughline_protocol::command::ScheduleEvent;
use throughline_protocol::view::Problem;
use throughline_protocol::{At, Domain, Refusal, nearest};
use throughline_value::Value;

/// The names that are there in every journal.
const ROOTS: [&str; 7] = ["facts", "subjects", "state", "in_state", "entities", "events", "now"];

/// Refuses an event whose condition uses a name that nothing can ever bear.
pub(crate) fn check(rooms: &Rooms, domain: &Domain, command: &ScheduleEvent) -> Result<(), Refusal> {
    for (text, place) in [(&command.when, "/when"), (&command.unless, "/unless")] {
        // What cannot be read is refused with its place by the world.
        let Some(Ok(expr)) = text.as_deref().map(Expr::parse) else { continue };
        // What names nothing is the same at every moment.
        if expr.names().is_empty()
            && let Err(error) = expr.test(&throughline_expr::MapEnv::default())
        {
            return Err(Refusal::new(error.code(), error.message()).at_path(place).at_span(error.span()));
        }
        for path in expr.required_names() {
            if let Some((message, names)) = unknown(rooms, domain, &path) {
                let refusal = Refusal::new("unknown-name", message).at_path(place).at_span(Some(path.span));
                let wrong = path.segments.iter().map(String::as_str).find(|s| !names.contains(s) && *s != "facts");
                return Err(match nearest(wrong.unwrap_or(""), &names) {
                    Some(near) => refusal.suggest(format!("did you mean `{near}`?")),
                    None => refusal.suggest(format!("the names are {}", names.join(", "))),
                });
            }
        }
    }
    Ok(())
}

/// Why a name can never have a value, and the names that could stand there.
fn unknown<'a>(rooms: &Rooms, domain: &'a Domain, path: &Path) -> Option<(String, Vec<&'a str>)> {
    let mut segments = path.segments.iter().map(String::as_str);
    let root = segments.next()?;
    if root == "facts" {
        let key = segments.next()?;
        let unknown = !domain.facts.is_empty() && domain.facts.get(key).is_none();
        let keys = domain.facts.keys().map(String::as_str).collect();
        return unknown.then(|| (format!("the domain has no fact `{key}`, so the condition could never hold"), keys));
    }
    if ROOTS.contains(&root) {
        return None;
    }
    if let Some(contract) = domain.entity_types.get(root) {
        let field = segments.nth(1)?;
        let unknown = contract.fields.get(field).is_none();
        let fields = contract.fields.keys().map(String::as_str).collect();
        return unknown
            .then(|| (format!("a `{root}` has no field `{field}`, so the condition could never hold"), fields));
    }
    // Without entity types any type may still come: `order.A-1.status`.
    let may_come = domain.entity_types.is_empty() && path.segments.len() > 2;
    if may_come || rooms.world.knows_type(root) {
        return None;
    }
    let names = ROOTS.into_iter().chain(domain.entity_types.keys().map(String::as_str)).collect();
    Some((format!("nothing is called `{root}`, so the condition could never be evaluated"), names))
}

/// The events that wait for what cannot be told now.
pub(crate) fn problems(rooms: &Rooms, at: At, out: &mut Vec<Problem>) {
    let problem = |code: &str, message: String, event: &str, seq| Problem {
        code: code.to_owned(),
        message,
        severity: "open".to_owned(),
        seq,
        details: Value::from([("event", event)]),
    };
    let names = rooms.names(at, at.valid_at);
    for (id, name, when, seq) in rooms.world.open_conditions(at) {
        if let (false, Some(why)) = names.holds(when) {
            let message = format!("`{name}` waits for `{when}`, which cannot be told now: {why}");
            out.push(problem("event-cannot-tell", message, id, seq));
        }
    }
    let mut events: Option<Vec<String>> = None;
    for (id, name, other, seq) in rooms.world.unknown_orders(at) {
        let machine = events.get_or_insert_with(|| {
            rooms.machine.view(at, &names).transitions.into_iter().map(|transition| transition.event).collect()
        });
        if !machine.iter().any(|event| event == other) {
            let message = format!("`{name}` comes after `{other}`, and there is no event of this name yet");
            out.push(problem("event-waits-for-unknown", message, id, seq));
        }
    }
}
