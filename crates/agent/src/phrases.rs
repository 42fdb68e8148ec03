//! The few sentences that the agent itself says, in the languages it knows.

/// A sentence of the agent, by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phrase {
    /// The agent asks which intent is meant.
    WhichIntent,
    /// The agent asks whether an action may be done.
    MayI,
    /// The model proposes something that it is not sure of.
    Unsure,
    /// Neither the model nor the rules could decide.
    NobodyDecides,
    /// There is no template for what the user wants.
    NoAnswer,
}

/// The sentence in a language; English when the language is not known.
pub(crate) fn say(phrase: Phrase, language: &str) -> &'static str {
    let chinese = language == "zh" || language.starts_with("zh-");
    match (phrase, chinese) {
        (Phrase::WhichIntent, false) => "I am not sure what you want. Which of these is it?",
        (Phrase::WhichIntent, true) => "我不确定您的需要，请选择其中一项：",
        (Phrase::MayI, false) => "May I do this?",
        (Phrase::MayI, true) => "可以执行这项操作吗？",
        (Phrase::Unsure, false) => "I am not sure about this. Shall I do it?",
        (Phrase::Unsure, true) => "我对此没有把握，是否执行？",
        (Phrase::NobodyDecides, false) => "I could not decide what to do. Shall I try again, or do nothing?",
        (Phrase::NobodyDecides, true) => "我无法决定该做什么。要再试一次，还是什么都不做？",
        (Phrase::NoAnswer, false) => "I cannot answer this.",
        (Phrase::NoAnswer, true) => "我无法回答这个问题。",
    }
}
