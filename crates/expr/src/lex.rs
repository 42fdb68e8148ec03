//! Source text to tokens with their bytes.

use throughline_value::{Number, Span};

use crate::error::{Error, syntax};
use crate::time;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tok {
    Number(Number),
    Percent(Number),
    Quantity(Number, String),
    Duration(String),
    Text(String),
    Name(String),
    Op(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
}

/// Longest first, so that the first match is the right one.
const OPERATORS: &[&str] = &[
    "?.", "??", "==", "!=", "<=", ">=", "=>", "&&", "||", "+", "-", "*", "/", "%", "~", "<", ">", "!", "?", ":", ",",
    ".", "(", ")", "[", "]", "{", "}", "|",
];

/// What people type with a Chinese or a typographic keyboard, and what they mean.
const LOOKALIKES: &[(char, &str)] = &[
    ('，', ","),
    ('。', "."),
    ('．', "."),
    ('：', ":"),
    ('（', "("),
    ('）', ")"),
    ('【', "["),
    ('】', "]"),
    ('［', "["),
    ('］', "]"),
    ('｛', "{"),
    ('｝', "}"),
    ('＋', "+"),
    ('－', "-"),
    ('−', "-"),
    ('–', "-"),
    ('×', "*"),
    ('＊', "*"),
    ('÷', "/"),
    ('／', "/"),
    ('％', "%"),
    ('＝', "=="),
    ('＜', "<"),
    ('＞', ">"),
    ('≤', "<="),
    ('≥', ">="),
    ('≠', "!="),
    ('！', "!"),
    ('？', "?"),
    ('｜', "|"),
    ('“', "\""),
    ('”', "\""),
    ('‘', "'"),
    ('’', "'"),
    ('「', "\""),
    ('」', "\""),
    ('；', ","),
    ('、', ","),
];

/// Words that are not names.
pub(crate) const KEYWORDS: &[&str] = &["and", "or", "not", "in", "is", "if", "then", "else", "true", "false", "null"];

/// Whether a word in capitals is a unit all the same: three letters are a currency (`USD`), as are `KB` and `MB`.
fn is_currency(word: &str) -> bool {
    word.len() <= 3 && !matches!(word, "AS" | "BY" | "OR" | "FOR" | "AND" | "NOT" | "IN" | "IS" | "IF" | "END")
}

pub(crate) fn is_name_start(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphabetic()
}

pub(crate) fn is_name_continue(c: char) -> bool {
    c == '_' || c.is_alphanumeric() || is_mark(c)
}

/// Marks that letters of some scripts carry and that are not alphabetic by themselves, and the joiners.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c),
        0x0300..=0x036f | 0x0483..=0x0487 | 0x0591..=0x05bd | 0x05bf..=0x05c7 | 0x0610..=0x061a | 0x064b..=0x065f
        | 0x06d6..=0x06ed | 0x0711 | 0x0730..=0x074a | 0x093c | 0x094d | 0x09bc | 0x09cd | 0x0a3c | 0x0a4d
        | 0x0abc | 0x0acd | 0x0b3c | 0x0b4d | 0x0bcd | 0x0c4d | 0x0cbc | 0x0ccd | 0x0d4d | 0x0dca | 0x0e31
        | 0x0e34..=0x0e3a | 0x0e47..=0x0e4e | 0x0eb1..=0x0ebc | 0x0ec8..=0x0ecd | 0x1037..=0x103a | 0x17d2
        | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x200c | 0x200d | 0x20d0..=0x20ff | 0x3099 | 0x309a
        | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f)
}

/// All tokens of `source`, the last of which is [`Tok::End`]. Spans are shifted by `base`.
pub(crate) fn tokens(source: &str, base: usize) -> Result<Vec<Token>, Error> {
    let mut lexer = Lexer { source, at: 0 };
    let mut out = Vec::new();
    loop {
        let token = lexer.next().map_err(|error| error.shifted(base))?;
        let end = token.tok == Tok::End;
        out.push(Token { span: Span::new(token.span.start + base, token.span.end + base), ..token });
        if end {
            return Ok(out);
        }
    }
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take_while(&mut self, mut keep: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    fn next(&mut self) -> Result<Token, Error> {
        self.take_while(|c| c.is_whitespace() || c == '\u{feff}');
        let start = self.at;
        let Some(c) = self.peek() else {
            return Ok(Token { tok: Tok::End, span: Span::new(start, start) });
        };
        let tok = if c.is_ascii_digit() {
            self.number()?
        } else if c == '"' || c == '\'' {
            Tok::Text(self.text(c)?)
        } else if is_name_start(c) {
            self.name()
        } else if let Some(op) = OPERATORS.iter().find(|op| self.rest().starts_with(**op)) {
            self.at += op.len();
            Tok::Op(op)
        } else {
            return Err(Self::unexpected(c).at(Span::new(start, start + c.len_utf8())));
        };
        Ok(Token { tok, span: Span::new(start, self.at) })
    }

    fn unexpected(c: char) -> Error {
        if let Some((_, plain)) = LOOKALIKES.iter().find(|(wide, _)| *wide == c) {
            return syntax(format!("`{c}` is not an operator or quote here; write `{plain}`"));
        }
        match c {
            '=' => syntax("`=` does not compare; write `==`"),
            '&' => syntax("write `and` or `&&`"),
            ';' => syntax("an expression has no `;`; write one expression"),
            '#' => syntax("an expression has no comments"),
            '`' => syntax("a text stands in double or single quotes"),
            '.' => syntax("a number needs a digit before the point: write `0.5`"),
            c => syntax(format!("{c:?} cannot stand here")),
        }
    }

    fn name(&mut self) -> Tok {
        let start = self.at;
        self.at += self.peek().map_or(0, char::len_utf8);
        self.take_while(is_name_continue);
        let word = self.source.get(start..self.at).unwrap_or("");
        // `PT30M` and `P1DT2H` are literals, but `object.PT30M` is a field like any other.
        let field = self.source.get(..start).is_some_and(|before| before.trim_end().ends_with('.'));
        if !field && time::is_iso_duration(word) {
            return Tok::Duration(word.to_owned());
        }
        Tok::Name(word.to_owned())
    }

    fn number(&mut self) -> Result<Tok, Error> {
        let start = self.at;
        self.take_while(|c| c.is_ascii_digit());
        let mut ahead = self.rest().chars();
        if ahead.next() == Some('.') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        if let Some(rest) = self.rest().strip_prefix(['e', 'E']) {
            let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
            if digits.starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 1 + rest.len() - digits.len();
                self.take_while(|c| c.is_ascii_digit());
            }
        }
        let literal = self.source.get(start..self.at).unwrap_or("");
        let span = Span::new(start, self.at);
        let Some(number) = Number::parse(literal) else {
            return Err(if literal.starts_with('0') {
                syntax(format!("`{literal}` has zeros in front; write it without them, or in quotes if it is a text"))
            } else {
                syntax("this number is too long to be read")
            }
            .at(span));
        };
        // A literal that exact arithmetic cannot hold is refused where it stands.
        crate::decimal::from_number(&number).map_err(|error| error.at(span))?;
        if let Some(unit) = self.unit(literal)? {
            return Ok(Tok::Quantity(number, unit));
        }
        self.percent(number, start)
    }

    /// The unit behind a number, with one space between or none: `3 kg`, `3kg`, `5 元`.
    fn unit(&mut self, literal: &str) -> Result<Option<String>, Error> {
        let rest = self.rest();
        let word = rest.strip_prefix(' ').unwrap_or(rest);
        let space = rest.len() - word.len();
        if !word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Ok(None);
        }
        let end = word.find(|c| !is_name_continue(c)).unwrap_or(word.len());
        let unit = word.get(..end).unwrap_or("");
        let span = Span::new(self.at + space, self.at + space + end);
        // Words of the language, of plans (`THEN`, `WITH`) and of templates go on with something else.
        let called = word.get(end..).is_some_and(|t| t.starts_with(['(', '.']));
        let word_of_plans =
            unit.len() > 1 && unit.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') && !is_currency(unit);
        if space > 0 && (called || KEYWORDS.contains(&unit) || word_of_plans) {
            return Ok(None);
        }
        if called || KEYWORDS.contains(&unit) || unit.contains('_') || time::parse_duration(&format!("1{unit}")).is_ok()
        {
            let shown: String = unit.chars().take(1).collect();
            return Err(syntax(format!(
                "`{literal}{shown}…` is neither a number nor a name; write a time as `duration(\"24h\")`, a unit as `3 kg`, a text in quotes"
            ))
            .at(span));
        }
        self.at = span.end;
        Ok(Some(unit.to_owned()))
    }

    /// `5%` is a percentage, `5 % 3` and `5%3` are remainders, `5%-3` could be both and is refused.
    fn percent(&mut self, number: Number, start: usize) -> Result<Tok, Error> {
        let Some(after) = self.rest().strip_prefix('%') else {
            return Ok(Tok::Number(number));
        };
        match after.chars().next() {
            Some('-' | '+') => {
                Err(syntax("write `a % -b` with spaces for the remainder, or `5% - b` for a percentage")
                    .at(Span::new(start, self.at + 2)))
            }
            Some(c) if is_name_continue(c) || matches!(c, '(' | '[' | '"' | '\'' | '$') => Ok(Tok::Number(number)),
            _ => {
                self.at += 1;
                Ok(Tok::Percent(number))
            }
        }
    }

    fn text(&mut self, quote: char) -> Result<String, Error> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            out.push_str(self.take_while(|c| c != quote && c != '\\'));
            match self.peek() {
                Some('\\') => out.push(self.escape()?),
                Some(_) => {
                    self.at += 1;
                    return Ok(out);
                }
                None => {
                    return Err(syntax(format!("this text is not closed; add {quote}")).at(Span::new(start, self.at)));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let start = self.at;
        self.at += 1;
        let Some(c) = self.peek() else {
            return Err(syntax("this text ends in a backslash; close it").at(Span::new(start, self.at)));
        };
        self.at += c.len_utf8();
        match c {
            '"' | '\'' | '\\' | '/' => Ok(c),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'u' => self.unicode(start),
            c => {
                Err(syntax(format!("`\\{c}` is not an escape; write `\\\\` for a backslash"))
                    .at(Span::new(start, self.at)))
            }
        }
    }

    fn unicode(&mut self, start: usize) -> Result<char, Error> {
        let code = self.four_digits(start)?;
        let code = match code {
            0xd800..0xdc00 if self.rest().starts_with("\\u") => {
                self.at += 2;
                let low = self.four_digits(start)?;
                if (0xdc00..0xe000).contains(&low) { 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) } else { code }
            }
            code => code,
        };
        char::from_u32(code)
            .ok_or_else(|| syntax("half of a surrogate pair is not a character").at(Span::new(start, self.at)))
    }

    fn four_digits(&mut self, start: usize) -> Result<u32, Error> {
        let digits = self.rest().get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|d| u32::from_str_radix(d, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => Err(syntax("four hexadecimal digits are expected after `\\u`").at(Span::new(start, self.at))),
        }
    }
}
