//! A table of words: a name, English, Chinese. A word that lacks a language does not compile.

macro_rules! words {
    ($($name:ident: $en:literal, $zh:literal;)+) => {
        /// Every word and sentence of this table.
        #[derive(Debug)]
        pub(crate) struct Words { $(pub(crate) $name: &'static str,)+ }
        /// English.
        pub(crate) static EN: Words = Words { $($name: $en,)+ };
        /// Simplified Chinese.
        pub(crate) static ZH: Words = Words { $($name: $zh,)+ };
        /// Name, English, Chinese: for tests.
        #[cfg(test)]
        pub(crate) static TABLE: &[(&str, &str, &str)] = &[$((stringify!($name), $en, $zh),)+];
    };
}

pub(crate) use words;
