//! Folding the machine's records.

use std::sync::Arc;

use throughline_journal::Record;
use throughline_protocol::view::{GuardResult, TransitionLog};
use throughline_value::{Value, from_value};

use super::parse::parse;
use super::{Machine, Standing};

impl Machine {
    /// Folds a record; records of other rooms change nothing, and one of its own kinds that cannot be read is
    /// only counted.
    pub fn evolve(&mut self, record: &Record) {
        let folded = match record.kind.as_str() {
            "machine.loaded" => self.loaded(record),
            "machine.transitioned" => self.transitioned(record),
            "machine.refused" => self.refused(record),
            _ => return,
        };
        if folded.is_none() {
            self.quarantined.push(record.seq);
        }
    }

    fn loaded(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let document = data.get("definition")?;
        if document.is_null() {
            self.definitions.push(record.seq, None);
            return Some(());
        }
        // The one thing that is read again; what cannot be read leaves no machine rather than a wrong one.
        let Ok(mut definition) = parse(document, "/machine") else {
            self.definitions.push(record.seq, None);
            return None;
        };
        let active = texts(data.get("to")?)?;
        let entered = texts(data.get("entered")?)?;
        let carried = data.get("carried").and_then(Value::as_bool).unwrap_or(false);
        let finished = data.get("finished")?.as_bool()?;
        let before = self.standing(record.seq).filter(|_| carried);
        let since = |path: &String| before.and_then(|b| b.entered.get(path)).copied().unwrap_or(record.valid_from);
        let entered = entered.iter().map(|path| (path.clone(), since(path))).collect();
        if let Some(findings) = data.get("findings").and_then(Value::as_list) {
            definition.findings = findings.iter().filter_map(|finding| from_value(finding).ok()).collect();
        }
        // Records of older engines carry everything over as it was.
        let mut remembered = before.map(|b| b.remembered.clone()).unwrap_or_default();
        if let Some(kept) = data.get("remembered").and_then(Value::as_map) {
            remembered = kept.iter().map(|(path, kept)| Some((path.clone(), texts(kept)?))).collect::<Option<_>>()?;
        }
        let standing = Standing { active, entered, finished, remembered, ..Standing::default() };
        self.definitions.push(record.seq, Some(Arc::new(definition)));
        self.standings.push(record.seq, Arc::new(standing));
        Some(())
    }

    fn transitioned(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let definition = Arc::clone(self.definition(record.seq)?);
        let mut standing = self.standing(record.seq)?.clone();
        let log = log(record, false)?;
        let to = texts(data.get("to")?)?;
        for path in texts(data.get("exited")?)? {
            standing.entered.remove(&path);
            let delays = definition.find(&path).and_then(|id| definition.state(id)).map(|s| s.delays.iter());
            for delay in delays.into_iter().flatten() {
                standing.spent.remove(&delay.event);
            }
        }
        for path in texts(data.get("entered")?)? {
            standing.entered.insert(path, record.valid_from);
        }
        for (path, states) in data.get("remembered").and_then(Value::as_map).into_iter().flatten() {
            standing.remembered.insert(path.clone(), texts(states)?);
        }
        standing.active = to;
        standing.finished = data.get("finished")?.as_bool()?;
        self.standings.push(record.seq, Arc::new(standing));
        self.log.push(Arc::new(log));
        Some(())
    }

    fn refused(&mut self, record: &Record) -> Option<()> {
        let log = log(record, true)?;
        // A delayed event comes once.
        if log.event.starts_with("after.")
            && let Some(standing) = self.standing(record.seq)
        {
            let mut standing = standing.clone();
            standing.spent.insert(log.event.clone());
            self.standings.push(record.seq, Arc::new(standing));
        }
        self.log.push(Arc::new(log));
        Some(())
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_list()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn log(record: &Record, refused: bool) -> Option<TransitionLog> {
    let data = record.data();
    let from = texts(data.get("from")?)?;
    let guard = |value: &Value| {
        Some(GuardResult {
            guard: value.get("guard")?.as_str()?.to_owned(),
            held: value.get("held").and_then(Value::as_bool),
            error: value.get("error").and_then(Value::as_str).map(str::to_owned),
        })
    };
    let said = data.get(if refused { "message" } else { "reason" }).and_then(Value::as_str).unwrap_or_default();
    Some(TransitionLog {
        event: data.get("event")?.as_str()?.to_owned(),
        to: if refused { from.clone() } else { texts(data.get("to")?)? },
        from,
        refused,
        reason: if said.is_empty() { record.reason.clone() } else { said.to_owned() },
        guards: data.get("guards")?.as_list()?.iter().map(guard).collect::<Option<_>>()?,
        seq: record.seq,
    })
}
