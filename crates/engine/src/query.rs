//! Queries: each is answered from what is committed, at the moment it names.

use serde::Serialize;
use throughline_agent::turn::parts::REQUESTED;
use throughline_expr::Expr;
use throughline_journal::{Journal, Millis, Record};
use throughline_protocol::query::{CheckPlan, DEFAULT_LIMIT, Evaluate, PlanPromptQuery, Records, ScorePlan, Timeline};
use throughline_protocol::view::{self, DomainView, Problem, RecordDetail, RecordPage, RecordRow, Status};
use throughline_protocol::{At, DEFAULT_SUBJECT, Moment, Query, Refusal, lane};
use throughline_value::{InOrder as _, Named, Value, json, to_value};

use crate::diff::{difference, snapshot};
use crate::digests::{digests_of, digests_with};
use crate::moment::resolve;
use crate::state::{Lanes, State};
use crate::summary::{line, many_line, row, shorten};

/// How many causes a record's chain shows at most.
const MAX_CHAIN: usize = 64;

/// The most records one page holds, whatever limit is asked for.
const MAX_PAGE: usize = 10_000;

pub(crate) fn answer(
    journal: &Journal,
    state: &State,
    lanes: Option<&Lanes>,
    now: Millis,
    text: &str,
) -> Result<Value, Refusal> {
    let node = json::read(text)?;
    let query = Query::from_node(&node)?;
    Asked { journal, state, lanes, now }.answer(&query)
}

pub(crate) struct Asked<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) state: &'a State,
    /// The counts of what is committed, where they are kept.
    pub(crate) lanes: Option<&'a Lanes>,
    pub(crate) now: Millis,
}

fn value<T: Serialize>(view: &T) -> Result<Value, Refusal> {
    Ok(to_value(view)?)
}

fn missing(what: &str, name: &str) -> Refusal {
    Refusal::new(&format!("unknown-{what}"), format!("there is no {what} `{name}` at this moment"))
}

impl Asked<'_> {
    pub(crate) fn at(&self, moment: &Moment) -> Result<At, Refusal> {
        resolve(self.journal, &self.state.rooms.domain().domain, self.now, moment)
    }

    pub(crate) fn answer(&self, query: &Query) -> Result<Value, Refusal> {
        let rooms = &self.state.rooms;
        match query {
            Query::Status(_) => value(&self.status()),
            Query::Records(q) => value(&self.records(q)),
            Query::RecordBySeq(q) => value(&self.record(q.seq)?),
            Query::Timeline(q) => value(&self.timeline(q)),
            Query::DomainQuery(q) => value(&self.domain(self.at(&q.at)?)),
            Query::Documents(q) => value(&rooms.documents.rows(self.at(&q.at)?.seq)),
            Query::Document(q) => {
                let view = rooms.documents.view(&q.name, self.at(&q.at)?.seq);
                value(&view.ok_or_else(|| missing("document", &q.name).at_path("/name"))?)
            }
            Query::Entities(q) => value(&rooms.world.entities(self.at(&q.at)?, q.entity_type.as_deref())),
            Query::Entity(q) => value(&rooms.world.entity(&q.entity, self.at(&q.at)?)?),
            Query::Relations(q) => {
                let at = self.at(&q.at)?;
                value(&rooms.world.relations(at, q.entity.as_deref(), q.relation.as_deref()))
            }
            Query::RelationHistory(q) => {
                let mut versions = rooms.world.relation_history(q, self.at(&q.at)?)?;
                for version in &mut versions {
                    let record = self.journal.record(version.relation.seq);
                    version.recorded_at = record.map_or(0, |record| record.recorded_at);
                }
                value(&versions)
            }
            Query::Paths(q) => value(&rooms.world.paths(q, self.at(&q.at)?)?),
            Query::Neighbourhood(q) => value(&rooms.world.neighbourhood(q, self.at(&q.at)?)?),
            Query::Influences(q) => value(&self.influences(q)?),
            Query::Events(q) => value(&rooms.world.events(self.at(&q.at)?)),
            Query::Facts(q) => value(&rooms.ledger.facts(self.at(&q.at)?, q.subject.as_deref(), q.key.as_deref())),
            Query::FactHistory(q) => {
                let subject = q.subject.as_deref().unwrap_or(DEFAULT_SUBJECT);
                value(&rooms.ledger.history(subject, &q.key, self.at(&q.at)?))
            }
            Query::Machine(q) => {
                let at = self.at(&q.at)?;
                value(&rooms.machine.view(at, &rooms.names(at, at.valid_at)))
            }
            Query::Conflicts(q) => {
                value(&rooms.ledger.conflicts(self.at(&q.at)?, q.subject.as_deref(), q.key.as_deref()))
            }
            Query::CheckMachine(q) => {
                let at = self.at(&q.at)?;
                let facts = match &q.facts {
                    Value::Null => rooms.domain_at(at.seq).domain.facts.clone(),
                    facts => throughline_value::from_value(facts).map_err(|e| Refusal::from(e).at_path("/facts"))?,
                };
                value(&rooms.machine.check(&q.machine, &facts, at))
            }
            Query::Transition(q) => {
                let at = self.at(&q.at)?;
                let names = rooms.names(at, at.valid_at);
                let names = if q.facts.is_null() { names } else { names.with("facts", q.facts.clone()) };
                value(&rooms.machine.try_event(&q.machine, &q.state, &q.event, &q.data, at, &names)?)
            }
            Query::MigrateSnapshot(q) => rooms.machine.migrate(&q.machine, &q.snapshot),
            Query::ImportMachine(q) => value(&throughline_agent::import_machine(&q.format, &q.definition)?),
            Query::CheckPlan(q) => value(&self.check_plan(q)),
            Query::PlanPromptQuery(q) => value(&self.plan_prompt(q)),
            Query::ScorePlan(q) => self.score_plan(q),
            Query::Runs(q) => value(&rooms.plans.rows(&self.at(&q.at)?)),
            Query::Run(q) => {
                let view = rooms.plans.run(&q.run, &self.at(&q.at)?);
                value(&view.ok_or_else(|| missing("run", &q.run).at_path("/run"))?)
            }
            Query::Diagnose(q) => value(&self.diagnose(q)?),
            Query::RenderAnswer(q) => value(&self.render_answer(q)?),
            Query::VerifyAnswer(q) => value(&self.verify_answer(q)?),
            Query::Turns(q) => {
                let seq = self.at(&q.at)?.seq;
                match q.turn {
                    Some(turn) => {
                        let thread = q.thread.as_deref().unwrap_or(throughline_journal::MAIN_THREAD);
                        let one = rooms.turns.one(self.journal, seq, thread, turn);
                        value(&one.map(|turn| turn.view()).into_iter().collect::<Vec<_>>())
                    }
                    None => {
                        let turns = rooms.turns.until(self.journal, seq, q.thread.as_deref());
                        value(&turns.map(|turn| turn.view()).collect::<Vec<_>>())
                    }
                }
            }
            Query::Recall(q) => self.recall(q),
            Query::MemoryHistory(_)
            | Query::MemoryLast(_)
            | Query::MemoryCounts(_)
            | Query::MemoryNeighbours(_)
            | Query::MemoryMoments(_)
            | Query::MemoryRelated(_)
            | Query::MemoryEpisodes(_)
            | Query::MemoryForgetting(_)
            | Query::MemoryTree(_)
            | Query::MemoryPurged(_) => self.memory(query),
            Query::Problems(q) => value(&self.problems(self.at(&q.at)?)),
            Query::Why(q) => value(&self.why(q)?),
            Query::Digests(q) => {
                let seq = self.at(&q.at)?.seq;
                // What is folded already is not folded again, unless it is ahead of what is committed.
                let level = seq == self.journal.head().seq && self.state.rooms.seq == seq;
                if !level && !self.journal.is_whole() {
                    return Ok(Value::Null);
                }
                value(&if level { digests_with(self.journal, self.state, seq) } else { digests_of(self.journal, seq) })
            }
            Query::Evaluate(q) => self.evaluate(q),
            Query::ToolDefinitions(q) => {
                let at = self.at(&q.at)?;
                crate::tools::definitions(&rooms.domain_at(at.seq).domain, rooms, at, &q.shape, q.closed)
            }
            Query::Snapshot(q) => Ok(snapshot(rooms, self.at(&q.at)?)),
            Query::Diff(q) => {
                let from = snapshot(rooms, self.at(&q.from)?);
                let to = if q.other.is_null() { snapshot(rooms, self.at(&q.to)?) } else { q.other.clone() };
                value(&difference(&from, &to))
            }
            // What works on the whole journal is not begun on a part of it: the answer would be thrown away.
            Query::Replay(_) | Query::WithoutRecord(_) if !self.journal.is_whole() => Ok(Value::Null),
            Query::WithoutRecord(q) => value(&self.without(q.seq)?),
            Query::Metrics(q) => {
                let figures = rooms.turns.figures(self.journal, self.at(&q.at)?.seq, q.thread.as_deref());
                value(&throughline_agent::metrics(figures))
            }
            Query::Spans(q) => {
                let turns = rooms.turns.until(self.journal, self.at(&q.at)?.seq, q.thread.as_deref());
                let turns = turns.filter(|turn| q.turn.is_none_or(|number| number == turn.turn));
                Ok(crate::otlp::spans(self.journal, turns, q.content))
            }
            Query::Replay(q) => value(&crate::replay::replay(self.journal, self.at(&q.at)?.seq)?),
            Query::Prompt(q) => {
                let at = self.at(&q.at)?;
                value(&throughline_agent::turn::prompt(
                    rooms,
                    self.journal,
                    q.thread.as_deref(),
                    &q.stage,
                    at,
                    self.now,
                )?)
            }
        }
    }

    fn status(&self) -> Status {
        let head = self.journal.head();
        let lanes: Named<u64> = match self.lanes {
            Some(lanes) => lanes.named().collect(),
            None => Lanes::of(self.journal).named().collect(),
        };
        let domain = self.state.rooms.domain_at(head.seq);
        let busy = self.state.rooms.turns.open().find(|turn| turn.status == "running").map(|turn| turn.thread.clone());
        Status {
            id: self.journal.id().to_owned(),
            seq: head.seq,
            frame: head.frame,
            chain: head.chain,
            recorded_at: self.journal.recorded_at(),
            domain: (!domain.domain.name.is_empty()).then(|| domain.domain.name.clone()),
            lanes,
            busy,
            next_due: self.state.rooms.world.next_due(self.now),
            memory: None,
        }
    }

    fn records(&self, query: &Records) -> RecordPage {
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_PAGE);
        let kind_fits = |record: &&Record| {
            query.kinds.is_empty()
                || query
                    .kinds
                    .iter()
                    .any(|kind| record.kind == *kind || (kind.ends_with('.') && record.kind.starts_with(kind)))
        };
        let mut wanted = self
            .journal
            .records_from(query.from.max(1))
            .filter(kind_fits)
            .filter(|record| query.thread.as_ref().is_none_or(|thread| record.thread == *thread));
        let records = wanted.by_ref().take(limit).map(|record| self.row(record)).collect();
        RecordPage { records, next: wanted.next().map(|record| record.seq) }
    }

    fn record(&self, seq: u64) -> Result<RecordDetail, Refusal> {
        let record = self.journal.record(seq).ok_or_else(|| missing("record", &seq.to_string()).at_path("/seq"))?;
        let frame = self.journal.frame_of(seq);
        let command = frame.and_then(|frame| {
            let holds = |entry: &&Value| {
                let records = entry.get("records").and_then(Value::as_list).unwrap_or(&[]);
                records.iter().any(|s| s.as_i64() == i64::try_from(seq).ok())
            };
            let command = self.journal.commands_of(frame).iter().find(holds)?.get("command")?;
            let made: Vec<&Record> = frame.records.iter().collect();
            crate::erase::with_words(command, &made).or_else(|| Some(command.clone()))
        });
        let effects = self.journal.records_from(seq + 1).filter(|r| r.cause == Some(seq)).map(|r| r.seq).collect();
        Ok(RecordDetail {
            record: self.row(record),
            causes: self.causes(record).map(|record| self.row(record)).collect(),
            effects,
            command: command.unwrap_or_default(),
            frame: frame.map_or(0, |f| f.number),
            chain: frame.map(|f| f.chain.clone()).unwrap_or_default(),
        })
    }

    /// A record as a row; a request as it was sent.
    pub(crate) fn row(&self, record: &Record) -> RecordRow {
        let mut row = row(record);
        if row.kind == REQUESTED {
            row.data = self.state.rooms.turns.parts.whole(&row.data);
        }
        row
    }

    /// The records that led to one, nearest first.
    pub(crate) fn causes<'b>(&'b self, record: &'b Record) -> impl Iterator<Item = &'b Record> {
        std::iter::successors(record.cause.and_then(|seq| self.journal.record(seq)), |record| {
            record.cause.and_then(|seq| self.journal.record(seq))
        })
        .take(MAX_CHAIN)
    }

    fn timeline(&self, query: &Timeline) -> view::Timeline {
        let mut timeline = view::Timeline {
            lanes: lane::LANES.iter().map(|name| (*name).to_owned()).collect(),
            ..view::Timeline::default()
        };
        for record in self.journal.records_from(query.from.max(1)) {
            let lane = lane::LANES.iter().position(|name| *name == lane::of(&record.kind)).unwrap_or(0);
            timeline.seq.push(record.seq);
            timeline.recorded_at.push(record.recorded_at);
            timeline.lane.push(u8::try_from(lane).unwrap_or(0));
            timeline.summary.push(self.line(record));
        }
        timeline
    }

    /// A record in one line. What is known of many events at once comes from the memory, whose columns are always here:
    /// to draw a long journal its largest bodies are not read.
    fn line(&self, record: &Record) -> String {
        let many = record.kind == "memory.columns";
        match many.then(|| self.state.rooms.memory.remembered_by(record.seq)).flatten() {
            Some((rows, kinds)) => shorten(&many_line(&kinds.join(", "), &rows.to_string())),
            None => line(record),
        }
    }

    fn domain(&self, at: At) -> DomainView {
        let Some((seq, loaded)) = self.state.rooms.domains.entry_at(at.seq) else { return DomainView::default() };
        DomainView {
            name: loaded.domain.name.clone(),
            version: loaded.domain.version.clone(),
            hash: loaded.hash.clone(),
            document: loaded.document.clone(),
            seq: self.state.rooms.domain_seq(*seq),
            zones: loaded.domain.zones.iter().map(|(name, zone)| (name.clone(), zone.version.clone())).collect(),
        }
    }

    fn check_plan(&self, query: &CheckPlan) -> view::PlanReport {
        let loaded = self.state.rooms.domain_at(self.journal.head().seq);
        let mut scope = throughline_agent::Hosted::scope(&loaded.domain, query.inputs.iter().cloned());
        scope.max_steps = query.max_steps;
        if !query.wanted.is_empty() {
            scope = scope.wanted(query.wanted.iter().cloned());
        }
        throughline_plan::check::report(&query.plan, &scope, query.fix)
    }

    fn plan_prompt(&self, query: &PlanPromptQuery) -> view::PlanPrompt {
        let loaded = self.state.rooms.domain_at(self.journal.head().seq);
        let scope = throughline_agent::Hosted::scope(&loaded.domain, query.inputs.iter().cloned());
        let language =
            query.language.as_deref().or(loaded.domain.languages.first().map(String::as_str)).unwrap_or("en");
        let report = (!query.plan.is_null()).then(|| throughline_plan::check(&query.plan, &scope).1);
        throughline_plan::prompt::prompt(
            &loaded.domain,
            &scope,
            language,
            &query.question,
            report.as_ref(),
            query.attempt,
        )
    }

    fn score_plan(&self, query: &ScorePlan) -> Result<Value, Refusal> {
        let loaded = self.state.rooms.domain_at(self.journal.head().seq);
        let scope = throughline_agent::Hosted::scope(&loaded.domain, query.inputs.iter().cloned());
        let score = throughline_plan::golden::score(&query.plan, &query.golden, &scope)
            .map_err(|message| Refusal::new("plan-invalid", message).at_path("/golden"))?;
        value(&score)
    }

    fn recall(&self, query: &throughline_protocol::query::Recall) -> Result<Value, Refusal> {
        let at = self.at(&query.at)?;
        value(&self.state.rooms.memory.recall(at, query, &self.state.rooms.domain_at(at.seq).domain)?)
    }

    fn evaluate(&self, query: &Evaluate) -> Result<Value, Refusal> {
        let at = self.at(&query.at)?;
        let names = self.state.rooms.names(at, at.valid_at).with_all(&query.names);
        Expr::parse(&query.expression)
            .and_then(|expr| expr.eval(&names))
            .map_err(|error| Refusal::new(error.code(), error.to_string()).at_path("/expression").at_span(error.span()))
    }

    /// What is open or went wrong, oldest first.
    fn problems(&self, at: At) -> Vec<Problem> {
        let of_record = |record: &Record| {
            let text = |name| record.data().get(name).and_then(Value::as_str).unwrap_or("").to_owned();
            Problem {
                code: text("code"),
                message: text("message"),
                severity: "error".to_owned(),
                seq: record.seq,
                details: record.data().clone(),
            }
        };
        let wrong = self.state.problems.iter().filter(|seq| **seq <= at.seq);
        let mut problems: Vec<Problem> = wrong.filter_map(|seq| self.journal.record(*seq)).map(of_record).collect();
        problems.extend(self.state.rooms.world.problems(at));
        problems.extend(self.state.rooms.proposals.problems(at));
        crate::conditions::problems(&self.state.rooms, at, &mut problems);
        for open in self.state.rooms.ledger.conflicts(at, None, None).into_iter().filter(|c| c.open) {
            let seq = open.losers.iter().map(|fact| fact.seq).max().unwrap_or(0);
            let options = std::iter::once(&open.winner).chain(&open.losers).map(|fact| fact.value.clone());
            problems.push(Problem {
                code: "fact-conflict".to_owned(),
                message: open.why,
                severity: "open".to_owned(),
                seq,
                details: Value::from([
                    ("subject", Value::from(open.subject)),
                    ("key", open.key.into()),
                    ("options", Value::List(options.collect())),
                ]),
            });
        }
        for turn in self.state.rooms.turns.that_asked(self.journal, at.seq).map(|turn| turn.view()) {
            if let Some(ask) = turn.ask.filter(|ask| !ask.settled) {
                let details = Value::from([("ask", Value::from(ask.id)), ("options", Value::List(ask.options))]);
                let (code, severity) = ("waiting-for-a-person".to_owned(), "open".to_owned());
                problems.push(Problem { code, message: ask.question, severity, seq: turn.last_seq, details });
            }
        }
        for (ask, seq) in self.state.rooms.plans.open_asks(at.seq) {
            let details = Value::from([("ask", Value::from(ask.id)), ("options", Value::List(ask.options))]);
            let (code, severity) = ("waiting-for-a-person".to_owned(), "open".to_owned());
            problems.push(Problem { code, message: ask.question, severity, seq, details });
        }
        problems.order_by_key(|problem| problem.seq);
        problems
    }
}
