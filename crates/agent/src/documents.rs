//! The documents that plans read, with their versions.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use throughline_journal::{Digest, Millis, Record, Seq, Versions};
use throughline_protocol::command::AddDocument;
use throughline_protocol::view::{DocumentRow, DocumentView};
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::{SortedMap, Value, from_value, to_value};

/// The longest document, in bytes. A longer one is refused with `document-too-long`.
pub const MAX_DOCUMENT_BYTES: usize = 8 << 20;

const MEDIA_TYPES: [&str; 4] = ["text/plain", "text/html", "application/json", "text/csv"];

/// `document.added`: one version of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct DocumentAdded {
    /// Its name.
    pub name: String,
    /// Its version, from 1.
    pub version: u64,
    /// Its kind.
    pub media_type: String,
    /// SHA-256 of its text.
    pub hash: String,
    /// Its text.
    pub text: String,
}

/// The documents, with their versions.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    by_name: SortedMap<String, Versions<Rc<DocumentAdded>>>,
    /// From when each version holds.
    times: SortedMap<(String, u64), Millis>,
    /// Records of documents that could not be read.
    pub quarantined: u64,
}

impl Documents {
    /// May this document be added? The same text again changes nothing.
    ///
    /// # Errors
    /// `empty-name`, `unknown-media-type`, `document-too-long`.
    pub fn add(&self, ctx: &Context<'_>, command: &AddDocument) -> Result<Decision, Refusal> {
        if command.name.trim().is_empty() {
            return Err(Refusal::new("empty-name", "a document needs a name").at_path("/name"));
        }
        if !MEDIA_TYPES.contains(&command.media_type.as_str()) {
            let message = format!("documents of type {} are not read", command.media_type);
            let known = format!("the types are {}", MEDIA_TYPES.join(", "));
            return Err(Refusal::new("unknown-media-type", message).at_path("/media_type").suggest(known));
        }
        if command.text.len() > MAX_DOCUMENT_BYTES {
            let message = format!("a document of over {MAX_DOCUMENT_BYTES} bytes is not taken; split it");
            return Err(Refusal::new("document-too-long", message).at_path("/text"));
        }
        let hash = Digest::of_bytes(command.text.as_bytes());
        let last = self.by_name.get(&command.name).and_then(Versions::last);
        let version = last.map_or(0, |last| last.version);
        if last.is_some_and(|last| last.hash == hash && last.media_type == command.media_type) {
            let result: [(&str, Value); 4] = [
                ("name", command.name.as_str().into()),
                ("version", version.into()),
                ("hash", hash.into()),
                ("unchanged", true.into()),
            ];
            return Ok(Decision::unchanged(Value::from(result)));
        }
        let added = DocumentAdded {
            name: command.name.clone(),
            version: version + 1,
            media_type: command.media_type.clone(),
            hash: hash.clone(),
            text: command.text.clone(),
        };
        let result: [(&str, Value); 3] =
            [("name", command.name.as_str().into()), ("version", added.version.into()), ("hash", hash.into())];
        Ok(Decision::one(ctx.draft("document.added", to_value(&added)?), Value::from(result)))
    }

    /// Folds one record.
    pub fn evolve(&mut self, record: &Record) {
        if record.kind != "document.added" {
            return;
        }
        match from_value::<DocumentAdded>(record.data()) {
            Ok(added) => {
                self.times.insert((added.name.clone(), added.version), record.valid_from);
                self.by_name.entry(added.name.clone()).or_default().push(record.seq, Rc::new(added));
            }
            Err(_) => self.quarantined += 1,
        }
    }

    /// The document as it stood after record `seq`.
    #[must_use]
    pub fn get(&self, name: &str, seq: Seq) -> Option<&DocumentAdded> {
        self.by_name.get(name)?.at(seq).map(Rc::as_ref)
    }

    /// One version of a document.
    #[must_use]
    pub fn version(&self, name: &str, version: u64) -> Option<&DocumentAdded> {
        self.by_name.get(name)?.iter().map(|(_, document)| document.as_ref()).find(|d| d.version == version)
    }

    /// From when a version of a document holds.
    #[must_use]
    pub fn holds_from(&self, name: &str, version: u64) -> Option<Millis> {
        self.times.get(&(name.to_owned(), version)).copied()
    }

    /// The documents after record `seq`, by name.
    #[must_use]
    pub fn rows(&self, seq: Seq) -> Vec<DocumentRow> {
        let stood = self.by_name.values().filter_map(|versions| versions.entry_at(seq));
        stood.map(|(seq, document)| row(document, *seq)).collect()
    }

    /// One document after record `seq`.
    #[must_use]
    pub fn view(&self, name: &str, seq: Seq) -> Option<DocumentView> {
        let (added_at, document) = self.by_name.get(name)?.entry_at(seq)?;
        Some(DocumentView { row: row(document, *added_at), text: document.text.clone() })
    }

    /// Adds every version of every document.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("documents");
        for versions in self.by_name.values() {
            for (_, document) in versions.iter() {
                add_to(digest, document);
            }
        }
    }

    /// Adds the current version of every document.
    pub fn digest_content(&self, digest: &mut Digest) {
        digest.text("documents");
        for document in self.by_name.values().filter_map(Versions::last) {
            add_to(digest, document);
        }
    }
}

fn add_to(digest: &mut Digest, document: &DocumentAdded) {
    digest.text(&document.name);
    digest.text(&document.media_type);
    digest.text(&document.hash);
}

fn row(document: &DocumentAdded, seq: Seq) -> DocumentRow {
    DocumentRow {
        name: document.name.clone(),
        version: document.version,
        media_type: document.media_type.clone(),
        bytes: document.text.len(),
        hash: document.hash.clone(),
        seq,
    }
}
