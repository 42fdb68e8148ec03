//! The rules of a business, as a document.
//!
//! A domain says which entity types, relations and facts there are, how the machine goes, what the sources
//! and tools are, and how answers read. It is data: it is loaded by a command and lies in the journal.

use serde::{Deserialize, Serialize};
use throughline_value::{Named, Number, Value};

/// A text in several languages, by BCP 47 tag, or one text for all.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Localised(pub Named<String>);

impl Localised {
    /// The text in `language`, else in its base language, else the first.
    #[must_use]
    pub fn get(&self, language: &str) -> &str {
        let base = language.split(['-', '_']).next().unwrap_or(language);
        self.0.get(language).or_else(|| self.0.get(base)).or_else(|| self.0.values().next()).map_or("", String::as_str)
    }
}

impl Serialize for Localised {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.get("") {
            Some(text) if self.0.len() == 1 => serializer.serialize_str(text),
            _ => serializer.collect_map(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Localised {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = || serde::de::Error::custom("a text, or a map from languages to texts, is expected");
        match Value::deserialize(deserializer)? {
            Value::Text(text) => Ok(Self(Named::from_iter([(String::new(), text)]))),
            Value::Map(map) => {
                let pairs = map.into_iter().map(|(k, v)| v.as_str().map(|t| (k, t.to_owned())).ok_or_else(wrong));
                Ok(Self(pairs.collect::<Result<_, _>>()?))
            }
            _ => Err(wrong()),
        }
    }
}

/// The rules of a named zone, as they were loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ZoneRules {
    /// The rules, as in [`crate::command::LoadZone`].
    pub rules: String,
    /// The version of the database that they are from.
    pub version: String,
}

macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident : $type:ty,)* })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields, default)]
            pub struct $name {
                $($(#[$fdoc])* #[serde(skip_serializing_if = "crate::query::is_default")] pub $field: $type,)*
            }
        )+
    };
}

parts! {
    /// The rules of a business.
    Domain {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
        /// What it is about.
        description: Localised,
        /// The languages it answers in, the first is the default.
        languages: Vec<String>,
        /// The zone in which times without one are read; they are refused when absent.
        zone: Option<String>,
        /// The entity types, by name.
        entity_types: Named<EntityType>,
        /// The relations, by name.
        relations: Named<RelationType>,
        /// The fact keys, by name. When empty, any key is taken, with cardinality one.
        facts: Named<FactType>,
        /// The state machine, in XState's shape.
        machine: Value,
        /// What must hold for every proposal.
        constraints: Vec<Constraint>,
        /// The sources that plans may use, by name.
        sources: Named<Source>,
        /// The tools that plans and the agent may call, by name.
        tools: Named<Tool>,
        /// What a user can want, by name.
        intents: Named<Intent>,
        /// The actions that the model may propose, by name.
        actions: Named<ProposedAction>,
        /// Answer templates, by name.
        answers: Named<AnswerTemplate>,
        /// Patterns that extract values by name, for plans and for interpretation by rules.
        patterns: Named<Pattern>,
        /// How the agent goes about it.
        agent: AgentRules,
        /// The rules of the named zones that were loaded; not part of the document.
        #[serde(skip)]
        zones: Named<ZoneRules>,
    }
    /// The contract of an entity type.
    EntityType {
        /// What it is called.
        label: Localised,
        /// Its fields; any other is refused.
        fields: Named<FieldType>,
        /// How raw ids are made one: any of `trim`, `fold_width`, `fold_case`, `nfc`. `trim` alone when empty.
        normalise: Vec<String>,
        /// The pattern that a raw id must match as a whole.
        id_pattern: Option<String>,
    }
    /// The type of a field or a fact.
    FieldType {
        /// What it is called.
        label: Localised,
        /// `text`, `integer`, `decimal`, `boolean`, `instant`, `duration`, `enum`, `reference`, `list` or `any`.
        r#type: String,
        /// The values of an `enum`.
        values: Vec<Value>,
        /// The unit of a number.
        unit: Option<String>,
        /// The entity type of a `reference`.
        to: Option<String>,
        /// The type of a `list`'s items.
        items: Option<Box<FieldType>>,
        /// Whether it must be there.
        required: bool,
        /// The class of personal data it is (`phone`, `email`, `name`, `id`, `address`, or your own): answers mask
        /// it.
        class: Option<String>,
    }
    /// A relation between entity types.
    RelationType {
        /// What it is called.
        label: Localised,
        /// The types it may start at; any when empty.
        from: Vec<String>,
        /// The types it may end at; any when empty.
        to: Vec<String>,
        /// `one` (a new one ends the old one) or `many`; `many` when absent.
        cardinality: Option<String>,
        /// How long it is true, as an ISO 8601 duration.
        ttl: Option<String>,
        /// The least confidence.
        confidence_floor: Option<Number>,
        /// What happens below it: `drop`, `hold` or `keep`.
        below_floor: Option<String>,
    }
    /// A fact key.
    FactType {
        /// What it is called.
        label: Localised,
        /// `one`, `many`, `interval` or `append`; `one` when absent.
        cardinality: Option<String>,
        /// The type of its values; `any` when absent.
        value: FieldType,
        /// How conflicts between sources are settled: `newest_valid`, `most_trusted`, `official` or `ask`.
        conflict: Option<String>,
        /// What becomes of it when the memories that it rests on alone are purged: `purge` (it is erased, too), `end`
        /// or `keep`; `purge` when absent.
        on_purge: Option<String>,
        /// Who may say it: any of `user`, `rule`, `tool`, `model`, `import`; anybody when empty.
        said_by: Vec<String>,
    }
    /// What must hold for every proposal.
    Constraint {
        /// Its name.
        name: String,
        /// An expression over `proposal`, `facts`, `state`; it must be true.
        rule: String,
        /// Only for these actions; for all when empty.
        actions: Vec<String>,
        /// Entity types it is also about: it must hold for each such entity that a proposal or an answer names,
        /// with the entity's fields as `proposal`. With any here, it is about proposals that have its fields.
        about: Vec<String>,
        /// What in an answer's words proposes something that it must hold for.
        says: Vec<Saying>,
        /// What is said when it is broken.
        message: Localised,
    }
    /// Words of an answer that propose something.
    Saying {
        /// A regular expression with exactly one group. The text is tried as it is, and without capitals.
        pattern: String,
        /// The field of the proposal that the group becomes, as a number when it reads as one.
        field: String,
        /// The field's value, instead of the group.
        value: Value,
        /// Phrases that do not count: `no hybrid`.
        except: Vec<String>,
    }
    /// A source that plans may use.
    Source {
        /// What it is.
        description: Localised,
        /// The document it reads.
        document: Option<String>,
        /// The tool it calls.
        tool: Option<String>,
        /// How much it is trusted, from 0 to 1.
        trust: Option<Number>,
        /// Whether it is the official one.
        official: bool,
        /// What it is: `document`, `tool`, `http`, `search` (Elasticsearch or OpenSearch), `world`, `facts` or
        /// `memory`. When absent it follows from the fields that are there; a document of its own name at last.
        kind: Option<String>,
        /// The address of `http` and `search`; `{name}` in it is a place for an argument.
        url: Option<String>,
        /// The method of `http`; `GET` when absent.
        method: Option<String>,
        /// The headers of `http` and `search`. Keys are no part of a domain: the host adds them.
        headers: Named<String>,
        /// The index of `search`.
        index: Option<String>,
        /// The fields in which `search` looks for words; all when empty.
        fields: Vec<String>,
        /// The field or argument that holds an item's time, from which range filters are made.
        time_field: Option<String>,
        /// Whether what it says depends on time, so that a plan must say which time it asks about.
        temporal: bool,
        /// How old an answer of the cache may be, as a duration; nothing is kept when absent.
        max_age: Option<String>,
        /// The JSON Schema of its arguments.
        schema: Value,
    }
    /// A tool.
    Tool {
        /// What it does.
        description: Localised,
        /// The JSON Schema of its arguments.
        schema: Value,
        /// Whether it changes the world (`write`) or not (`read`).
        effect: Option<String>,
        /// The states in which it is open; all when empty.
        states: Vec<String>,
        /// Whether a person must approve each call.
        approval: bool,
    }
    /// What a user can want.
    Intent {
        /// What it is.
        description: Localised,
        /// The plan that gathers what the answer needs, used when the model's plan cannot be.
        plan: Value,
        /// The answer template.
        answer: String,
        /// The events sent to the machine when a stage ends, by stage.
        events: Named<String>,
        /// The actions that may be proposed; none is proposed when empty.
        actions: Vec<String>,
        /// The rule-based fallback for the decision: the first whose `when` holds.
        rules: Vec<DecisionRule>,
        /// The facts asserted from a run's values after gathering: fact key to expression.
        facts: Named<String>,
        /// Words that point to this intent when interpretation falls back to rules.
        keywords: Vec<String>,
        /// `plan` (the model writes the plan that gathers) or `action` (it proposes actions only, and the
        /// domain's plan gathers); as `model_plans` says when absent.
        mode: Option<String>,
    }
    /// A rule of the fallback.
    DecisionRule {
        /// When it applies; always when absent.
        when: Option<String>,
        /// The action it proposes.
        action: String,
        /// Its arguments; texts that start with `=` are expressions.
        args: Value,
    }
    /// An action that the model may propose.
    ProposedAction {
        /// What it does.
        description: Localised,
        /// The JSON Schema of its arguments.
        schema: Value,
        /// The states in which it is open; all when empty.
        states: Vec<String>,
        /// The commands it stands for; texts in them that start with `=` are expressions over `args`.
        commands: Vec<Value>,
        /// Whether a person must approve it.
        approval: bool,
    }
    /// An answer template in each language.
    AnswerTemplate {
        /// The template, by language.
        template: Localised,
        /// The states in which it may be used; all when empty.
        states: Vec<String>,
        /// The classes of personal data that it shows unmasked.
        reveals: Vec<String>,
    }
    /// A pattern that extracts a value.
    Pattern {
        /// A regular expression with exactly one group.
        regex: String,
        /// The entity type whose raw id it finds.
        entity_type: Option<String>,
        /// The fact whose value it finds.
        fact: Option<String>,
        /// The class of personal data it finds; that of the fact when absent.
        class: Option<String>,
    }
    /// How the agent goes about it.
    AgentRules {
        /// What the model is told about its task, by language.
        instructions: Localised,
        /// Below this confidence the agent asks a person.
        confidence: Option<Number>,
        /// How many times a reply that does not validate is asked again.
        retries: Option<u32>,
        /// The tools and actions that a model may call by itself; all when empty.
        tools: Vec<String>,
        /// The most tokens of a prompt.
        prompt_budget: Option<u64>,
        /// The most tokens that one turn may take, prompts and replies together. A request that would go over it is not
        /// made (`spend-cap`), and the rules go on.
        token_cap: Option<u64>,
        /// Whether the model writes the plan; else the intent's plan is used.
        model_plans: bool,
        /// Whether the model words the answer. What it says is checked against ledger, evidence and constraints;
        /// when it does not hold, the template speaks.
        model_answers: bool,
        /// How the model proposes an action: by the provider's `native` tool calls, or as one `json` value; as the
        /// settings or the provider have it when absent.
        tool_calls: Option<String>,
    }
}
