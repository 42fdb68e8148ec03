//! JSON paths (RFC 9535) on the tree that our reader gives: nothing is copied, numbers in filters compare
//! exactly, and what is found knows where it stands in the text.

mod find;
mod parse;

use throughline_value::Value;

/// A path, read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    segments: Vec<Segment>,
}

/// What is wrong with a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// The byte where it no longer reads.
    pub(crate) at: usize,
    /// What is wrong there.
    pub(crate) message: String,
}

#[derive(Clone, Debug, PartialEq)]
struct Segment {
    /// Also from everything below.
    descend: bool,
    selectors: Vec<Selector>,
}

#[derive(Clone, Debug, PartialEq)]
enum Selector {
    Name(String),
    All,
    Index(i64),
    Slice { from: Option<i64>, to: Option<i64>, step: i64 },
    Filter(Test),
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Any(Vec<Test>),
    Every(Vec<Test>),
    Not(Box<Test>),
    Exists(Query),
    Call(Box<Call>),
    Compare(Box<(Operand, Comparison, Operand)>),
}

/// A path inside a filter.
#[derive(Clone, Debug, PartialEq)]
struct Query {
    /// From the whole document (`$`), not from the node that is tested (`@`).
    from_root: bool,
    segments: Vec<Segment>,
}

impl Query {
    /// Whether it leads to one node at most.
    fn is_singular(&self) -> bool {
        let one = |selectors: &[Selector]| matches!(selectors, [Selector::Name(_) | Selector::Index(_)]);
        self.segments.iter().all(|segment| !segment.descend && one(&segment.selectors))
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Literal(Value),
    Query(Query),
    Call(Box<Call>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug, PartialEq)]
struct Call {
    function: Function,
    args: Vec<Operand>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Length,
    Count,
    Value,
    Match,
    Search,
}

impl Function {
    /// Whether it says yes or no, instead of giving a value.
    fn is_test(self) -> bool {
        matches!(self, Self::Match | Self::Search)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throughline_value::json;

    const TEXT: &str =
        r#"{"big": 9007199254740993, "list": [{"a": "x.y", "n": 1.50}, {"a": "x\ny", "n": 2}, [3]], "z": null}"#;

    #[track_caller]
    fn check(path: &str, expected: Result<&[&str], (usize, &str)>) {
        let root = json::read(TEXT).unwrap();
        let found = Path::parse(path).map(|path| {
            let found = path.find(&root).into_iter().map(|node| node.clone().into_value().to_json());
            found.collect::<Vec<_>>()
        });
        let expected = expected.map(|list| list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(found.map_err(|w| (w.at, w.message)), expected.map_err(|(at, m)| (at, m.to_owned())), "{path}");
    }

    #[test]
    fn numbers_in_filters_compare_exactly() {
        check("$[?@ == 9007199254740993]", Ok(&["9007199254740993"]));
        check("$[?@ == 9007199254740992]", Ok(&[]));
        check("$.list[?@.n <= 1.5].n", Ok(&["1.50"]));
    }

    #[test]
    fn what_is_found_stands_in_the_order_of_the_document() {
        check("$..n", Ok(&["1.50", "2"]));
        check("$.list[-1:][0]", Ok(&["3"]));
        check("$.list[?match(@.a, 'x.y')].n", Ok(&["1.50"]));
        check("$.list[?count(@.*) == 2 && !@.b].n", Ok(&["1.50", "2"]));
        check("$['z', 'missing']", Ok(&["null"]));
    }

    #[test]
    fn what_does_not_read_says_where() {
        check("id", Err((0, "a path begins with `$`")));
        check("$.a[", Err((3, "the `[` is not closed")));
        check("$.a ", Err((3, "`.name`, `[…]` or the end of the path is expected")));
        check("$[?@.a == b]", Err((10, "a text must stand in quotes, and a path begins with `@` or `$`")));
        check("$[?@.* == 1]", Err((3, "only a path to one value can be compared")));
        check("$[01]", Err((2, "a whole number is expected, without leading zeros and within 2^53")));
    }
}
