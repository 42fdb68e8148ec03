//! Scenario files: the product's own test format, for us and for its users.
//!
//! A scenario is a JSON map: `name`; `domain` (a map, or the name of a file beside the scenario);
//! `documents` (`{name, media_type, text | file}`); `cassette` (the name of a file, or a list of entries);
//! `clock` (where the session's clock starts); `tools` (what each tool of the host gives, call by call, the last for
//! all further ones: `{"weather": [{"error": {"code", "message"}}, {"result": …}]}`); `steps`. Each step is one of
//!
//! | step | what it does |
//! |---|---|
//! | `{"do": command, "meta"?, "expect"?}` | runs a command; `expect` is contained in its result |
//! | `{"do": command, "refused": code, "path"?}` | runs a command that must be refused; the `content` digest must stay |
//! | `{"text": "…", "refused": code}` | the same with a command that is not even JSON |
//! | `{"query": query, "at"?: pointer, "equals" \| "contains" \| "lacks" \| "count": …}` | asks, and compares |
//! | `{"query": query, "refused": code}` | asks what must be refused |
//! | `{"plan": plan, "golden": plan, "minimum": 0.9, "inputs"?}` | scores a plan against a golden one as graphs; `plan` is a plan, a file, or `true` for that of the newest run |
//! | `{"advance": "PT24H"}`, `{"clock": "2026-03-01T09:00:00Z"}` | moves the clock; due events fire |
//! | `{"reload": true}` | exports, imports and goes on from there; all three digests must stay |
//! | `{"reload": "2026-03-01T09:00:00Z"}` | the same, closed until then: what fell due meanwhile was missed |
//! | `{"fork": {"at"?, "interventions"?, "until"?, "unrecorded"?}, "expect"?}` | goes on in a fork; `expect` is contained in its report |
//! | `{"calls": {"tool": number}}` | how often each tool was called so far |
//! | `{"export": true, "contains" \| "lacks": text}` | looks at every byte of the exported file |
//! | `{"keep": name}`, `{"same": name, "digest": "content" \| "history" \| "chain"}` | compares digests of two points |
//!
//! `contains`: maps by name, lists by some item, texts by a part of them, the rest by equality.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use throughline_expr::time::{parse_duration, parse_instant};
use throughline_journal::Millis;
use throughline_protocol::Meta;
use throughline_protocol::view::Digests;
use throughline_value::{Value, from_value, json, to_value};

use crate::Local;
use crate::local::{contains, pointer, read_json};

/// Where the clock starts when a scenario names no time: 2026-01-01T00:00:00Z.
pub const DEFAULT_CLOCK: Millis = 1_767_225_600_000;

/// What running a scenario gave.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The scenario's name.
    pub name: String,
    /// How many steps held.
    pub passed: usize,
    /// What did not hold, with the step's number from 1.
    pub failed: Vec<String>,
    /// What the steps have to tell besides, with the step's number: scores of plans.
    pub notes: Vec<String>,
    /// The digests at the end.
    pub digests: Digests,
    /// The journal at the end, as one file.
    pub export: String,
}

/// Runs a scenario; files that it names are read from `folder`.
///
/// # Errors
/// What is wrong with the scenario itself, in words.
pub fn run(text: &str, folder: &Path) -> Result<Report, String> {
    let scenario = read_json("the scenario", text)?;
    let name = scenario.get("name").and_then(Value::as_str).unwrap_or("scenario").to_owned();
    let clock = match scenario.get("clock") {
        None => DEFAULT_CLOCK,
        Some(clock) => instant(clock)?,
    };
    let mut runner = Runner {
        session: Local::new(&name, clock),
        kept: BTreeMap::new(),
        cassette: None,
        tools: Tools::default(),
        notes: Vec::new(),
    };
    runner.set_up(&scenario, folder)?;
    let mut report = Report { name, ..Report::default() };
    let steps = scenario.get("steps").and_then(Value::as_list).ok_or("a scenario has a list of `steps`")?;
    for (index, step) in steps.iter().enumerate() {
        let ran = match step.get("golden") {
            Some(golden) => runner.golden(step, golden, folder),
            None => runner.step(step),
        };
        match ran {
            Ok(()) => report.passed += 1,
            Err(why) => report.failed.push(format!("step {}: {why}", index + 1)),
        }
        report.notes.extend(runner.notes.drain(..).map(|note| format!("step {}: {note}", index + 1)));
    }
    report.digests = runner.digests()?;
    report.export = runner.session.export();
    Ok(report)
}

struct Runner {
    session: Local,
    kept: BTreeMap<String, Digests>,
    cassette: Option<String>,
    tools: Tools,
    notes: Vec<String>,
}

/// What each tool gives, call by call, and how often it was called. It outlives a reload.
#[derive(Clone, Default)]
struct Tools {
    answers: BTreeMap<String, Vec<Value>>,
    calls: Rc<RefCell<BTreeMap<String, usize>>>,
}

impl Tools {
    fn give_to(&self, session: &mut Local) {
        for (name, answers) in &self.answers {
            let (tool, answers, calls) = (name.clone(), answers.clone(), Rc::clone(&self.calls));
            session.tool(name, move |_| {
                let mut calls = calls.borrow_mut();
                let count = calls.entry(tool.clone()).or_insert(0);
                let answer = answers.get(*count).or_else(|| answers.last()).cloned().unwrap_or_default();
                *count += 1;
                match answer.get("error") {
                    Some(error) => {
                        let text =
                            |name: &str| error.get(name).and_then(Value::as_str).unwrap_or("tool-failed").to_owned();
                        Err(throughline_protocol::Refusal::new(&text("code"), text("message")))
                    }
                    None => Ok(answer.get("result").cloned().unwrap_or_default()),
                }
            });
        }
    }
}

fn instant(value: &Value) -> Result<Millis, String> {
    match value {
        Value::Text(text) => parse_instant(text, None).map(|reading| reading.ms).map_err(|error| error.to_string()),
        other => other.as_i64().ok_or_else(|| format!("{} is not an instant", other.to_json())),
    }
}

fn read(folder: &Path, file: &str) -> Result<String, String> {
    std::fs::read_to_string(folder.join(file)).map_err(|error| format!("{file}: {error}"))
}

impl Runner {
    fn set_up(&mut self, scenario: &Value, folder: &Path) -> Result<(), String> {
        if let Some(cassette) = scenario.get("cassette") {
            let text = match cassette {
                Value::Text(file) => read(folder, file)?,
                Value::List(entries) => entries.iter().map(|entry| entry.to_json() + "\n").collect(),
                _ => return Err("`cassette` is a file's name or a list of entries".to_owned()),
            };
            self.session.load_cassette(&text).map_err(|refusal| refusal.to_string())?;
            self.cassette = Some(text);
        }
        for (name, answers) in scenario.get("tools").and_then(Value::as_map).into_iter().flatten() {
            let answers = answers.as_list().map_or_else(|| vec![answers.clone()], <[Value]>::to_vec);
            self.tools.answers.insert(name.clone(), answers);
        }
        self.tools.give_to(&mut self.session);
        if let Some(domain) = scenario.get("domain") {
            let domain = match domain {
                Value::Text(file) => read_json(file, &read(folder, file)?)?,
                other => other.clone(),
            };
            let command = Value::from([("type", Value::from("load_domain")), ("domain", domain)]);
            self.session.execute(&command.to_json()).map_err(|refusal| format!("the domain: {refusal}"))?;
        }
        for document in scenario.get("documents").and_then(Value::as_list).unwrap_or(&[]) {
            let mut command = document.as_map().cloned().unwrap_or_default();
            if let Some(file) = command.shift_remove("file") {
                let file = file.as_str().ok_or("`file` is a text")?.to_owned();
                command.insert("text".to_owned(), Value::from(read(folder, &file)?));
            }
            command.insert("type".to_owned(), Value::from("add_document"));
            self.session.execute(&Value::Map(command).to_json()).map_err(|refusal| format!("a document: {refusal}"))?;
        }
        Ok(())
    }

    fn digests(&self) -> Result<Digests, String> {
        let value = self.session.query(r#"{"type":"digests"}"#).map_err(|refusal| refusal.to_string())?;
        from_value(&value).map_err(|error| error.to_string())
    }

    fn step(&mut self, step: &Value) -> Result<(), String> {
        let Some(map) = step.as_map() else { return Err("a step is a map".to_owned()) };
        if let Some(command) = map.get("do") {
            return self.execute(&command.to_json(), step);
        }
        if let Some(text) = map.get("text").and_then(Value::as_str) {
            return self.execute(text, step);
        }
        if let Some(query) = map.get("query") {
            return self.ask(query, step);
        }
        if let Some(by) = map.get("advance") {
            let text = by.as_str().ok_or("`advance` is a duration")?;
            let by = parse_duration(text).and_then(|d| d.exact_ms()).map_err(|error| error.to_string())?;
            self.session.advance(by);
            return Ok(());
        }
        if let Some(clock) = map.get("clock") {
            self.session.set_clock(instant(clock)?);
            return Ok(());
        }
        if let Some(when) = map.get("reload") {
            let until = match when {
                Value::Bool(_) => self.session.now(),
                when => instant(when)?,
            };
            return self.reload(until);
        }
        if let Some(options) = map.get("fork") {
            return self.fork(options, step);
        }
        if map.contains_key("export") {
            let file = self.session.export();
            let has = |name: &str| map.get(name).and_then(Value::as_str).map(|text| file.contains(text));
            return match (has("contains"), has("lacks")) {
                (Some(false), _) => Err("the exported file does not contain the text".to_owned()),
                (_, Some(true)) => Err("the exported file contains the text".to_owned()),
                (None, None) => Err("an export step says `contains` or `lacks`".to_owned()),
                _ => Ok(()),
            };
        }
        if let Some(expected) = map.get("calls").and_then(Value::as_map) {
            let calls = self.tools.calls.borrow();
            for (tool, count) in expected {
                let made = calls.get(tool).copied().unwrap_or(0);
                if count.as_i64() != i64::try_from(made).ok() {
                    return Err(format!("`{tool}` was called {made} times, not {}", count.to_json()));
                }
            }
            return Ok(());
        }
        if let Some(name) = map.get("keep").and_then(Value::as_str) {
            let digests = self.digests()?;
            self.kept.insert(name.to_owned(), digests);
            return Ok(());
        }
        if let Some(name) = map.get("same").and_then(Value::as_str) {
            let kept = self.kept.get(name).ok_or_else(|| format!("nothing was kept as `{name}`"))?.clone();
            let now = self.digests()?;
            let which = map.get("digest").and_then(Value::as_str).unwrap_or("content");
            let (then, now) = match which {
                "chain" => (kept.chain, now.chain),
                "history" => (kept.history, now.history),
                _ => (kept.content, now.content),
            };
            return if then == now { Ok(()) } else { Err(format!("the {which} digest is not as it was at `{name}`")) };
        }
        Err(format!("this is not a step: {}", step.to_json()))
    }

    fn execute(&mut self, text: &str, step: &Value) -> Result<(), String> {
        let meta: Meta = match step.get("meta") {
            Some(meta) => from_value(meta).map_err(|error| format!("meta: {error}"))?,
            None => Meta::default(),
        };
        let before = self.digests()?;
        let outcome = self.session.execute_with(text, meta);
        match (outcome, step.get("refused")) {
            (Ok(_), Some(code)) => Err(format!("it was done, but must be refused with {}", code.to_json())),
            (Ok(done), None) => match step.get("expect") {
                Some(part) if !contains(&done.result, part) => {
                    Err(format!("the result is {}, which does not contain {}", done.result.to_json(), part.to_json()))
                }
                _ => Ok(()),
            },
            (Err(refusal), None) => Err(format!("it was refused: {refusal}")),
            (Err(refusal), Some(code)) => {
                if code.as_str() != Some(&refusal.code) {
                    return Err(format!("it was refused with {refusal}, not with {}", code.to_json()));
                }
                if let Some(path) = step.get("path").and_then(Value::as_str)
                    && refusal.path.as_deref() != Some(path)
                {
                    return Err(format!("the refusal points to {:?}, not to {path}", refusal.path));
                }
                if self.digests()?.content != before.content {
                    return Err("it was refused, but the content digest changed".to_owned());
                }
                Ok(())
            }
        }
    }

    fn ask(&mut self, query: &Value, step: &Value) -> Result<(), String> {
        let answer = match (self.session.query(&query.to_json()), step.get("refused")) {
            (Ok(answer), None) => answer,
            (Err(refusal), Some(code)) if code.as_str() == Some(&refusal.code) => return Ok(()),
            (Err(refusal), _) => return Err(refusal.to_string()),
            (Ok(_), Some(code)) => return Err(format!("it was answered, but must be refused with {}", code.to_json())),
        };
        let path = step.get("at").and_then(Value::as_str).unwrap_or("");
        let found = pointer(&answer, path);
        let shown =
            || found.map_or_else(|| format!("nothing stands at {path:?} of {}", answer.to_json()), Value::to_json);
        let value = found.cloned().unwrap_or_default();
        if let Some(expected) = step.get("equals") {
            let absent = found.is_none() && !expected.is_null();
            return if !absent && value == *expected {
                Ok(())
            } else {
                Err(format!("{} is not {}", shown(), expected.to_json()))
            };
        }
        if let Some(part) = step.get("contains") {
            return if contains(&value, part) {
                Ok(())
            } else {
                Err(format!("{} does not contain {}", shown(), part.to_json()))
            };
        }
        if let Some(part) = step.get("lacks") {
            return if contains(&value, part) {
                Err(format!("{} contains {}", shown(), part.to_json()))
            } else {
                Ok(())
            };
        }
        if let Some(count) = step.get("count") {
            let length = value.as_list().map_or(0, <[Value]>::len);
            return if count.as_i64() == i64::try_from(length).ok() {
                Ok(())
            } else {
                Err(format!("{length} items: {}", shown()))
            };
        }
        Err("a query step says `equals`, `contains`, `lacks`, `count` or `refused`".to_owned())
    }

    /// A plan from a file beside the scenario, of the newest run, or as it stands there.
    fn plan(&self, plan: &Value, folder: &Path) -> Result<Value, String> {
        let ask = |query: &str| self.session.query(query).map_err(|refusal| refusal.to_string());
        match plan {
            Value::Bool(true) => {
                let runs = ask(r#"{"type":"runs"}"#)?;
                let id = runs.as_list().and_then(<[Value]>::last).and_then(|run| run.get("id")).cloned();
                let id = id.ok_or("there is no run whose plan could be scored")?;
                let run = ask(&Value::from([("type", Value::from("run")), ("run", id)]).to_json())?;
                Ok(run.get("plan").cloned().unwrap_or_default())
            }
            Value::Text(file) if !file.contains(['\n', ' ']) && file.contains('.') => {
                read(folder, file).map(Value::from)
            }
            other => Ok(other.clone()),
        }
    }

    fn golden(&mut self, step: &Value, golden: &Value, folder: &Path) -> Result<(), String> {
        let plan = self.plan(step.get("plan").unwrap_or(&Value::Bool(true)), folder)?;
        let golden = self.plan(golden, folder)?;
        let inputs = step.get("inputs").cloned().unwrap_or_else(|| Vec::<Value>::new().into());
        let query =
            Value::from([("type", Value::from("score_plan")), ("plan", plan), ("golden", golden), ("inputs", inputs)]);
        let score = self.session.query(&query.to_json()).map_err(|refusal| refusal.to_string())?;
        let reached = score.get("score").and_then(Value::as_number).cloned().ok_or("the plan has no score")?;
        let said = score.get("explanation").and_then(Value::as_str).unwrap_or("");
        self.notes.push(format!("the plan scores {reached}: {said}"));
        let minimum =
            step.get("minimum").and_then(Value::as_number).ok_or("a golden plan has a `minimum` from 0 to 1")?;
        if reached >= *minimum {
            return Ok(());
        }
        let texts = |name: &str| {
            let items = score.get(name).and_then(Value::as_list).unwrap_or(&[]);
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let differ = score.get("matched").and_then(Value::as_list).unwrap_or(&[]);
        let differ = differ.iter().filter_map(|m| m.get("why")?.as_str().filter(|w| !w.is_empty()).map(str::to_owned));
        let mut why: Vec<String> = differ.collect();
        for (name, word) in
            [("missing", "missing"), ("extra", "too many"), ("missing_edges", "not joined"), ("extra_edges", "joined")]
        {
            why.extend(texts(name).iter().map(|text| format!("{word}: {text}")));
        }
        Err(format!("the plan scores {reached}, under {minimum}: {said}; {}", why.join("; ")))
    }

    fn fork(&mut self, options: &Value, step: &Value) -> Result<(), String> {
        let options = from_value(options).map_err(|error| format!("fork: {error}"))?;
        let made = throughline_engine::fork(self.session.journal(), &options).map_err(|refusal| refusal.to_string())?;
        let report = to_value(&made.report).map_err(|error| error.to_string())?;
        self.go_on(made.journal, self.session.now())?;
        self.session.resume();
        match step.get("expect") {
            Some(part) if !contains(&report, part) => {
                Err(format!("the report is {}, which does not contain {}", report.to_json(), part.to_json()))
            }
            _ => Ok(()),
        }
    }

    /// Another journal in the place of this one, with the same replies and tools.
    fn go_on(&mut self, journal: throughline_journal::Journal, now: Millis) -> Result<(), String> {
        let mut session = Local::open(journal, now);
        if let Some(cassette) = &self.cassette {
            session.load_cassette(cassette).map_err(|refusal| refusal.to_string())?;
        }
        self.tools.give_to(&mut session);
        self.session = session;
        Ok(())
    }

    fn reload(&mut self, until: Millis) -> Result<(), String> {
        let before = self.digests()?;
        let journal = throughline_journal::import(&self.session.export()).map_err(|error| error.to_string())?;
        self.go_on(journal, until)?;
        let after = self.digests()?;
        self.session.resume();
        if before == after { Ok(()) } else { Err("the digests are not as they were before the reload".to_owned()) }
    }
}

/// Reads a scenario's name without running it.
#[must_use]
pub fn name_of(text: &str) -> Option<String> {
    json::read_value(text).ok()?.get("name")?.as_str().map(str::to_owned)
}
