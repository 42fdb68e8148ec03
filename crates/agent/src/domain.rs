//! Loading the rules of a business: everything in the document is checked before any of it counts.

use serde::{Deserialize, Serialize};
use throughline_expr::Expr;
use throughline_expr::template::Template;
use throughline_expr::time::Zone;
use throughline_journal::Digest;
use throughline_plan::Pattern;
use throughline_protocol::domain::Localised;
use throughline_protocol::{Command, Domain, Refusal};
use throughline_value::{SortedSet, Value, from_value, to_value};

use crate::turns::Stage;

/// A domain that was loaded, with its identity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedDomain {
    /// SHA-256 of its canonical text.
    pub hash: String,
    /// The document as it was given.
    pub document: Value,
    /// The document, read.
    pub domain: Domain,
}

#[derive(Serialize, Deserialize)]
struct DomainLoaded {
    hash: String,
    document: Value,
}

impl LoadedDomain {
    /// Reads and checks a document.
    ///
    /// # Errors
    /// `unknown-field` and the like where it does not have the form; `domain-broken` with the pointer into
    /// the document where a part names something that is not there or does not compile.
    pub fn read(document: &Value) -> Result<Self, Refusal> {
        let domain: Domain = from_value(document).map_err(|error| {
            let refusal = Refusal::from(error);
            let path = format!("/domain{}", refusal.path.clone().unwrap_or_default());
            refusal.at_path(path)
        })?;
        check(&domain)?;
        let hash = Digest::of_bytes(document.canonical().as_bytes());
        Ok(Self { hash, document: document.clone(), domain })
    }

    /// What its record holds.
    ///
    /// # Errors
    /// Never for a document that was read.
    pub fn to_record(&self) -> Result<Value, Refusal> {
        Ok(to_value(&DomainLoaded { hash: self.hash.clone(), document: self.document.clone() })?)
    }

    /// Reads it back; `None` when the record is not one.
    #[must_use]
    pub fn of_record(data: &Value) -> Option<Self> {
        let loaded: DomainLoaded = from_value(data).ok()?;
        let domain = from_value(&loaded.document).ok()?;
        Some(Self { hash: loaded.hash, document: loaded.document, domain })
    }
}

fn broken(path: &str, message: impl Into<String>) -> Refusal {
    Refusal::new("domain-broken", message).at_path(format!("/domain{path}"))
}

fn known<'a>(path: &str, what: &str, name: &str, names: impl Iterator<Item = &'a String>) -> Result<(), Refusal> {
    let names: Vec<&str> = names.map(String::as_str).collect();
    if names.contains(&name) {
        return Ok(());
    }
    Err(broken(path, format!("there is no {what} `{name}`")).suggest(format!("the names are {}", names.join(", "))))
}

fn expression(path: &str, source: &str) -> Result<(), Refusal> {
    Expr::parse(source).map(drop).map_err(|error| broken(path, error.to_string()).at_span(error.span()))
}

fn templates(path: &str, texts: &Localised) -> Result<(), Refusal> {
    for (language, text) in &texts.0 {
        Template::parse(text)
            .map_err(|error| broken(&format!("{path}/{language}"), error.to_string()).at_span(error.span()))?;
    }
    Ok(())
}

fn check(domain: &Domain) -> Result<(), Refusal> {
    if domain.name.trim().is_empty() {
        return Err(broken("/name", "a domain needs a name"));
    }
    if let Some(zone) = &domain.zone {
        Zone::parse(zone).map_err(|error| broken("/zone", error.to_string()))?;
    }
    for (name, relation) in &domain.relations {
        for (end, types) in [("from", &relation.from), ("to", &relation.to)] {
            for entity_type in types {
                let path = format!("/relations/{name}/{end}");
                known(&path, "entity type", entity_type, domain.entity_types.keys())?;
            }
        }
    }
    for (index, constraint) in domain.constraints.iter().enumerate() {
        expression(&format!("/constraints/{index}/rule"), &constraint.rule)?;
    }
    for (name, source) in &domain.sources {
        if let Some(tool) = &source.tool {
            known(&format!("/sources/{name}/tool"), "tool", tool, domain.tools.keys())?;
        }
        if source.tool.is_some() && source.document.is_some() {
            return Err(broken(&format!("/sources/{name}"), "a source has a `document` or a `tool`, not both"));
        }
    }
    for (name, pattern) in &domain.patterns {
        Pattern::compile(&pattern.regex).map_err(|message| broken(&format!("/patterns/{name}/regex"), message))?;
        if let Some(entity_type) = &pattern.entity_type {
            known(&format!("/patterns/{name}/entity_type"), "entity type", entity_type, domain.entity_types.keys())?;
        }
    }
    for (name, answer) in &domain.answers {
        templates(&format!("/answers/{name}/template"), &answer.template)?;
    }
    check_intents(domain)?;
    for (name, action) in &domain.actions {
        let mut seen = SortedSet::new();
        for (index, command) in action.commands.iter().enumerate() {
            let path = format!("/actions/{name}/commands/{index}");
            let kind = command.get("type").and_then(Value::as_str).unwrap_or("");
            if !Command::NAMES.contains(&kind) {
                return Err(broken(&path, format!("there is no command `{kind}`")));
            }
            seen.insert(kind.to_owned());
            expressions_in(&path, command)?;
        }
        if action.commands.is_empty() {
            return Err(broken(&format!("/actions/{name}/commands"), "an action stands for at least one command"));
        }
    }
    Ok(())
}

fn check_intents(domain: &Domain) -> Result<(), Refusal> {
    for (name, intent) in &domain.intents {
        let path = format!("/intents/{name}");
        if !intent.answer.is_empty() {
            known(&format!("{path}/answer"), "answer", &intent.answer, domain.answers.keys())?;
        }
        for action in &intent.actions {
            known(&format!("{path}/actions"), "action", action, domain.actions.keys())?;
        }
        for stage in intent.events.keys() {
            let stages = [Stage::Interpret, Stage::Ground, Stage::Gather, Stage::Decide, Stage::Respond];
            let names: Vec<String> = stages.iter().map(|s| s.name().to_owned()).collect();
            known(&format!("{path}/events/{stage}"), "stage", stage, names.iter())?;
        }
        for (key, source) in &intent.facts {
            expression(&format!("{path}/facts/{key}"), source)?;
            if !domain.facts.is_empty() {
                known(&format!("{path}/facts/{key}"), "fact", key, domain.facts.keys())?;
            }
        }
        for (index, rule) in intent.rules.iter().enumerate() {
            let path = format!("{path}/rules/{index}");
            known(&format!("{path}/action"), "action", &rule.action, domain.actions.keys())?;
            if let Some(when) = &rule.when {
                expression(&format!("{path}/when"), when)?;
            }
            expressions_in(&format!("{path}/args"), &rule.args)?;
        }
    }
    Ok(())
}

/// Texts that start with `=` are expressions.
fn expressions_in(path: &str, value: &Value) -> Result<(), Refusal> {
    match value {
        Value::Text(text) => text.strip_prefix('=').map_or(Ok(()), |source| expression(path, source)),
        Value::List(list) => {
            list.iter().enumerate().try_for_each(|(i, item)| expressions_in(&format!("{path}/{i}"), item))
        }
        Value::Map(map) => map.iter().try_for_each(|(k, item)| expressions_in(&format!("{path}/{k}"), item)),
        _ => Ok(()),
    }
}
