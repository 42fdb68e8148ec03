//! The words of the page, in every language it speaks.

mod codes;
mod table;
pub(crate) mod views;
mod words;

pub(crate) use codes::meaning;
use leptos::prelude::*;
pub(crate) use words::Words;

use crate::app::use_app;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// Its BCP 47 tag, as the browser's formats and the answers' languages take it.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// The language for a tag, when the page speaks it.
    pub(crate) fn of(tag: &str) -> Option<Self> {
        match tag.split(['-', '_']).next() {
            Some("en") => Some(Self::En),
            Some("zh") => Some(Self::Zh),
            _ => None,
        }
    }

    /// Its name in itself.
    pub(crate) fn own_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Zh => "中文",
        }
    }

    /// The other one.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::En => Self::Zh,
            Self::Zh => Self::En,
        }
    }

    /// Its words.
    pub(crate) fn words(self) -> &'static Words {
        match self {
            Self::En => &words::EN,
            Self::Zh => &words::ZH,
        }
    }

    /// The words of the large views.
    pub(crate) fn views(self) -> &'static views::Words {
        match self {
            Self::En => &views::EN,
            Self::Zh => &views::ZH,
        }
    }

    /// The language that a text is written in, as far as the page must know to have it answered in kind.
    pub(crate) fn of_text(text: &str) -> Self {
        if text.chars().any(|c| ('\u{3400}'..='\u{9fff}').contains(&c)) { Self::Zh } else { Self::En }
    }
}

/// The choice of a word of the table, whatever the language.
pub(crate) type Pick = fn(&'static Words) -> &'static str;

/// One word or sentence in the reader's language, now and after a change of the language.
pub(crate) fn t(pick: Pick) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    let lang = use_app().lang;
    move || pick(lang.get().words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_text_is_told_by_its_script() {
        assert_eq!(Lang::of_text("包裹 SF123 到哪了"), Lang::Zh);
        assert_eq!(Lang::of_text("Where is SF123?"), Lang::En);
        assert_eq!(Lang::of("zh-Hans-CN"), Some(Lang::Zh));
        assert_eq!(Lang::of("de"), None);
    }

    #[test]
    fn both_languages_have_the_same_gaps_to_fill() {
        let gaps = |text: &str| {
            let mut names: Vec<_> = text
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(name, _)| name.to_owned())
                .collect();
            names.sort();
            names
        };
        for (name, en, zh) in words::TABLE.iter().chain(views::TABLE) {
            assert_eq!(gaps(en), gaps(zh), "{name}");
            assert!(!en.is_empty() && !zh.is_empty(), "{name}");
        }
    }
}
