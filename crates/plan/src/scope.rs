//! What a plan may use: sources, tools, patterns, inputs.

use throughline_protocol::Domain;
use throughline_protocol::domain::Source;
use throughline_value::{Named, Number, SortedMap, SortedSet, Value};

/// What stands behind a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A document that was added.
    Document(String),
    /// A tool, or a function of the caller's.
    Tool(String),
    /// An endpoint that is asked by HTTP.
    Http(Box<Endpoint>),
    /// A search engine that speaks as Elasticsearch and OpenSearch do.
    Search(Box<Endpoint>),
    /// The entities and relations of the world.
    World,
    /// The facts of the ledger.
    Facts,
    /// The memory.
    Memory,
}

/// An address and how it is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The address; `{name}` in it is a place for an argument.
    pub url: String,
    /// The method.
    pub method: String,
    /// The headers.
    pub headers: Named<String>,
    /// The index of a search engine.
    pub index: Option<String>,
    /// The fields in which words are looked for; all when empty.
    pub fields: Vec<String>,
}

/// What else is known of a source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceRule {
    /// Whether what it says depends on time.
    pub temporal: bool,
    /// The field or argument of an item's time.
    pub time_field: Option<String>,
    /// Whether it is the official one.
    pub official: bool,
    /// How much it is trusted.
    pub trust: Option<Number>,
    /// How old an answer of the cache may be, as a duration.
    pub max_age: Option<String>,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

impl SourceRule {
    fn of(source: &Source) -> Self {
        Self {
            temporal: source.temporal,
            time_field: source.time_field.clone(),
            official: source.official,
            trust: source.trust.clone(),
            max_age: source.max_age.clone(),
            schema: source.schema.clone(),
        }
    }
}

impl Target {
    /// What stands behind a source of a domain.
    fn of(name: &str, source: &Source) -> Self {
        let kind = source.kind.as_deref().unwrap_or(match source {
            Source { document: Some(_), .. } => "document",
            Source { tool: Some(_), .. } => "tool",
            Source { index: Some(_), .. } => "search",
            Source { url: Some(_), .. } => "http",
            _ => "document",
        });
        let endpoint = || {
            Box::new(Endpoint {
                url: source.url.clone().unwrap_or_default(),
                method: source.method.clone().unwrap_or_else(|| "GET".to_owned()),
                headers: source.headers.clone(),
                index: source.index.clone(),
                fields: source.fields.clone(),
            })
        };
        match kind {
            "tool" => Self::Tool(source.tool.clone().unwrap_or_else(|| name.to_owned())),
            "http" => Self::Http(endpoint()),
            "search" => Self::Search(endpoint()),
            "world" => Self::World,
            "facts" => Self::Facts,
            "memory" => Self::Memory,
            // A source that says nothing more is the document of its own name.
            _ => Self::Document(source.document.clone().unwrap_or_else(|| name.to_owned())),
        }
    }
}

/// What a plan needs to know of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolRule {
    /// Whether it changes the world.
    pub writes: bool,
    /// Whether a person must approve each call.
    pub approval: bool,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// What a plan may use. Everything that is not in it is reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// The sources, by name.
    pub sources: SortedMap<String, Target>,
    /// What else is known of the sources.
    pub source_rules: SortedMap<String, SourceRule>,
    /// The tools, by name.
    pub tools: SortedMap<String, ToolRule>,
    /// The names of the values that are given to the run.
    pub inputs: SortedSet<String>,
    /// The patterns of the domain: name to regular expression.
    pub patterns: SortedMap<String, String>,
    /// The names that expressions may use beside bindings and `now`, when the environment of the run has
    /// them: `facts`, `state`.
    pub names: SortedSet<String>,
    /// The bindings that the answer will use; `None` when it is not known.
    pub wanted: Option<SortedSet<String>>,
    /// The most steps a plan may have, when the host says so.
    pub max_steps: Option<u32>,
}

impl Scope {
    /// A scope in which nothing may be used.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The sources, tools and patterns of a domain, and the names that its expressions have.
    #[must_use]
    pub fn of(domain: &Domain) -> Self {
        let sources = domain.sources.iter().map(|(name, source)| (name.clone(), Target::of(name, source)));
        let rules = domain.sources.iter().map(|(name, source)| (name.clone(), SourceRule::of(source)));
        let tools = domain.tools.iter().map(|(name, tool)| {
            let writes = tool.effect.as_deref() == Some("write");
            (name.clone(), ToolRule { writes, approval: tool.approval, schema: tool.schema.clone() })
        });
        // What the environment of every run has: the ledger, the machine, the world.
        let names = ["facts", "subjects", "state", "entities"].map(str::to_owned);
        Self {
            names: names.into_iter().chain(domain.entity_types.keys().cloned()).collect(),
            sources: sources.collect(),
            source_rules: rules.collect(),
            tools: tools.collect(),
            patterns: domain.patterns.iter().map(|(name, p)| (name.clone(), p.regex.clone())).collect(),
            ..Self::default()
        }
    }

    /// The same scope with one more source that reads a document.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>, document: impl Into<String>) -> Self {
        self.sources.insert(name.into(), Target::Document(document.into()));
        self
    }

    /// The same scope with one more source that calls a tool.
    #[must_use]
    pub fn source_tool(mut self, name: impl Into<String>, tool: impl Into<String>) -> Self {
        self.sources.insert(name.into(), Target::Tool(tool.into()));
        self
    }

    /// The same scope with one more tool.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, rule: ToolRule) -> Self {
        self.tools.insert(name.into(), rule);
        self
    }

    /// The same scope with one more pattern.
    #[must_use]
    pub fn pattern(mut self, name: impl Into<String>, regex: impl Into<String>) -> Self {
        self.patterns.insert(name.into(), regex.into());
        self
    }

    /// The same scope with more inputs.
    #[must_use]
    pub fn inputs<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.inputs.extend(names.into_iter().map(|name| bare(&name.into()).to_owned()));
        self
    }

    /// The same scope, in which expressions may also use these names of the run's environment.
    #[must_use]
    pub fn names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// The same scope, with what else is known of a source.
    #[must_use]
    pub fn source_rule(mut self, name: impl Into<String>, rule: SourceRule) -> Self {
        self.source_rules.insert(name.into(), rule);
        self
    }

    /// The same scope, in which a plan has at most so many steps.
    #[must_use]
    pub fn max_steps(mut self, most: u32) -> Self {
        self.max_steps = Some(most);
        self
    }

    /// The same scope, with the bindings that the answer will use.
    #[must_use]
    pub fn wanted<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.wanted.get_or_insert_default().extend(names.into_iter().map(|name| bare(&name.into()).to_owned()));
        self
    }
}

/// A binding's name without the `$` in front.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix('$').unwrap_or(name)
}
