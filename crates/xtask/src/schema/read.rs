//! The protocol's structures, read from their source line by line: the source is formatted, so a line is
//! one thing.

use std::collections::BTreeMap;

/// A field of a structure.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Its name in JSON.
    pub(super) name: String,
    /// Its type as it is written.
    pub(super) kind: String,
    /// What is written above it.
    pub(super) doc: String,
    /// Whether it must be there.
    pub(super) required: bool,
}

/// A structure.
#[derive(Debug, Clone, Default)]
pub(super) struct Struct {
    pub(super) doc: String,
    pub(super) fields: Vec<Field>,
}

/// An enum of words, or of structures by tag.
#[derive(Debug, Clone, Default)]
pub(super) struct Choice {
    /// Tag or word, structure (empty for a word), doc.
    pub(super) cases: Vec<(String, String, String)>,
}

/// What the protocol's source says.
#[derive(Debug, Default)]
pub(super) struct Protocol {
    pub(super) structs: BTreeMap<String, Struct>,
    /// Words by enum.
    pub(super) enums: BTreeMap<String, Choice>,
    /// Structures by tag: `command`, `query`, `intervention`.
    pub(super) tagged: BTreeMap<String, Choice>,
    /// Part, field, words.
    pub(super) words: Vec<(String, String, Vec<String>)>,
    /// Part, field, least, greatest.
    pub(super) ranges: Vec<(String, String, u64, u64)>,
}

/// What a line stands in.
enum Inside {
    Nothing,
    Struct(String, Struct),
    Enum(String, Choice),
    Tagged(String, Choice),
}

impl Protocol {
    /// Reads one file of the source. `file` names its tests apart: nothing after `#[cfg(test)]` is read.
    pub(super) fn read(&mut self, file: &str, text: &str) {
        if file == "words" {
            // An entry may stand on several lines.
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( \"", "(\"");
            flat.split("(\"").skip(1).for_each(|entry| self.read_words(&format!("(\"{entry}")));
        }
        let mut inside = Inside::Nothing;
        let (mut doc, mut serde) = (String::new(), String::new());
        // The fields of a macro's structures and of those with `default` all have defaults.
        let mut all_default = false;
        let in_macro = text.contains("macro_rules! parts") || text.contains("macro_rules! queries");
        for line in text.lines().take_while(|line| line.trim() != "#[cfg(test)]") {
            let line = line.trim();
            if let Some(words) = line.strip_prefix("///") {
                if !doc.is_empty() {
                    doc.push(' ');
                }
                doc.push_str(words.trim());
                continue;
            }
            if let Some(attribute) = line.strip_prefix("#[serde(") {
                serde.push_str(attribute);
                continue;
            }
            if line.starts_with("#[") || line.starts_with("//") {
                continue;
            }
            inside = match inside {
                Inside::Nothing => {
                    let next = begin(line, &doc, in_macro);
                    if !matches!(next, Inside::Nothing) {
                        all_default = serde.contains("default") || !line.starts_with("pub ");
                    }
                    match next {
                        Inside::Struct(name, made) if line.ends_with("{}") => {
                            self.structs.insert(name, made);
                            Inside::Nothing
                        }
                        next => next,
                    }
                }
                Inside::Struct(name, made) if line.starts_with('}') => {
                    self.structs.insert(name, made);
                    Inside::Nothing
                }
                Inside::Enum(name, made) if line.starts_with('}') => {
                    self.enums.insert(name, made);
                    Inside::Nothing
                }
                Inside::Tagged(name, made) if line.starts_with('}') => {
                    self.tagged.insert(name, made);
                    Inside::Nothing
                }
                Inside::Struct(name, mut made) => {
                    made.fields.extend(field(line, &doc, &serde, all_default));
                    Inside::Struct(name, made)
                }
                Inside::Enum(name, mut made) => {
                    if let Some(word) = line.strip_suffix(',') {
                        made.cases.push((snake(word), String::new(), doc.clone()));
                    }
                    Inside::Enum(name, made)
                }
                Inside::Tagged(name, mut made) => {
                    if let Some((tag, structure)) = line.strip_suffix(',').and_then(|line| line.split_once(" => ")) {
                        made.cases.push((tag.trim_matches('"').to_owned(), structure.to_owned(), doc.clone()));
                    }
                    Inside::Tagged(name, made)
                }
            };
            doc.clear();
            serde.clear();
        }
    }

    /// One entry: part and field, then words, or two numbers.
    fn read_words(&mut self, entry: &str) {
        let entry = entry.split("),").next().unwrap_or(entry);
        let texts: Vec<String> = entry.split('"').skip(1).step_by(2).map(str::to_owned).collect();
        let [part, field, words @ ..] = texts.as_slice() else { return };
        if words.is_empty() {
            let numbers = entry.split([',', ' ', ')']).filter_map(|text| text.replace('_', "").parse().ok());
            if let [least, greatest] = numbers.collect::<Vec<u64>>().as_slice() {
                self.ranges.push((part.clone(), field.clone(), *least, *greatest));
            }
        } else {
            self.words.push((part.clone(), field.clone(), words.to_vec()));
        }
    }
}

fn begin(line: &str, doc: &str, in_macro: bool) -> Inside {
    let doc = doc.to_owned();
    let head = line.strip_suffix('{').or_else(|| line.strip_suffix("{}")).map(str::trim);
    let Some(head) = head else { return Inside::Nothing };
    if let Some(name) = head.strip_prefix("pub struct ") {
        return Inside::Struct(name.to_owned(), Struct { doc, fields: Vec::new() });
    }
    if let Some(name) = head.strip_prefix("pub enum ") {
        return Inside::Enum(name.to_owned(), Choice::default());
    }
    if let Some((what, _)) = head.strip_prefix('"').and_then(|rest| rest.split_once("\", ")) {
        return Inside::Tagged(what.to_owned(), Choice::default());
    }
    let is_name = head.starts_with(|c: char| c.is_ascii_uppercase()) && head.chars().all(char::is_alphanumeric);
    if in_macro && is_name {
        return Inside::Struct(head.to_owned(), Struct { doc, fields: Vec::new() });
    }
    Inside::Nothing
}

fn field(line: &str, doc: &str, serde: &str, all_default: bool) -> Option<Field> {
    let (name, kind) = line.strip_suffix(',')?.split_once(':')?;
    let name = name.trim().trim_start_matches("pub ").trim_start_matches("r#");
    let kind = kind.trim().to_owned();
    let renamed = serde.split_once("rename = \"").and_then(|(_, rest)| rest.split_once('"')).map(|(name, _)| name);
    let required = !all_default && !serde.contains("default") && !kind.starts_with("Option<");
    Some(Field { name: renamed.unwrap_or(name).to_owned(), kind, doc: doc.to_owned(), required })
}

fn snake(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
