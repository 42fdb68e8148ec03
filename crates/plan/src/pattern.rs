//! Regular expressions: exactly one group, within limits, and what is said of those that do not fit.

use regex::{Regex, RegexBuilder};

use crate::limits::{MAX_MATCHES, MAX_PATTERN_BYTES, PATTERN_NEST_LIMIT, PATTERN_SIZE_LIMIT};

/// A regular expression with exactly one group, within the limits of plans: what a pattern of a domain is.
///
/// ```
/// let pattern = throughline_plan::Pattern::compile(r"order (PZ-\d+)").unwrap();
/// assert_eq!(pattern.find_all("order PZ-1 and order PZ-2"), ["PZ-1", "PZ-2"]);
/// assert!(throughline_plan::Pattern::compile(r"PZ-\d+").unwrap_err().contains("exactly one group"));
/// ```
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what to do.
    pub fn compile(pattern: &str) -> Result<Self, String> {
        compile(pattern).map(Self).map_err(|wrong| format!("{}: {}", wrong.code, wrong.message))
    }

    /// The group of every match, in the order of the text; at most [`MAX_MATCHES`].
    #[must_use]
    pub fn find_all(&self, text: &str) -> Vec<String> {
        let groups = self.0.captures_iter(text).filter_map(|captures| captures.get(1));
        groups.take(MAX_MATCHES).map(|group| group.as_str().to_owned()).collect()
    }
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// The bytes of the pattern that are wrong, where they are known.
    pub(crate) at: Option<(usize, usize)>,
    /// The pattern that was most likely meant.
    pub(crate) instead: Option<String>,
}

/// Compiles a pattern and counts its groups.
pub(crate) fn compile(pattern: &str) -> Result<Regex, Wrong> {
    let wrong = |code, message: String| Wrong { code, message, at: None, instead: None };
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(wrong(
            "bad-pattern",
            format!("a pattern has at most {MAX_PATTERN_BYTES} bytes; this one has {}", pattern.len()),
        ));
    }
    let scan = Scan::of(pattern);
    if let Some((at, name)) = scan.look_around {
        let end = at + 3 + usize::from(name.ends_with("behind"));
        return Err(Wrong {
            at: Some((at, end)),
            ..wrong(
                "look-around-in-pattern",
                format!(
                    "{name} is not in the language, since it cannot be matched in linear time; match what stands around it and put a group around the value"
                ),
            )
        });
    }
    let regex = match build(pattern) {
        Ok(regex) => regex,
        Err(regex::Error::CompiledTooBig(limit)) => {
            return Err(wrong(
                "bad-pattern",
                format!("this pattern compiles to more than {limit} bytes; repeat less in it"),
            ));
        }
        Err(error) => {
            let instead = translated(pattern).filter(|p| build(p).is_ok());
            return Err(Wrong { instead, ..wrong("bad-pattern", said(&error)) });
        }
    };
    let groups = regex.captures_len() - 1;
    if groups == 1 {
        return Ok(regex);
    }
    let instead = if groups == 0 { Some(format!("({pattern})")) } else { Some(scan.only_first(pattern)) };
    let instead = instead.filter(|p| build(p).is_ok_and(|r| r.captures_len() == 2));
    let message = if groups == 0 {
        "a pattern has exactly one group, around the value; this one has none".to_owned()
    } else {
        format!("a pattern has exactly one group, around the value; this one has {groups}: write the others as `(?:…)`")
    };
    Err(Wrong { instead, ..wrong("pattern-groups", message) })
}

fn build(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE_LIMIT).nest_limit(PATTERN_NEST_LIMIT).build()
}

/// The last line of the engine's report, which says what is wrong in a sentence.
fn said(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it does not compile");
    format!("this regular expression does not compile: {}", last.trim_start_matches("error: "))
}

/// What other engines write differently, written as ours.
fn translated(pattern: &str) -> Option<String> {
    let out = pattern
        .replace("\\Z", "\\z")
        .replace("\\h", "[ \\t]")
        .replace("(?>", "(?:")
        .replace("*+", "*")
        .replace("++", "+");
    (out != pattern).then_some(out)
}

/// The opening brackets of a pattern.
struct Scan {
    /// Bytes from `(` to where the group's content starts, for every capturing group.
    groups: Vec<(usize, usize)>,
    look_around: Option<(usize, &'static str)>,
}

impl Scan {
    fn of(pattern: &str) -> Self {
        let mut out = Self { groups: Vec::new(), look_around: None };
        let mut class = 0_usize;
        let mut class_start = false;
        let mut chars = pattern.char_indices();
        while let Some((at, c)) = chars.next() {
            let first_in_class = std::mem::take(&mut class_start);
            match c {
                '\\' => _ = chars.next(),
                '[' => {
                    class += 1;
                    class_start = true;
                }
                // `[^]…` and `[]…` hold the bracket itself.
                '^' if first_in_class => class_start = true,
                ']' if class > 0 && !first_in_class => class -= 1,
                '(' if class == 0 => out.group(pattern, at),
                _ => {}
            }
        }
        out
    }

    fn group(&mut self, pattern: &str, at: usize) {
        let rest = pattern.get(at..).unwrap_or("");
        const LOOK: [(&str, &str); 4] = [
            ("(?=", "look-ahead"),
            ("(?!", "negative look-ahead"),
            ("(?<=", "look-behind"),
            ("(?<!", "negative look-behind"),
        ];
        if let Some((_, name)) = LOOK.iter().find(|(mark, _)| rest.starts_with(mark)) {
            self.look_around.get_or_insert((at, name));
            return;
        }
        if !rest.starts_with("(?") {
            self.groups.push((at, at + 1));
        } else if let Some(mark) = ["(?P<", "(?<"].iter().find(|mark| rest.starts_with(**mark))
            && let Some(end) = rest.find('>')
            && end >= mark.len()
        {
            self.groups.push((at, at + end + 1));
        }
    }

    /// The pattern with every capturing group but the first made non-capturing.
    fn only_first(&self, pattern: &str) -> String {
        let mut out = String::with_capacity(pattern.len() + self.groups.len() * 2);
        let mut from = 0;
        for (start, end) in self.groups.iter().skip(1) {
            out.push_str(pattern.get(from..*start).unwrap_or(""));
            out.push_str("(?:");
            from = *end;
        }
        out.push_str(pattern.get(from..).unwrap_or(""));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: Result<(), (&str, Option<&str>)>) {
        let got = compile(pattern);
        let got = got.as_ref().map(|_| ()).map_err(|w| (w.code, w.instead.as_deref()));
        assert_eq!(got, expected, "{pattern}");
    }

    #[test]
    fn groups_are_counted_in_what_compiles_and_the_fix_leaves_one() {
        check(r"total: (\d+)", Ok(()));
        check(r"(?:a|b)(c)", Ok(()));
        check(r"[(](x)\(", Ok(()));
        check(r"[]()](x)", Ok(()));
        check(r"城市：(\w+)", Ok(()));
        check(r"(\d+)-(\d+)", Err(("pattern-groups", Some(r"(\d+)-(?:\d+)"))));
        check(r"((a)|(?P<n>b))(?<m>c)", Err(("pattern-groups", Some(r"((?:a)|(?:b))(?:c)"))));
        check(r"\d+", Err(("pattern-groups", Some(r"(\d+)"))));
        check(r"(?x) (a) # (b)", Ok(()));
    }

    #[test]
    fn look_around_is_named_and_other_dialects_are_translated_where_they_can_be() {
        check(r"(?<=a)(b)", Err(("look-around-in-pattern", None)));
        check(r"(b)(?!c)", Err(("look-around-in-pattern", None)));
        check(r"\((?=a)(b)", Err(("look-around-in-pattern", None)));
        check(r"(a)\Z", Err(("bad-pattern", Some(r"(a)\z"))));
        check(r"(a", Err(("bad-pattern", None)));
        check(r"(\1)", Err(("bad-pattern", None)));
        check(r"[(]", Err(("pattern-groups", Some(r"([(])"))));
        check(&"a".repeat(MAX_PATTERN_BYTES + 1), Err(("bad-pattern", None)));
        check(r"((((\w{100}){100}){10}))", Err(("bad-pattern", None)));
    }
}
