//! The operations and what is known of each.

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $usage:literal, [$($synonym:literal),*];)*) => {
        /// An operation of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op {
            $($(#[$doc])* $name,)*
        }

        impl Op {
            /// Every operation, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// How it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Its form in one line.
            #[must_use]
            pub const fn usage(self) -> &'static str {
                match self { $(Self::$name => $usage,)* }
            }

            /// What else it is called in plans that were written for other systems.
            pub(crate) const fn synonyms(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($synonym),*],)* }
            }
        }
    };
}

ops! {
    /// Reads a source of the domain.
    Get = "GET", "GET source(name: expression) OR other", ["FETCH", "READ", "LOAD", "OPEN", "DOWNLOAD"];
    /// Searches a source.
    Search = "SEARCH", "SEARCH source FOR \"words\" [WHERE rule] [LIMIT number]", ["LOOKUP", "GOOGLE", "WIKIPEDIA"];
    /// Takes a value out of a document or a text.
    Extract = "EXTRACT", "EXTRACT $document JSONPATH \"$.path\" | PATTERN r\"…(group)…\" | SELECTOR \"css\" | CELL \"row\", \"column\" | FIND percent [NEAR \"words\"] [OR …] [FIRST|LAST|ALL] [AS type] [UNIT \"…\"] [DEFAULT value]",
        ["FIND", "PARSE", "MATCH", "REGEX", "SELECT"];
    /// Asks the world, the ledger or the memory.
    Query = "QUERY", "QUERY source [FOR \"words\"] [WHERE rule] [LIMIT number]", ["SQL"];
    /// Computes an expression.
    Compute = "COMPUTE", "COMPUTE expression", ["CALC", "CALCULATE", "CALCULATOR", "EVAL", "EVALUATE", "MATH", "LET", "SET"];
    /// Chooses between two expressions; the steps of the other branch are not run.
    If = "IF", "IF condition THEN expression ELSE expression", ["WHEN", "COND", "BRANCH"];
    /// Checks a value against a rule.
    Validate = "VALIDATE", "VALIDATE rule [ELSE \"message\"]", ["CHECK", "ASSERT", "VERIFY"];
    /// Makes one list or map of several.
    Merge = "MERGE", "MERGE $a, $b [BY \"field\"]", ["JOIN", "CONCAT", "UNION"];
    /// Keeps the items for which a condition holds.
    Filter = "FILTER", "FILTER list WHERE rule", ["WHERE"];
    /// Settles between sources that disagree.
    Arbitrate = "ARBITRATE", "ARBITRATE $a, $b [BY official, newest, majority, trust] [WITHIN number]", ["RESOLVE", "VOTE"];
    /// Asks a person.
    Ask = "ASK", "ASK \"question\" [OPTIONS list]", ["PROMPT", "CONFIRM"];
    /// Calls a tool of the domain.
    Call = "CALL", "CALL tool(name: expression, …)", ["TOOL", "RUN", "INVOKE", "EXECUTE"];
}

impl Op {
    /// The operation of this name, written exactly so.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.as_str() == word)
    }

    /// The operation that a wrong word most likely means.
    #[must_use]
    pub(crate) fn meant(word: &str) -> Option<Self> {
        let upper = word.to_uppercase();
        Self::parse(&upper)
            .or_else(|| Self::ALL.iter().copied().find(|op| op.synonyms().contains(&upper.as_str())))
            .or_else(|| crate::nearest::nearest(&upper, Self::ALL.iter().map(|op| op.as_str())).and_then(Self::parse))
    }

    /// The names of all operations, for messages.
    pub(crate) fn names() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|op| op.as_str()).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<Op>) {
        assert_eq!(Op::meant(word), expected, "{word}");
    }

    #[test]
    fn a_wrong_word_finds_the_operation_it_stands_for() {
        check("FETCH", Some(Op::Get));
        check("get", Some(Op::Get));
        check("EXTRCT", Some(Op::Extract));
        check("Calculator", Some(Op::Compute));
        check("COMPTUE", Some(Op::Compute));
        check("BANANA", None);
    }
}
