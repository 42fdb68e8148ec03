//! What is asked of plan runs beside their views: why one went wrong, what it answers, and whether that still holds.

use throughline_agent::Hosted;
use throughline_plan::answer::{RunScope, render_revealing};
use throughline_plan::{Bound, diagnose};
use throughline_protocol::query::{Diagnose, RenderAnswer, VerifyAnswer};
use throughline_protocol::view::{AnswerView, Broken, Footnote, RunDiagnosis, RunView};
use throughline_protocol::{At, Refusal};
use throughline_value::{Named, Value, from_value};

use crate::query::Asked;

impl Asked<'_> {
    /// Why a run went wrong: one of this journal, one that is given as a view, or a plan that does not hold.
    pub(crate) fn diagnose(&self, query: &Diagnose) -> Result<RunDiagnosis, Refusal> {
        let at = self.at(&query.at)?;
        let plan = query.plan.as_str();
        if !query.view.is_null() {
            let view: RunView = from_value(&query.view).map_err(|error| Refusal::from(error).at_path("/view"))?;
            return Ok(diagnose::run(&view, plan));
        }
        if !query.plan.is_null() && query.run.is_empty() {
            let loaded = self.state.rooms.domain_at(at.seq);
            let scope = throughline_plan::Scope::of(&loaded.domain);
            return Ok(diagnose::plan(&throughline_plan::check(&query.plan, &scope).1));
        }
        Ok(diagnose::run(&self.run(&query.run, &at)?, plan))
    }

    fn run(&self, run: &str, at: &At) -> Result<RunView, Refusal> {
        self.state.rooms.plans.run(run, at).ok_or_else(|| {
            Refusal::new("unknown-run", format!("there is no run `{run}` at this moment")).at_path("/run")
        })
    }

    /// An answer from a run's values, by a template of the domain or the caller's.
    pub(crate) fn render_answer(&self, query: &RenderAnswer) -> Result<AnswerView, Refusal> {
        let at = self.at(&query.at)?;
        let rooms = &self.state.rooms;
        let view = self.run(&query.run, &at)?;
        let loaded = rooms.domain_at(at.seq);
        let default = || loaded.domain.languages.first().map_or("en", String::as_str);
        let language = if query.language.is_empty() { default() } else { &query.language };
        let (template, reveals) = match (&query.template, loaded.domain.answers.get(&query.answer)) {
            (Some(template), _) => (template.as_str(), Vec::new()),
            (None, Some(answer)) => {
                if !answer.states.is_empty() && !answer.states.iter().any(|state| rooms.machine.in_state(state, at)) {
                    let message = format!("the answer `{}` is only open in {}", query.answer, answer.states.join(", "));
                    return Err(Refusal::new("answer-closed", message).at_path("/answer"));
                }
                (answer.template.get(language), answer.reveals.clone())
            }
            (None, None) => {
                let names: Vec<&str> = loaded.domain.answers.keys().map(String::as_str).collect();
                let near = throughline_protocol::nearest(&query.answer, &names);
                let refusal = Refusal::new("unknown-answer", format!("the domain has no answer `{}`", query.answer));
                return Err(near
                    .map_or_else(|| refusal.clone(), |near| refusal.clone().suggest(near))
                    .at_path("/answer"));
            }
        };
        let names = rooms.names(at, at.valid_at).with("language", Value::from(language)).with("run", run_of(&view));
        let values: Named<Bound> = rooms.plans.values_at(&view.row.id, at.seq);
        let scope = RunScope::new(&values, &names).about(rooms.plans.about(&view.row.id, &names));
        let from = if query.answer.is_empty() { "template" } else { &query.answer };
        render_revealing(template, from, &reveals, &scope)
            .map_err(|error| Refusal::new(error.code(), error.to_string()).at_path("/template").at_span(error.span()))
    }

    /// What no longer holds of an answer: its evidence is looked up and hashed again.
    pub(crate) fn verify_answer(&self, query: &VerifyAnswer) -> Result<Vec<Broken>, Refusal> {
        let at = self.at(&query.at)?;
        let rooms = &self.state.rooms;
        let answer: AnswerView = from_value(&query.answer).map_err(|error| Refusal::from(error).at_path("/answer"))?;
        let host = Hosted::new(rooms, at.seq).valid_at(at.valid_at);
        let mut broken: Vec<Broken> = throughline_plan::answer::verify(&answer, &host)
            .into_iter()
            .map(|(number, failure)| Broken { number, code: failure.code.to_owned(), message: failure.message })
            .collect();
        for Footnote { number, evidence, .. } in &answer.footnotes {
            let number = *number;
            for evidence in evidence {
                let mut add =
                    |code: &str, message: String| broken.push(Broken { number, code: code.to_owned(), message });
                let document = throughline_plan::Documents::document(&host, &evidence.document, None);
                match document.filter(|document| evidence.version > 0 && document.hash != evidence.hash) {
                    Some(newer) if newer.version > evidence.version => add(
                        "superseded",
                        format!(
                            "`{}` has version {} by now; the answer rests on version {}",
                            evidence.document, newer.version, evidence.version
                        ),
                    ),
                    _ => {}
                }
                let of_run = matches!(evidence.method.as_str(), "tool" | "input" | "person" | "stub");
                let inside = evidence.version == 0
                    && !matches!(evidence.method.as_str(), "fact" | "entity" | "memory" | "decision");
                if (of_run || inside) && !evidence.hash.is_empty() && !rooms.plans.gave(&evidence.hash) {
                    add(
                        "result-missing",
                        format!("no step of this journal gave what `{}` is said to have given", evidence.document),
                    );
                }
            }
        }
        for (number, key, quote) in facts(&answer) {
            let now = rooms.ledger.get(throughline_protocol::DEFAULT_SUBJECT, key, at).map(|value| value.to_json());
            if !quote.is_empty() && now.as_deref() != Some(quote) {
                let message =
                    format!("the fact `{key}` is {} by now, not {quote}", now.unwrap_or_else(|| "gone".to_owned()));
                broken.push(Broken { number, code: "fact-changed".to_owned(), message });
            }
        }
        for figure in &answer.unsupported {
            broken.push(Broken {
                number: 0,
                code: "no-evidence".to_owned(),
                message: format!("`{figure}` rests on nothing"),
            });
        }
        Ok(broken)
    }
}

/// The facts that an answer shows: footnote, key, and the value they had.
fn facts(answer: &AnswerView) -> impl Iterator<Item = (u32, &str, &str)> {
    answer.footnotes.iter().flat_map(|note| {
        let one = note.evidence.iter().filter(|evidence| evidence.method == "fact");
        let keys = note
            .name
            .split(", ")
            .filter_map(|name| name.strip_prefix("facts."))
            .map(|key| key.split('.').next().unwrap_or(key));
        keys.zip(one).map(move |(key, evidence)| (note.number, key, evidence.quote.as_str()))
    })
}

fn run_of(view: &RunView) -> Value {
    Value::from([
        ("id", Value::from(view.row.id.as_str())),
        ("status", view.row.status.as_str().into()),
        ("error", view.error.clone().map_or(Value::Null, Value::Text)),
    ])
}
