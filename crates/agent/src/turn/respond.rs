//! Respond: the model words the answer, or the domain's template does, with a footnote for everything that
//! rests on evidence. What the model says counts only when every figure, date, name and offer in it holds.

use throughline_expr::time::Zone;
use throughline_expr::{Env, Expr};
use throughline_plan::answer::{AnswerScope, RunScope, render_revealing};
use throughline_plan::{Bound, Evidence};
use throughline_protocol::domain::{FieldType, Intent};
use throughline_protocol::view::{AnswerView, EntityView, FactView, Footnote};
use throughline_protocol::{At, Context, DEFAULT_SUBJECT, Domain};
use throughline_value::{Map, Named, Number, Value};

use super::ask_model::{Asked, ask};
use super::ground::GUESSED;
use super::{Ending, Move, draft, finish, intent_of, prompts, with_changes};
use crate::claims::units::{self, Unit};
use crate::claims::{Claim, Found, claims, deeds, is_cjk, is_denied, small_places, spans, stem};
use crate::constraints::Checked;
use crate::known::Known;
use crate::owners::Owners;
use crate::phrases::{Phrase, say};
use crate::turns::{Stage, Turn};
use crate::{Names, Rooms};

/// How far behind its label a fact's figure may stand, in bytes, to be taken for it.
const NEAR: usize = 24;

pub(crate) fn advance(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>) -> Move {
    let intent = intent_of(turn, ctx.domain);
    if let Some(intent) = intent
        && ctx.domain.agent.model_answers
    {
        let asked = ask(
            turn,
            ctx,
            "respond",
            0,
            |wrong| prompts::respond(rooms, turn, ctx, intent, wrong),
            None,
            |value| hold(rooms, turn, ctx, intent, value),
        );
        return match asked {
            Asked::Wait => Move::Wait,
            Asked::Record(drafts) => Move::Record(drafts),
            Asked::Got(answer, changes) => speak(turn, ctx, "done", answer, with_changes(Map::new(), changes)),
            Asked::GaveUp(wrong) => {
                let mut output = Map::new();
                output.insert("model".to_owned(), Value::from(wrong));
                by_template(rooms, turn, ctx, "fallback", output)
            }
        };
    }
    by_template(rooms, turn, ctx, "done", Map::new())
}

fn by_template(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, verdict: &'static str, mut output: Map) -> Move {
    let language = turn.started.language.as_str();
    let rendered = intent_of(turn, ctx.domain).map(|intent| {
        let answer = answer(rooms, turn, ctx, intent)?;
        let wrong = offers(rooms, turn, ctx, &answer.text);
        if wrong.is_empty() { Ok(answer) } else { Err(wrong.join("; ")) }
    });
    let (verdict, answer) = match rendered {
        Some(Ok(answer)) => (verdict, answer),
        other => {
            if let Some(Err(problem)) = other {
                output.insert("problem".to_owned(), Value::from(problem));
            }
            ("fallback", plain(say(Phrase::NoAnswer, language)))
        }
    };
    speak(turn, ctx, verdict, answer, output)
}

/// What a template's text names that breaks a constraint: a fact that was fine when it was said may not be now. The
/// template's own words are the author's.
fn offers(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, text: &str) -> Vec<String> {
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let language = turn.started.language.as_str();
    let checked = Checked { rooms, domain: ctx.domain, at, language, names: names(rooms, turn, ctx, at) };
    checked.by_entities(&checked.named_in(text))
}

fn speak(turn: &Turn, ctx: &Context<'_>, verdict: &'static str, answer: AnswerView, mut output: Map) -> Move {
    output.insert("text".to_owned(), Value::from(answer.text.as_str()));
    output.insert("unsupported".to_owned(), Value::from(answer.unsupported.clone()));
    let ending = Ending {
        after: Some(Box::new(move |_, ctx| vec![draft(ctx, "turn.answered", &answer)])),
        ..Ending::new(verdict, Value::Map(output))
    };
    finish(turn, ctx, Stage::Respond, ending)
}

fn plain(text: &str) -> AnswerView {
    AnswerView { text: text.to_owned(), from: "agent".to_owned(), ..AnswerView::default() }
}

/// The names that an answer may use beside the run's values.
fn names<'a>(rooms: &'a Rooms, turn: &Turn, ctx: &Context<'_>, at: At) -> Names<'a> {
    rooms
        .names(at, ctx.now)
        .with("question", Value::from(turn.started.text.as_str()))
        .with("language", Value::from(turn.started.language.as_str()))
        .with("interpretation", turn.output(Stage::Interpret).clone())
        .with("decision", turn.output(Stage::Decide).clone())
        .with("fallback", fallbacks(turn))
}

/// Whether what the model says may be said; else everything that is wrong with it.
fn hold(
    rooms: &Rooms,
    turn: &Turn,
    ctx: &Context<'_>,
    intent: &Intent,
    value: &Value,
) -> Result<AnswerView, Vec<String>> {
    let text = value.get("text").and_then(Value::as_str).unwrap_or("").trim();
    if text.is_empty() {
        return Err(vec!["`text` is empty; say something".to_owned()]);
    }
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    let language = turn.started.language.as_str();
    let values = turn.run.as_ref().map(|run| rooms.plans.values(run)).unwrap_or_default();
    let bound: Map = values.iter().map(|(name, bound)| (format!("${name}"), bound.value.clone())).collect();
    let names = names(rooms, turn, ctx, at);
    let zone = names.zone().cloned();
    let checked = Checked { rooms, domain: ctx.domain, at, language, names: names.clone().with_all(&bound) };
    let named = checked.named_in(text);
    let mut wrong = checked.by_answer(text, &named);

    let (facts, _) = rooms.recent_facts(at);
    let mut known = Known::new(zone.as_ref(), ctx.now);
    let mut owners = Owners::new(&known);
    named.iter().for_each(|entity| owners.entity(entity));
    known.domain(ctx.domain, language);
    owners.free().domain(ctx.domain, language);
    // What is kept from answers of this kind supports nothing that is said in one.
    let reveals = ctx.domain.answers.get(&intent.answer).map_or(&[][..], |answer| answer.reveals.as_slice());
    let class = |key: &str| ctx.domain.facts.get(key).and_then(|fact| fact.value.class.as_ref());
    // Neither does what the model itself guessed.
    let stands = |fact: &&FactView| {
        fact.source.as_deref() != Some(GUESSED) && class(&fact.key).is_none_or(|class| reveals.contains(class))
    };
    for fact in facts.iter().filter(stands) {
        known.name(&fact.key);
        known.value(&fact.value);
        let kind = ctx.domain.facts.get(&fact.key);
        let label = kind.map_or("", |kind| kind.label.get(language));
        let unit = kind.and_then(|kind| kind.value.unit.as_ref());
        if fact.subject != DEFAULT_SUBJECT {
            match rooms.world.entity(&fact.subject, at) {
                Ok(detail) => owners.of(&[&detail.entity.raw_id]).value(&fact.value),
                Err(_) => owners.of(&[&fact.subject]).value(&fact.value),
            }
        } else if unit.is_some() && !label.is_empty() && named.iter().any(|entity| has_unit(ctx.domain, entity, unit)) {
            owners.label(label, &fact.value);
        } else {
            owners.free().value(&fact.value);
        }
    }
    for bound in values.values() {
        known.value(&bound.value);
        bound.evidence.iter().for_each(|evidence| known.text(&evidence.quote));
        owners.value(&bound.value);
    }
    // What was decided was checked and done; the words of its reason were not.
    let decision = turn.output(Stage::Decide);
    for part in ["args", "results"].iter().filter_map(|part| decision.get(part)) {
        known.value(part);
        owners.value(part);
    }
    known.name(&turn.started.text);
    owners.free().name(&turn.started.text);
    named.iter().for_each(|entity| known.entity(entity));
    let masks: Vec<&str> = named.iter().flat_map(of_entity).collect();
    let found = claims(text, &masks);
    // The things that are spoken of, whatever rules are about them.
    let mut spoken = named.clone();
    for name in found.iter().filter(|found| found.claim == Claim::Name) {
        let one = name.text.strip_suffix('s').unwrap_or(&name.text);
        let id = [name.text.as_str(), one].into_iter().find_map(|name| rooms.world.resolve_at(name, None, at.seq));
        if let Some(id) = id
            && let Ok(detail) = rooms.world.entity(&id, at)
        {
            known.entity(&detail.entity);
            owners.entity(&detail.entity);
            spoken.push(detail.entity);
        }
    }
    // What the user spoke of, under names that cannot be told from other words.
    for mention in turn.output(Stage::Ground).get("entities").and_then(Value::as_list).unwrap_or_default() {
        let id = mention.get("entity").and_then(Value::as_str).unwrap_or_default();
        if let Ok(detail) = rooms.world.entity(id, at) {
            owners.entity(&detail.entity);
            if !spans(text, &of_entity(&detail.entity)).is_empty() {
                known.entity(&detail.entity);
                spoken.push(detail.entity);
            }
        }
    }
    spoken.dedup_by(|a, b| a.id == b.id);
    for bound in values.values() {
        bound.evidence.iter().for_each(|evidence| owners.quote(&evidence.quote));
    }
    let mut loose: Vec<&str> = Vec::new();
    for found in found.iter().filter(|found| !known.supports(found)) {
        if !loose.contains(&found.text.as_str()) {
            loose.push(&found.text);
        }
    }
    wrong.extend(
        loose
            .iter()
            .map(|text| format!("`{text}` rests on no fact, value or source; leave it out, or say what they say")),
    );
    wrong.extend(owners.misplaced(text, &found));
    wrong.extend(slips(text, &found, &spoken, ctx.domain, language));
    // A figure that a source or a decision says may be in any unit.
    let mut unmeasured = Known::new(zone.as_ref(), ctx.now);
    for bound in values.values() {
        unmeasured.value(&bound.value);
        bound.evidence.iter().for_each(|evidence| unmeasured.text(&evidence.quote));
    }
    ["args", "results"].iter().filter_map(|part| decision.get(part)).for_each(|part| unmeasured.value(part));
    wrong.extend(mismeasured(text, &found, &measured(&facts, &spoken, ctx.domain), &unmeasured));
    wrong.extend(contradictions(text, &found, &facts, ctx, language));
    let own = facts.iter().filter(|fact| fact.subject == DEFAULT_SUBJECT);
    wrong.extend(own.filter_map(|fact| {
        let kind = ctx.domain.facts.get(&fact.key)?;
        mischosen(text, kind.label.get(language), &kind.value, &fact.value)
    }));
    if let [entity] = spoken.as_slice()
        && let Some(of) = ctx.domain.entity_types.get(&entity.entity_type)
    {
        let fields = of.fields.iter().filter_map(|(name, kind)| Some((kind, entity.fields.get(name)?)));
        wrong.extend(fields.filter_map(|(kind, value)| mischosen(text, kind.label.get(language), kind, value)));
    }
    wrong.extend(undone(text, turn, ctx.domain, &facts, language));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let scope = Scoped { names, intent, values: &values };
    Ok(noted(text, &found, &facts, &scope))
}

/// What a text says was done and was not. A deed in the words of an action is that action: done in this turn, or
/// the facts that it leaves stand. Any other deed of the one who speaks needs something that was done.
fn undone(text: &str, turn: &Turn, domain: &Domain, facts: &[FactView], language: &str) -> Vec<String> {
    let words = |name: &str, description: &str| -> Vec<String> {
        let first = description.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or("");
        let own = first.chars().take_while(|c| is_cjk(*c)).take(2).collect::<String>();
        let latin = name.split(['_', '-', '.', ' ']).chain(own.is_empty().then_some(first));
        let stems = latin.map(|word| stem(&word.to_lowercase())).filter(|word| word.len() > 1);
        stems.chain((own.chars().count() > 1).then_some(own.clone())).collect()
    };
    let actions: Vec<(&String, Vec<String>)> =
        domain.actions.iter().map(|(name, action)| (name, words(name, action.description.get(language)))).collect();
    let acts: Vec<String> = actions.iter().flat_map(|(_, words)| words.iter().cloned()).collect();
    let decision = turn.output(Stage::Decide);
    let failed = ["rejected", "refused"].iter().any(|how| decision.get(how).is_some());
    let done = decision.get("action").and_then(Value::as_str).filter(|_| !failed);
    // What a run called may have changed the world; which deed is which, nobody can say here.
    let called = turn.run.is_some() && domain.tools.values().any(|tool| tool.effect.as_deref() == Some("write"));
    let stands = |name: &str| {
        let commands = domain.actions.get(name).map(|action| action.commands.as_slice()).unwrap_or_default();
        let asserts = commands.iter().filter(|c| c.get("type").and_then(Value::as_str) == Some("assert_fact"));
        let mut keys = asserts.filter_map(|c| c.get("key").and_then(Value::as_str)).peekable();
        keys.peek().is_some() && keys.all(|key| facts.iter().any(|fact| fact.key == key))
    };
    let is_true = |deed: &crate::claims::Deed| {
        let mut of =
            actions.iter().filter(|(_, words)| words.contains(&deed.verb)).map(|(name, _)| name.as_str()).peekable();
        if of.peek().is_none() {
            return !deed.own || done.is_some() || called;
        }
        called || of.any(|name| done == Some(name) || stands(name))
    };
    let lies = deeds(text, &acts).into_iter().filter(|deed| !is_true(deed));
    lies.map(|deed| format!("`{}` says that something was done which was not; say what is so", deed.text)).collect()
}

/// The names of a thing.
fn of_entity(entity: &EntityView) -> Vec<&str> {
    std::iter::once(entity.raw_id.as_str()).chain(entity.aliases.iter().map(String::as_str)).collect()
}

/// Whether a thing has a field in this unit.
fn has_unit(domain: &Domain, entity: &EntityView, unit: Option<&String>) -> bool {
    domain.entity_types.get(&entity.entity_type).is_some_and(|of| of.fields.values().any(|f| f.unit.as_ref() == unit))
}

/// Whether what stands between a label and a figure only joins them: "price is", "价格为", and not "price below".
fn links(between: &str) -> bool {
    let joins = |word: &str| matches!(word, "" | "is" | "of" | "at" | "was" | "only" | "just" | "usd" | "eur");
    let other = |c: char| !c.is_alphabetic() || "为是只要仅".contains(c);
    !between.contains(['.', '。', ',', '，', ';', '；', '、', '\n']) && between.to_lowercase().split(other).all(joins)
}

/// A figure right beside the label of a field that is another one there, where only one thing is named.
fn slips(text: &str, found: &[Found], named: &[EntityView], domain: &Domain, language: &str) -> Vec<String> {
    let [entity] = named else { return Vec::new() };
    let Some(of) = domain.entity_types.get(&entity.entity_type) else { return Vec::new() };
    let mut wrong = Vec::new();
    for (name, field) in &of.fields {
        let (label, value) = (field.label.get(language), entity.fields.get(name).and_then(Value::as_number));
        let Some(value) = value.filter(|_| !label.is_empty()) else { continue };
        for (start, end) in spans(text, &[label]) {
            let near = |from: usize, to: usize, most: usize| {
                text.get(from..to).is_some_and(|between| between.len() <= most && links(between))
            };
            let number = |found: &&Found| matches!(found.claim, Claim::Number(_));
            let after = found.iter().find(|f| f.start >= end).filter(number).filter(|f| near(end, f.start, NEAR));
            let before = found.iter().rfind(|f| f.end <= start).filter(number).filter(|f| near(f.end, start, 1));
            let is = |found: &Found| matches!(&found.claim, Claim::Number(number) if number == value);
            let beside: Vec<&Found> = after.into_iter().chain(before).collect();
            // "seven seats", `七个座位`: a small number in words is a figure right here.
            let counts =
                |between: &str| matches!(between, "" | " " | "-" | "个" | "座" | "位" | "间" | "只" | "台" | "件");
            let whole = |at: usize| !found.iter().any(|f| f.start <= at && at < f.end);
            let word = small_places(text).into_iter().find(|(_, from, to)| {
                let before = *to <= start && text.get(*to..start).is_some_and(counts);
                (before || *from >= end && near(end, *from, NEAR)) && whole(*from)
            });
            if let Some((small, from, to)) =
                word.filter(|(small, ..)| Number::from(*small) != *value && beside.is_empty())
            {
                let said = text.get(from..to).map_or_else(|| small.to_string(), str::to_owned);
                wrong.push(format!("`{label}` of {} is {value}, not {said}: the ledger says so", entity.raw_id));
            }
            if let Some(first) = beside.first().filter(|_| !beside.iter().any(|found| is(found))) {
                let said = &first.text;
                wrong.push(format!("`{label}` of {} is {value}, not {said}: the ledger says so", entity.raw_id));
            }
        }
    }
    wrong
}

/// A choice that stands right behind the label of what has another one: "the colour is red", where it is blue.
fn mischosen(text: &str, label: &str, kind: &FieldType, value: &Value) -> Option<String> {
    let chosen = value.as_str()?;
    let choices: Vec<&str> = kind.values.iter().filter_map(Value::as_str).collect();
    if label.is_empty() || !choices.contains(&chosen) {
        return None;
    }
    for (_, end) in spans(text, &[label]) {
        let places = choices.iter().flat_map(|choice| spans(text, &[*choice]).into_iter().map(move |at| (at, *choice)));
        let beside = places.filter(|((start, _), _)| {
            text.get(end..*start).is_some_and(|between| between.len() <= NEAR && links(between))
        });
        if let Some((_, said)) = beside.min_by_key(|(at, _)| *at).filter(|(_, said)| *said != chosen) {
            return Some(format!("`{label}` is {chosen}, not {said}: the ledger says so"));
        }
    }
    None
}

/// The figures of facts and of things that are spoken of, with their units.
fn measured<'a>(facts: &'a [FactView], spoken: &'a [EntityView], domain: &Domain) -> Vec<(&'a Number, Unit)> {
    let kind = |kind: Option<&FieldType>| kind.and_then(|kind| units::unit(kind.unit.as_deref()?));
    let of_facts = facts.iter().filter_map(|fact| {
        let of = domain.facts.get(&fact.key).map(|fact| &fact.value);
        Some((fact.value.as_number()?, kind(of)?))
    });
    let of_things = spoken.iter().flat_map(|entity| {
        let of = domain.entity_types.get(&entity.entity_type);
        let field = move |name: &String| of.and_then(|of| of.fields.get(name));
        entity.fields.iter().filter_map(move |(name, value)| Some((value.as_number()?, kind(field(name))?)))
    });
    of_facts.chain(of_things).collect()
}

/// A figure in another unit than the one in which it is known: "2.5 tons", where it is 2.5 kg.
fn mismeasured(text: &str, found: &[Found], measured: &[(&Number, Unit)], unmeasured: &Known<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    for found in found {
        let Claim::Number(number) = &found.claim else { continue };
        let Some(said) = units::beside(text, found.start, found.end).filter(|_| !unmeasured.supports(found)) else {
            continue;
        };
        let mut same = measured.iter().filter(|(known, _)| **known == *number).map(|(_, unit)| *unit);
        if same.clone().all(|unit| unit != said) && same.any(|unit| unit.differs(said)) {
            wrong.push(format!("`{}` is known in another unit than the one beside it; say its own", found.text));
        }
    }
    wrong
}

/// A figure that stands right behind the label of a fact and is another one.
fn contradictions(text: &str, found: &[Found], facts: &[FactView], ctx: &Context<'_>, language: &str) -> Vec<String> {
    let labels: Vec<(&FactView, &str)> = facts
        .iter()
        .filter(|fact| fact.subject == DEFAULT_SUBJECT && fact.value.as_number().is_some() && fact.versions > 0)
        .filter_map(|fact| Some((fact, ctx.domain.facts.get(&fact.key)?.label.get(language))))
        .filter(|(_, label)| !label.is_empty())
        .collect();
    let places: Vec<(usize, usize)> = labels.iter().flat_map(|(_, label)| spans(text, &[label])).collect();
    let mut wrong = Vec::new();
    for (fact, label) in &labels {
        for (_, end) in spans(text, &[label]) {
            let next = found.iter().find(|found| found.start >= end);
            let Some(Found { claim: Claim::Number(number), start, text: said, .. }) = next else { continue };
            let between = text.get(end..*start).unwrap_or("");
            let apart = between.len() > NEAR || between.contains(['.', '。', ',', '，', ';', '；', '\n']);
            let other = places.iter().any(|(s, _)| *s >= end && s < start);
            let denied = is_denied(text, *start);
            if !apart && !other && (fact.value.as_number() != Some(number)) != denied {
                let (value, not) = (fact.value.to_json(), if denied { "which the text denies" } else { "not" });
                wrong.push(format!("`{label}` is {value}, {not} {said}: the ledger says so"));
            }
        }
    }
    wrong
}

/// The text with the number of a footnote behind each figure that rests on evidence.
fn noted(text: &str, found: &[Found], facts: &[FactView], scope: &Scoped<'_>) -> AnswerView {
    let mut answer = AnswerView { from: "model".to_owned(), ..AnswerView::default() };
    let mut written = 0;
    for found in found {
        let Claim::Number(number) = &found.claim else { continue };
        let value = scope.values.iter().find(|(_, bound)| bound.value.as_number() == Some(number));
        let of_value = value.map(|(name, bound)| (format!("${name}"), bound.evidence.clone()));
        let fact = facts.iter().find(|fact| fact.value.as_number() == Some(number));
        let of_fact = || {
            let fact = fact.filter(|fact| fact.subject == DEFAULT_SUBJECT)?;
            Some((format!("facts.{}", fact.key), scope.evidence(&["facts".to_owned(), fact.key.clone()])))
        };
        let Some((name, evidence)) = of_value.or_else(of_fact).filter(|(_, evidence)| !evidence.is_empty()) else {
            continue;
        };
        let same = answer.footnotes.iter().find(|note| note.evidence == evidence).map(|note| note.number);
        let number = same.unwrap_or_else(|| {
            let number = answer.footnotes.len() as u32 + 1;
            answer.footnotes.push(Footnote { number, value: found.text.clone(), name, evidence });
            number
        });
        answer.text.push_str(text.get(written..found.end).unwrap_or(""));
        answer.text.push_str(&format!("[{number}]"));
        written = found.end;
    }
    answer.text.push_str(text.get(written..).unwrap_or(""));
    answer
}

fn answer(rooms: &Rooms, turn: &Turn, ctx: &Context<'_>, intent: &Intent) -> Result<AnswerView, String> {
    let Some(template) = ctx.domain.answers.get(&intent.answer) else {
        return Err(format!("the domain has no answer `{}`", intent.answer));
    };
    let at = At { seq: ctx.next_seq - 1, valid_at: ctx.now };
    if !template.states.is_empty() && !template.states.iter().any(|state| rooms.machine.in_state(state, at)) {
        return Err(format!("the answer `{}` is only open in {}", intent.answer, template.states.join(", ")));
    }
    let values = turn.run.as_ref().map(|run| rooms.plans.values(run)).unwrap_or_default();
    let outer = Scoped { names: names(rooms, turn, ctx, at), intent, values: &values };
    let about = turn.run.as_ref().map(|run| rooms.plans.about(run, &outer)).unwrap_or_default();
    let scope = RunScope::new(&values, &outer).about(about);
    let text = template.template.get(&turn.started.language);
    render_revealing(text, &intent.answer, &template.reveals, &scope).map_err(|error| error.to_string())
}

/// The stages in which the model's reply could not be used and the domain's rules stood in: an answer can
/// say so by the name `fallback`.
fn fallbacks(turn: &Turn) -> Value {
    let replaced = turn.outputs.iter().filter(|(_, (finished, _))| finished.verdict == "fallback");
    replaced.map(|(stage, _)| stage.name()).collect::<Vec<_>>().into()
}

/// What an answer may name beside the run's values, and what it rests on.
struct Scoped<'a> {
    names: Names<'a>,
    intent: &'a Intent,
    values: &'a Named<Bound>,
}

impl Env for Scoped<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        self.names.get(name)
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        self.names.get_path(path)
    }

    fn now(&self) -> Option<i64> {
        self.names.now()
    }

    fn zone(&self) -> Option<&Zone> {
        self.names.zone()
    }
}

impl AnswerScope for Scoped<'_> {
    fn evidence(&self, path: &[String]) -> Vec<Evidence> {
        // What was decided was checked and recorded; it rests on the turn's own decision.
        if path.first().is_some_and(|name| name == "decision") {
            let quote = self.names.get("decision").map(|decision| decision.to_json()).unwrap_or_default();
            return vec![Evidence { quote, method: "decision".to_owned(), ..Evidence::default() }];
        }
        let [facts, key, ..] = path else { return Vec::new() };
        if facts != "facts" {
            return Vec::new();
        }
        // A fact that this turn took from the run rests on what the run's values rest on.
        if let Some(expr) = self.intent.facts.get(key).and_then(|source| Expr::parse(source).ok()) {
            let used = expr.names();
            let found = used.iter().filter_map(|path| self.values.get(path.root().trim_start_matches('$')));
            let evidence: Vec<Evidence> = found.flat_map(|bound| bound.evidence.iter().cloned()).collect();
            if !evidence.is_empty() {
                return evidence;
            }
        }
        // Any other rests on the ledger itself.
        self.names.evidence(path)
    }

    fn classes(&self, path: &[String]) -> Vec<String> {
        self.names.classes(path)
    }
}
