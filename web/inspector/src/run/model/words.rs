//! The engine's words for stages, endings, states and sections, in the reader's language.

use crate::i18n::Lang;

/// A stage of the turn, or what an exchange is for.
pub(super) fn stage(name: &str, lang: Lang) -> String {
    let words = lang.words();
    let word = match name {
        "interpret" => words.stage_interpret,
        "ground" => words.stage_ground,
        "gather" => words.stage_gather,
        "plan" => lang.views().stage_plan,
        "decide" => words.stage_decide,
        "respond" => words.stage_respond,
        other => return other.to_owned(),
    };
    word.to_owned()
}

/// A section of a prompt.
pub(super) fn section(name: &str, lang: Lang) -> String {
    let words = lang.views();
    let word = match name {
        "system" => words.section_system,
        "state" => words.section_state,
        "facts" => words.section_facts,
        "user" => words.section_user,
        "quoted" => words.section_quoted,
        "total" => words.section_total,
        other => return other.to_owned(),
    };
    word.to_owned()
}

/// How a reply ended.
pub(super) fn ending(name: &str, lang: Lang) -> String {
    let words = lang.views();
    let word = match name {
        "done" => words.ending_done,
        "truncated" => words.ending_truncated,
        "refused" => words.ending_refused,
        "interrupted" => words.ending_interrupted,
        "failed" => words.ending_failed,
        other => return other.to_owned(),
    };
    word.to_owned()
}

/// How far a turn is.
pub(super) fn status(name: &str, lang: Lang) -> String {
    let words = lang.words();
    let word = match name {
        "running" => words.status_running,
        "waiting" => words.status_waiting,
        "answered" => words.status_answered,
        "stopped" => words.status_stopped,
        "failed" => words.status_failed,
        other => return other.to_owned(),
    };
    word.to_owned()
}
