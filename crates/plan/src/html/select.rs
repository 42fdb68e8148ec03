//! Selectors as in CSS: `table#kpi tr:nth-child(2) > td.value`, and `a[href^="/x"]@href` for an attribute.

use super::{Html, Seen};
use crate::limits::MAX_SELECTOR_BYTES;
use throughline_value::Span;

/// A selector, read: any of several chains, and the attribute that is taken instead of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector {
    any: Vec<Vec<(Combinator, Compound)>>,
    attribute: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combinator {
    Inside,
    Child,
    Next,
    After,
}

type Compound = Vec<Simple>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Simple {
    Any,
    Tag(String),
    Attribute {
        name: String,
        how: char,
        value: String,
    },
    /// `:nth-child(a n + b)`, from the end, only of the same tag.
    Nth {
        a: i64,
        b: i64,
        last: bool,
        of_type: bool,
    },
    Contains(String),
    Not(Compound),
}

/// What is wrong with a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Selector {
    /// Reads a selector.
    pub(crate) fn parse(source: &str) -> Result<Self, Wrong> {
        if source.len() > MAX_SELECTOR_BYTES {
            let message = format!("a selector has at most {MAX_SELECTOR_BYTES} bytes");
            return Err(Wrong { at: MAX_SELECTOR_BYTES, message });
        }
        let mut reader = Reader { source, at: 0 };
        let mut any = Vec::new();
        loop {
            any.push(reader.chain()?);
            if !reader.eat(",") {
                break;
            }
        }
        let attribute = if reader.eat("@") { Some(reader.name("an attribute's name")?) } else { None };
        reader.space();
        if reader.at < source.len() {
            return Err(reader.wrong("a selector as in CSS is expected: `tag`, `#id`, `.class`, `[attribute=value]`, `:nth-child(2)`, `>`, `,`, and `@attribute` at its end"));
        }
        Ok(Self { any, attribute })
    }

    /// What it selects, in the order of the source: the text a reader sees of it, or the attribute's, and its bytes.
    pub(crate) fn find(&self, html: &Html<'_>) -> Vec<(String, Span)> {
        let nodes = (1..html.nodes.len()).filter(|node| html.is_element(*node));
        let fits = nodes.filter(|node| self.any.iter().any(|chain| chain_fits(html, *node, chain)));
        let value = |node: usize| match &self.attribute {
            Some(name) => html.attribute(node, name),
            None => {
                let seen: Seen = html.seen(node);
                seen.whole().map(|span| (seen.text, span))
            }
        };
        fits.filter_map(value).collect()
    }
}

/// Whether the last compound fits the node, and those before it what is around.
fn chain_fits(html: &Html<'_>, node: usize, chain: &[(Combinator, Compound)]) -> bool {
    let Some(((combinator, last), before)) = chain.split_last() else { return true };
    if !last.iter().all(|simple| fits(html, node, simple)) {
        return false;
    }
    if before.is_empty() {
        return true;
    }
    match combinator {
        Combinator::Child => {
            let parent = html.parent(node);
            parent > 0 && chain_fits(html, parent, before)
        }
        Combinator::Inside => {
            let mut up = html.parent(node);
            while up > 0 {
                if chain_fits(html, up, before) {
                    return true;
                }
                up = html.parent(up);
            }
            false
        }
        Combinator::Next => siblings(html, node, false).last().is_some_and(|one| chain_fits(html, *one, before)),
        Combinator::After => siblings(html, node, false).iter().any(|one| chain_fits(html, *one, before)),
    }
}

/// The elements beside a node, before it or behind it, in order.
fn siblings(html: &Html<'_>, node: usize, behind: bool) -> Vec<usize> {
    let parent = html.parent(node);
    let all = html.inside(parent).filter(|one| html.parent(*one) == parent && html.is_element(*one));
    all.filter(|one| if behind { *one > node } else { *one < node }).collect()
}

fn fits(html: &Html<'_>, node: usize, simple: &Simple) -> bool {
    match simple {
        Simple::Any => true,
        Simple::Tag(tag) => html.tag(node).eq_ignore_ascii_case(tag),
        Simple::Attribute { name, how, value } => {
            let Some((has, _)) = html.attribute(node, name) else { return false };
            match how {
                '=' => has == *value,
                '^' => !value.is_empty() && has.starts_with(value.as_str()),
                '$' => !value.is_empty() && has.ends_with(value.as_str()),
                '*' => !value.is_empty() && has.contains(value.as_str()),
                '~' => has.split_whitespace().any(|word| word == value),
                '|' => has == *value || has.strip_prefix(value.as_str()).is_some_and(|rest| rest.starts_with('-')),
                _ => true,
            }
        }
        Simple::Nth { a, b, last, of_type } => {
            let mut beside = siblings(html, node, *last);
            if *of_type {
                beside.retain(|one| html.tag(*one).eq_ignore_ascii_case(html.tag(node)));
            }
            let place = i64::try_from(beside.len()).unwrap_or(i64::MAX).saturating_add(1);
            let rest = place - b;
            if *a == 0 { rest == 0 } else { rest % a == 0 && rest / a >= 0 }
        }
        Simple::Contains(text) => html.seen(node).text.contains(text.as_str()),
        Simple::Not(inner) => !inner.iter().all(|simple| fits(html, node, simple)),
    }
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or("")
    }

    fn wrong(&self, message: &str) -> Wrong {
        Wrong { at: self.at, message: message.to_owned() }
    }

    fn space(&mut self) -> bool {
        let length = self.rest().len() - self.rest().trim_start().len();
        self.at += length;
        length > 0
    }

    fn eat(&mut self, mark: &str) -> bool {
        let begins = self.rest().trim_start().starts_with(mark);
        if begins {
            self.space();
            self.at += mark.len();
        }
        begins
    }

    fn here(&mut self, mark: &str) -> bool {
        let begins = self.rest().starts_with(mark);
        self.at += if begins { mark.len() } else { 0 };
        begins
    }

    fn name(&mut self, what: &str) -> Result<String, Wrong> {
        let end =
            self.rest().find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(self.rest().len());
        if end == 0 {
            return Err(self.wrong(&format!("{what} is expected")));
        }
        let name = self.rest().get(..end).unwrap_or("").to_owned();
        self.at += end;
        Ok(name)
    }

    fn quoted(&mut self, until: char) -> Result<String, Wrong> {
        self.space();
        if let Some(quote) = self.rest().chars().next().filter(|c| matches!(c, '"' | '\'')) {
            self.at += 1;
            let Some(end) = self.rest().find(quote) else { return Err(self.wrong("the quote is not closed")) };
            let text = self.rest().get(..end).unwrap_or("").to_owned();
            self.at += end + 1;
            return Ok(text);
        }
        let Some(end) = self.rest().find(until) else { return Err(self.wrong(&format!("`{until}` is expected"))) };
        let text = self.rest().get(..end).unwrap_or("").trim().to_owned();
        self.at += end;
        Ok(text)
    }

    fn chain(&mut self) -> Result<Vec<(Combinator, Compound)>, Wrong> {
        self.space();
        let mut out = vec![(Combinator::Inside, self.compound()?)];
        loop {
            let spaced = self.space();
            let combinator = if self.here(">") {
                Combinator::Child
            } else if self.here("+") {
                Combinator::Next
            } else if self.here("~") {
                Combinator::After
            } else if spaced && !self.rest().is_empty() && !self.rest().starts_with([',', '@']) {
                Combinator::Inside
            } else {
                return Ok(out);
            };
            self.space();
            out.push((combinator, self.compound()?));
        }
    }

    fn compound(&mut self) -> Result<Compound, Wrong> {
        let mut out = Vec::new();
        loop {
            let next = self.rest().chars().next();
            match next {
                Some('*') if out.is_empty() => {
                    self.at += 1;
                    out.push(Simple::Any);
                }
                Some('#' | '.') => {
                    let mark = self.here("#");
                    if !mark {
                        self.at += 1;
                    }
                    let value = self.name("a name")?;
                    let (name, how) = if mark { ("id", '=') } else { ("class", '~') };
                    out.push(Simple::Attribute { name: name.to_owned(), how, value });
                }
                Some('[') => {
                    self.at += 1;
                    self.space();
                    let name = self.name("an attribute's name")?;
                    self.space();
                    let how = self.rest().chars().next().unwrap_or(']');
                    let (how, value) = match how {
                        ']' => (' ', String::new()),
                        '=' => {
                            self.at += 1;
                            ('=', self.quoted(']')?)
                        }
                        '^' | '$' | '*' | '~' | '|' => {
                            self.at += 1;
                            if !self.here("=") {
                                return Err(self.wrong("`=` is expected"));
                            }
                            (how, self.quoted(']')?)
                        }
                        _ => return Err(self.wrong("`=` or `]` is expected")),
                    };
                    if !self.eat("]") {
                        return Err(self.wrong("`]` is expected"));
                    }
                    out.push(Simple::Attribute { name, how, value });
                }
                Some(':') => {
                    self.at += 1;
                    out.push(self.pseudo()?);
                }
                Some(c) if out.is_empty() && c.is_alphabetic() => out.push(Simple::Tag(self.name("a tag")?)),
                _ if out.is_empty() => return Err(self.wrong("a tag, `#id`, `.class` or `[attribute]` is expected")),
                _ => return Ok(out),
            }
        }
    }

    fn pseudo(&mut self) -> Result<Simple, Wrong> {
        let start = self.at;
        let name = self.name("the name of a condition")?;
        let nth = |a, b, last, of_type| Simple::Nth { a, b, last, of_type };
        let last = name.contains("last");
        let of_type = name.ends_with("of-type");
        let found = match name.as_str() {
            "first-child" | "last-child" | "first-of-type" | "last-of-type" => return Ok(nth(0, 1, last, of_type)),
            "nth-child" | "nth-last-child" | "nth-of-type" | "nth-last-of-type" => {
                self.open()?;
                let text = self.quoted(')')?;
                let (a, b) = an_plus_b(&text).ok_or_else(|| self.wrong("`2`, `odd`, `even` or `2n+1` is expected"))?;
                nth(a, b, last, of_type)
            }
            "contains" => {
                self.open()?;
                Simple::Contains(self.quoted(')')?)
            }
            "not" => {
                self.open()?;
                Simple::Not(self.compound()?)
            }
            _ => {
                self.at = start;
                return Err(self.wrong("this condition is not known; there are :nth-child, :nth-last-child, :nth-of-type, :first-child, :last-child, :first-of-type, :last-of-type, :contains and :not"));
            }
        };
        if self.eat(")") { Ok(found) } else { Err(self.wrong("`)` is expected")) }
    }

    fn open(&mut self) -> Result<(), Wrong> {
        if self.here("(") { Ok(()) } else { Err(self.wrong("`(` is expected")) }
    }
}

fn an_plus_b(text: &str) -> Option<(i64, i64)> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    match text.as_str() {
        "odd" => return Some((2, 1)),
        "even" => return Some((2, 0)),
        _ => {}
    }
    let Some((a, b)) = text.split_once('n') else { return Some((0, text.parse().ok()?)) };
    let a = match a {
        "" | "+" => 1,
        "-" => -1,
        a => a.parse().ok()?,
    };
    Some((a, if b.is_empty() { 0 } else { b.parse().ok()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<html><body><h1>Report</h1>
<table id="kpi" class="big wide"><tr><th>KPI<th>Value</tr>
<tr><td>Yield &amp; rate</td><td class="v">91.70 %</td></tr>
<tr><td>Delivery<td class="v last">30 days</table>
<p>See <a href="/q3?x=1&amp;y=2">the <b>notes</b></a></p></body>"#;

    #[track_caller]
    fn check(selector: &str, expected: &[&str]) {
        let html = Html::read(PAGE);
        let found = Selector::parse(selector).unwrap().find(&html);
        let texts: Vec<_> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, expected, "{selector}");
        for (text, span) in found {
            let raw = PAGE.get(span.start..span.end).unwrap();
            assert!(raw.starts_with(text.chars().next().unwrap()), "{text} is said to stand in {raw}");
        }
    }

    #[test]
    fn selectors_find_what_a_browser_finds() {
        check("h1", &["Report"]);
        check("#kpi td.v", &["91.70 %", "30 days"]);
        check("table.big.wide tr:nth-child(2) > td:first-child", &["Yield & rate"]);
        check("td.last", &["30 days"]);
        check("td:contains(\"Delivery\") + td", &["30 days"]);
        check("tr:last-child td:not(.v)", &["Delivery"]);
        check("a[href^='/q3']@href", &["/q3?x=1&y=2"]);
        check("p a", &["the notes"]);
        check("h1, th:nth-of-type(2)", &["Report", "Value"]);
        check("tr:nth-child(odd) td ~ td", &["30 days"]);
        check("table > td", &[]);
        check("*[class~=v]", &["91.70 %", "30 days"]);
    }

    #[test]
    fn a_selector_that_does_not_read_says_where() {
        let wrong = |text: &str| Selector::parse(text).unwrap_err().at;
        assert_eq!((wrong(""), wrong("td >"), wrong("td[a"), wrong("a:hover"), wrong("a b {}")), (0, 4, 4, 2, 4));
    }
}
