//! A demo: a folder of data beside the page. Rules, documents, recorded model replies, questions, next steps.

use indexmap::IndexMap;
use serde::Deserialize;
use throughline_protocol::domain::Localised;
use throughline_protocol::session::LoadCassette;
use throughline_protocol::{Meta, Refusal};
use throughline_value::{Value, from_node, json};

use crate::session::{Session, command, file};

/// What a demo's journal is called: this and the demo's id.
const JOURNAL_PREFIX: &str = "demo-";

/// A demo as the list of demos names it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct Card {
    /// Its id.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: Localised,
    /// What it shows.
    pub(crate) description: Localised,
    /// Its folder, below `demos/`.
    pub(crate) folder: String,
}

impl Card {
    /// The name of its journal.
    pub(crate) fn journal(&self) -> String {
        format!("{JOURNAL_PREFIX}{}", self.id)
    }
}

/// A demo.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct Demo {
    /// Its title.
    pub(crate) title: Localised,
    /// What it shows.
    pub(crate) description: Localised,
    /// Where its clock starts.
    pub(crate) clock: i64,
    /// The file of its rules.
    pub(crate) domain: String,
    /// The files of its documents.
    pub(crate) documents: Vec<DemoDocument>,
    /// The file of its recorded model replies.
    pub(crate) cassette: Option<String>,
    /// The commands that its world begins with.
    pub(crate) setup: Vec<Value>,
    /// Questions to try, by language.
    pub(crate) questions: IndexMap<String, Vec<String>>,
    /// What can happen next in its world.
    pub(crate) steps: Vec<Step>,
    /// Its id.
    #[serde(skip)]
    pub(crate) id: String,
    /// Where its files lie.
    #[serde(skip)]
    folder: String,
}

/// A document of a demo.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct DemoDocument {
    /// Its name in the journal.
    pub(crate) name: String,
    /// Its kind.
    pub(crate) media_type: String,
    /// Its file.
    pub(crate) file: String,
}

/// Something that can happen in a demo's world: commands, or time.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct Step {
    /// What it is called.
    pub(crate) label: Localised,
    /// What to look at.
    pub(crate) hint: Localised,
    /// The commands, each as it is or as `{command, meta}`.
    pub(crate) r#do: Vec<Value>,
    /// How far the clock moves, in milliseconds.
    pub(crate) advance: Option<i64>,
}

/// The demos that lie beside the page; none when there is no list.
pub(crate) async fn cards() -> Result<Vec<Card>, Refusal> {
    match file("demos/index.json").await {
        Ok(text) => Ok(from_node(&json::read(&text)?)?),
        Err(refusal) if refusal.code == "file-missing" => Ok(Vec::new()),
        Err(refusal) => Err(refusal),
    }
}

/// The demo that a journal belongs to, if it belongs to one.
pub(crate) async fn of_journal(name: &str) -> Result<Option<Demo>, Refusal> {
    if !name.starts_with(JOURNAL_PREFIX) {
        return Ok(None);
    }
    let Some(card) = cards().await?.into_iter().find(|card| card.journal() == name) else { return Ok(None) };
    let folder = format!("demos/{}", card.folder);
    let text = file(&format!("{folder}/demo.json")).await?;
    let demo: Demo = from_node(&json::read(&text)?)?;
    Ok(Some(Demo { id: card.id, folder, ..demo }))
}

impl Demo {
    /// Gives the journal the demo's rules and documents. What it has already changes nothing.
    pub(crate) async fn load(&self, session: &Session) -> Result<(), Refusal> {
        let domain = json::read_value(&self.domain_text().await?)?;
        session.execute(&command("load_domain", &[("domain", domain)]), from_file(&self.domain)).await?;
        for document in &self.documents {
            let text = file(&format!("{}/{}", self.folder, document.file)).await?;
            let fields = [
                ("name", Value::from(document.name.as_str())),
                ("media_type", Value::from(document.media_type.as_str())),
                ("text", Value::from(text)),
            ];
            session.execute(&command("add_document", &fields), from_file(&document.file)).await?;
        }
        for (index, command) in self.setup.iter().enumerate() {
            // The key makes it happen once: what the world has become since is not set back.
            let idempotency_key = Some(format!("demo-setup-{index}"));
            session.execute(command, Meta { idempotency_key, ..from_file("demo.json") }).await?;
        }
        Ok(())
    }

    /// The text of its rules.
    pub(crate) async fn domain_text(&self) -> Result<String, Refusal> {
        file(&format!("{}/{}", self.folder, self.domain)).await
    }

    /// Gives the session the demo's recorded model replies; they are no part of the journal.
    pub(crate) async fn load_cassette(&self, session: &Session) -> Result<(), Refusal> {
        if let Some(cassette) = &self.cassette {
            let text = file(&format!("{}/{cassette}", self.folder)).await?;
            session.call(LoadCassette { text }).await?;
        }
        Ok(())
    }

    /// The questions in a language.
    pub(crate) fn questions(&self, language: &str) -> Vec<String> {
        self.questions.get(language).or_else(|| self.questions.values().next()).cloned().unwrap_or_default()
    }
}

/// Who brings a demo's files into the journal: an import of that file.
fn from_file(name: &str) -> Meta {
    let actor =
        throughline_value::from_value(&Value::from([("kind", Value::from("import")), ("name", Value::from(name))]));
    Meta { actor: actor.ok(), ..Meta::default() }
}
