//! Whether a fact may be asserted or retracted, and what that does.

use throughline_expr::time::{Zone, parse_instant};
use throughline_journal::{ActorKind, Millis};
use throughline_protocol::check::check_value;
use throughline_protocol::command::{AssertFact, RetractFact};
use throughline_protocol::domain::{FactType, FieldType, Source};
use throughline_protocol::{At, Context, DEFAULT_SUBJECT, Decision, Refusal, Time, nearest};
use throughline_value::{Map, Number, Value};

use super::timeline::{Cardinality, Entry, Rank, Rule, Says, Timeline};
use super::{Ledger, MAX_NAME_CHARS, MAX_VALUE_BYTES};

/// What the domain says about a key, resolved.
struct Rules<'a> {
    cardinality: Cardinality,
    value: &'a FieldType,
    /// How conflicts between sources are settled, when not by the newest.
    rule: Option<Rule>,
}

/// A value as it is stored.
struct Checked {
    value: Value,
    /// What it is compared by, when not by itself.
    identity: Option<Value>,
    zone_assumed: bool,
}

impl Checked {
    fn identity(&self) -> &Value {
        self.identity.as_ref().unwrap_or(&self.value)
    }
}

impl Ledger {
    /// Decides an assertion. Gives back `{version, unchanged, superseded, late}`: the version's number, whether
    /// it was already there, the number of the version it took the place of, and whether a newer one stands
    /// behind it. Times without a zone are read in `zone`.
    ///
    /// # Errors
    /// `unknown-fact`, `not-authorised`, `cardinality-changed`, the codes of [`check_value`], `zone-missing`, `bad-instant`,
    /// `empty-interval`, `out-of-range`, `version-conflict`, `empty-name`, `name-too-long`, `value-too-large`.
    pub fn assert_fact(
        &self,
        ctx: &Context<'_>,
        command: &AssertFact,
        zone: Option<&Zone>,
    ) -> Result<Decision, Refusal> {
        let subject = subject(command.subject.as_deref())?;
        let key = command.key.as_str();
        let any = FactType::default();
        let rules = self.rules(ctx, subject, key, &any)?;
        let checked = check(rules.value, &command.value, zone)?;
        let valid_from = ctx.valid();
        let (valid_to, end_assumed) = match &command.valid_to {
            Some(time) => read_time(time, zone).map(|(ms, assumed)| (Some(ms), assumed))?,
            None => (None, false),
        };
        if valid_to.is_some_and(|end| end <= valid_from) {
            let message = "a fact ends after it begins; give a later `valid_to` or an earlier `valid_from`";
            return Err(Refusal::new("empty-interval", message)
                .at_path("/valid_to")
                .with(Value::from([("valid_from", Value::from(valid_from)), ("valid_to", valid_to.into())])));
        }
        confidence(command.confidence.as_ref())?;

        let timeline = self.timeline(subject, key);
        let at = At { seq: u64::MAX, valid_at: valid_from };
        let ranked = rules.rule.is_some() && timeline.is_some_and(|t| t.rule(u32::MAX).is_some());
        let current = timeline.and_then(|t| match rules.cardinality {
            // Each source takes the place of what it said itself.
            _ if ranked => t.current_of_source(command.source.as_deref(), at),
            Cardinality::Many => t.current_of(checked.identity(), at),
            Cardinality::One | Cardinality::Interval => t.current(at).pop(),
            Cardinality::Append => None,
        });
        let current = current.and_then(|i| timeline?.get(i));
        if let Some(origin) = ctx.origin
            && let Some(same) = timeline.and_then(|t| t.repeats(origin, Says::Asserted, checked.identity()))
        {
            return Ok(Decision::unchanged(unchanged(same.number())));
        }
        let same = current.filter(|v| v.says_already(checked.identity(), valid_to, command.confidence.as_ref()));
        // What is already true makes no version. But where the input has its place in valid time or at a source,
        // that it was said is kept: what arrives later can come to stand before it.
        if let Some(version) = same
            && ctx.origin.is_none()
            && ctx.valid_from.is_none_or(|from| from <= version.valid_from())
        {
            return Ok(Decision::unchanged(unchanged(version.number())));
        }
        if same.is_none() {
            // What a caller has seen is what counts, whoever said it.
            let stands = if ranked { timeline.and_then(|t| t.get(t.current(at).pop()?)) } else { current };
            let seen = match rules.cardinality {
                Cardinality::One | Cardinality::Interval => stands.map_or(0, Entry::number),
                Cardinality::Many | Cardinality::Append => newest(timeline),
            };
            expect(command.expected_version, seen, stands.map(Entry::value))?;
        }
        let late = timeline.and_then(|t| t.next_after(valid_from, ctx.origin, checked.identity()));
        let number = same.map_or(u64::from(newest(timeline)) + 1, |v| u64::from(v.number()));
        let superseded = current.filter(|_| same.is_none());
        let mut data = Map::new();
        data.insert("subject".to_owned(), subject.into());
        data.insert("key".to_owned(), key.into());
        data.insert("value".to_owned(), checked.value);
        data.insert("cardinality".to_owned(), rules.cardinality.name().into());
        data.insert("version".to_owned(), number.into());
        let mut optional = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                data.insert(name.to_owned(), value);
            }
        };
        optional("confirms", same.map(|v| u64::from(v.number()).into()));
        optional("identity", checked.identity);
        optional("valid_to", valid_to.map(Value::from));
        optional("source", command.source.clone().map(Value::from));
        optional("confidence", command.confidence.clone().map(Value::from));
        optional("superseded", superseded.map(|v| Value::from(v.seq())));
        optional("before", late.map(|v| Value::from(v.seq())));
        optional("rule", rules.rule.map(|rule| rule.name().into()));
        let known = || command.source.iter().chain(&command.sources).any(|name| declared(ctx, name).is_some());
        optional("rank", (rules.rule.is_some() || known()).then(|| rank(ctx, command).to_value()));
        optional("sources", (!command.sources.is_empty()).then(|| command.sources.clone().into()));
        optional("zone_assumed", (checked.zone_assumed || end_assumed).then(|| true.into()));
        optional(
            "valid_to_text",
            match &command.valid_to {
                Some(Time::Text(text)) => Some(text.clone().into()),
                _ => None,
            },
        );
        let result = Value::from([
            ("version", Value::from(number)),
            ("unchanged", same.is_some().into()),
            ("superseded", superseded.map(|v| u64::from(v.number())).into()),
            ("late", late.is_some().into()),
        ]);
        Ok(Decision::one(ctx.draft("fact.asserted", Value::Map(data)), result))
    }

    /// Decides a retraction of one value or of all that are true. Gives back `{retracted, unchanged}`: the
    /// numbers of the versions that it ends.
    ///
    /// # Errors
    /// `unknown-fact`, `cardinality-changed`, the codes of [`check_value`], `version-conflict`, `empty-name`,
    /// `name-too-long`.
    pub fn retract_fact(
        &self,
        ctx: &Context<'_>,
        command: &RetractFact,
        zone: Option<&Zone>,
    ) -> Result<Decision, Refusal> {
        let subject = subject(command.subject.as_deref())?;
        let key = command.key.as_str();
        let any = FactType::default();
        let rules = self.rules(ctx, subject, key, &any)?;
        let timeline = self.timeline(subject, key);
        if timeline.is_none() && ctx.domain.facts.is_empty() && ctx.origin.is_none() {
            return Err(self.unknown(subject, key, ctx));
        }
        let value = command.value.as_ref().map(|value| check(rules.value, value, zone)).transpose()?;
        let says = if value.is_some() { Says::Retracted } else { Says::AllRetracted };
        let nothing = Value::Null;
        let identity = value.as_ref().map_or(&nothing, Checked::identity);
        if let Some(origin) = ctx.origin
            && timeline.is_some_and(|t| t.repeats(origin, says, identity).is_some())
        {
            return Ok(Decision::unchanged(nothing_retracted()));
        }
        let at = At { seq: u64::MAX, valid_at: ctx.valid() };
        let ended: Vec<Entry<'_>> = timeline
            .map(|t| t.current(at).into_iter().filter_map(|i| t.get(i)).collect::<Vec<_>>())
            .unwrap_or_default()
            .into_iter()
            .filter(|v| value.as_ref().is_none_or(|value| v.identity() == value.identity()))
            .collect();
        let seen = match rules.cardinality {
            Cardinality::One | Cardinality::Interval => ended.last().map_or(0, |v| v.number()),
            Cardinality::Many | Cardinality::Append => newest(timeline),
        };
        expect(command.expected_version, seen, ended.last().map(|v| v.value()))?;
        // What a source says counts also where it comes before the assertion that it takes back; but a value
        // that a key with one value does not have is no news.
        let matters = ctx.origin.is_some() && (value.is_none() || rules.cardinality == Cardinality::Many);
        if ended.is_empty() && !matters {
            return Ok(Decision::unchanged(nothing_retracted()));
        }
        let mut data = Map::new();
        data.insert("subject".to_owned(), subject.into());
        data.insert("key".to_owned(), key.into());
        data.insert("cardinality".to_owned(), rules.cardinality.name().into());
        data.insert("all".to_owned(), value.is_none().into());
        if let Some(rule) = rules.rule {
            data.insert("rule".to_owned(), rule.name().into());
        }
        if let Some(value) = value {
            data.insert("value".to_owned(), value.value);
            if let Some(identity) = value.identity {
                data.insert("identity".to_owned(), identity);
            }
        }
        data.insert("ended".to_owned(), ended.iter().map(|v| v.seq()).collect::<Vec<_>>().into());
        let numbers: Vec<u64> = ended.iter().map(|v| u64::from(v.number())).collect();
        let result = Value::from([("retracted", Value::from(numbers)), ("unchanged", false.into())]);
        Ok(Decision::one(ctx.draft("fact.retracted", Value::Map(data)), result))
    }

    fn rules<'a>(&self, ctx: &Context<'a>, subject: &str, key: &str, any: &'a FactType) -> Result<Rules<'a>, Refusal> {
        name(key, "/key")?;
        let declared = ctx.domain.facts.get(key);
        if declared.is_none() && !ctx.domain.facts.is_empty() {
            return Err(self.unknown(subject, key, ctx));
        }
        let fact = declared.unwrap_or(any);
        let speaker = match ctx.actor.kind {
            ActorKind::User => "user",
            ActorKind::Rule => "rule",
            ActorKind::Tool => "tool",
            ActorKind::Model => "model",
            ActorKind::Import => "import",
        };
        if !fact.said_by.is_empty() && !fact.said_by.iter().any(|name| name == speaker) {
            let message = format!("`{key}` is not for a {speaker} to say, only for: {}", fact.said_by.join(", "));
            return Err(Refusal::new("not-authorised", message).at_path("/key"));
        }
        let named = fact.cardinality.as_deref().unwrap_or("one");
        let cardinality = Cardinality::parse(named).ok_or_else(|| {
            let message = format!("the domain gives `{key}` the cardinality `{named}`, which is none");
            let suggestion = format!("the cardinalities are {}", Cardinality::NAMES.join(", "));
            Refusal::new("unknown-cardinality", message).at_path("/key").suggest(suggestion)
        })?;
        if let Some(was) = self.timeline(subject, key).map(|t| t.cardinality).filter(|was| *was != cardinality) {
            let message = format!(
                "`{key}` has versions with cardinality `{}`, and the domain now says `{}`; use a new key",
                was.name(),
                cardinality.name()
            );
            return Err(Refusal::new("cardinality-changed", message).at_path("/key"));
        }
        let rule = fact.conflict.as_deref().and_then(Rule::parse);
        let rule = rule.filter(|_| matches!(cardinality, Cardinality::One | Cardinality::Interval));
        Ok(Rules { cardinality, value: &fact.value, rule })
    }

    fn unknown(&self, subject: &str, key: &str, ctx: &Context<'_>) -> Refusal {
        let declared = ctx.domain.facts.keys().map(String::as_str);
        let known = self.timelines(Some(subject), None).map(|(_, key, _)| key);
        let names: Vec<&str> = if ctx.domain.facts.is_empty() { known.collect() } else { declared.collect() };
        let refusal = Refusal::new("unknown-fact", format!("there is no fact `{key}`")).at_path("/key");
        match nearest(key, &names) {
            Some(name) => refusal.suggest(format!("did you mean `{name}`?")),
            None if names.is_empty() => refusal.suggest("nothing is known here yet"),
            None => refusal.suggest(format!("the facts are {}", names.join(", "))),
        }
    }
}

/// How much what is said counts: as much as the least trusted source that it rests on. What a person or the
/// domain's own rules say without naming a source is trusted fully; a source that the domain does not know is not
/// trusted; one without a `trust` is trusted by half.
fn rank(ctx: &Context<'_>, command: &AssertFact) -> Rank {
    let said_here = matches!(ctx.actor.kind, ActorKind::User | ActorKind::Rule);
    let mut sources = command.source.iter().chain(&command.sources).peekable();
    let person = sources.peek().is_none() && ctx.actor.kind == ActorKind::User;
    if sources.peek().is_none() {
        return Rank { trust: Number::from(i64::from(said_here)), official: false, person };
    }
    let half = || Number::parse("0.5").unwrap_or_else(|| Number::from(0));
    let mut rank = Rank { trust: Number::from(1), official: true, person: false };
    for name in sources {
        let declared = declared(ctx, name);
        let trust = declared.map_or_else(|| Number::from(0), |s| s.trust.clone().unwrap_or_else(half));
        rank.official &= declared.is_some_and(|s| s.official);
        if trust < rank.trust {
            rank.trust = trust;
        }
    }
    rank
}

/// A source of the domain by its name, or by the document or tool that it reads.
fn declared<'a>(ctx: &Context<'a>, name: &str) -> Option<&'a Source> {
    let reads = |source: &&Source| source.document.as_deref() == Some(name) || source.tool.as_deref() == Some(name);
    ctx.domain.sources.get(name).or_else(|| ctx.domain.sources.values().find(reads))
}

fn unchanged(number: u32) -> Value {
    Value::from([
        ("version", Value::from(u64::from(number))),
        ("unchanged", true.into()),
        ("superseded", Value::Null),
        ("late", false.into()),
    ])
}

fn nothing_retracted() -> Value {
    Value::from([("retracted", Value::List(Vec::new())), ("unchanged", true.into())])
}

/// The newest version's number.
fn newest(timeline: Option<&Timeline>) -> u32 {
    timeline.and_then(|t| t.versions().last()).map_or(0, Entry::count)
}

fn name<'a>(text: &'a str, path: &str) -> Result<&'a str, Refusal> {
    if text.is_empty() {
        return Err(Refusal::new("empty-name", "a name is needed here").at_path(path));
    }
    if text.chars().count() > MAX_NAME_CHARS {
        let message = format!("a name has at most {MAX_NAME_CHARS} characters");
        return Err(Refusal::new("name-too-long", message).at_path(path));
    }
    Ok(text)
}

fn subject(given: Option<&str>) -> Result<&str, Refusal> {
    given.map_or(Ok(DEFAULT_SUBJECT), |text| name(text, "/subject"))
}

fn confidence(given: Option<&Number>) -> Result<(), Refusal> {
    match given {
        Some(number) if *number < Number::from(0) || *number > Number::from(1) => {
            let message = format!("a confidence lies between 0 and 1; {number} does not");
            Err(Refusal::new("out-of-range", message).at_path("/confidence"))
        }
        _ => Ok(()),
    }
}

fn expect(expected: Option<u64>, seen: u32, value: Option<&Value>) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != u64::from(seen) => {
            let message =
                format!("version {expected} was expected, and version {seen} stands; read it and decide again");
            let details = Value::from([
                ("expected", Value::from(expected)),
                ("version", u64::from(seen).into()),
                ("value", value.cloned().into()),
            ]);
            Err(Refusal::new("version-conflict", message).at_path("/expected_version").with(details))
        }
        _ => Ok(()),
    }
}

fn check(field: &FieldType, value: &Value, zone: Option<&Zone>) -> Result<Checked, Refusal> {
    let value = check_value(field, value).map_err(|refusal| {
        let path = format!("/value{}", refusal.path.as_deref().unwrap_or_default());
        refusal.at_path(path)
    })?;
    let size = value.to_json().len();
    if size > MAX_VALUE_BYTES {
        let message =
            format!("a value has at most {MAX_VALUE_BYTES} bytes, and this one {size}; add a document instead");
        return Err(Refusal::new("value-too-large", message).at_path("/value"));
    }
    match (field.r#type.as_str(), &value) {
        ("instant", Value::Text(text)) => {
            let reading = parse_instant(text, zone)
                .map_err(|error| Refusal::new(error.code(), error.message().to_owned()).at_path("/value"))?;
            Ok(Checked { identity: Some(reading.ms.into()), zone_assumed: reading.zone_assumed, value })
        }
        _ => Ok(Checked { value, identity: None, zone_assumed: false }),
    }
}

fn read_time(time: &Time, zone: Option<&Zone>) -> Result<(Millis, bool), Refusal> {
    match time {
        Time::Millis(ms) => Ok((*ms, false)),
        Time::Text(text) => parse_instant(text, zone)
            .map(|reading| (reading.ms, reading.zone_assumed))
            .map_err(|error| Refusal::new(error.code(), error.message().to_owned()).at_path("/valid_to")),
    }
}
