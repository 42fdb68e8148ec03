//! Cells of tables: HTML, comma-separated values, and rows of `|` or tabs in plain text.

use throughline_value::{Span, Value};

use super::{Failure, Found};
use crate::html::Html;
use crate::nearest::nearest;

#[derive(Clone, Debug)]
struct Cell {
    text: String,
    span: Span,
}

type Table = Vec<Vec<Cell>>;

/// Over how many columns or rows a cell reaches at most.
const MAX_CELL_REACH: usize = 100;

/// The cell of each table whose row begins with `row` and whose column is headed `column`; a number counts rows
/// below the head and columns, from 1.
pub(super) fn find(text: &str, media_type: &str, row: &str, column: &str) -> Result<Vec<Found>, Failure> {
    let tables = tables(text, media_type);
    let mut near = Vec::new();
    for exact in [true, false] {
        let mut finds = Vec::new();
        for table in &tables {
            match cell(table, row, column, exact) {
                Ok(cell) => finds.push(Found::sure(cell.span, cell.text.as_str().into(), if exact { 10 } else { 8 })),
                Err(heads) => near.extend(heads),
            }
        }
        if !finds.is_empty() {
            return Ok(finds);
        }
    }
    let known =
        nearest(row, near.iter().map(String::as_str)).or_else(|| nearest(column, near.iter().map(String::as_str)));
    let hint = match (tables.is_empty(), known) {
        (true, _) => "; there is no table in it".to_owned(),
        (false, Some(head)) => format!("; `{head}` is near"),
        (false, None) => format!("; the heads are {}", near.iter().take(12).cloned().collect::<Vec<_>>().join(", ")),
    };
    Err(Failure::new("value-missing", format!("no table has a cell of row `{row}` and column `{column}`{hint}")))
}

/// The cell, or the heads that are there instead.
fn cell<'t>(table: &'t Table, row: &str, column: &str, exact: bool) -> Result<&'t Cell, Vec<String>> {
    let heads = |cells: Vec<&Cell>| cells.into_iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
    let head = table.first().map(Vec::as_slice).unwrap_or_default();
    let nth = |wanted: &str| wanted.parse::<usize>().ok().filter(|n| *n > 0);
    let at = head.iter().position(|cell| same(&cell.text, column, exact)).or_else(|| nth(column).map(|n| n - 1));
    let Some(at) = at else { return Err(heads(head.iter().collect())) };
    let found = table.iter().skip(1).find(|cells| cells.first().is_some_and(|first| same(&first.text, row, exact)));
    let found = found.or_else(|| table.get(nth(row)?));
    let Some(found) = found else {
        return Err(heads(table.iter().skip(1).filter_map(|cells| cells.first()).collect()));
    };
    found.get(at).filter(|cell| !cell.text.is_empty()).ok_or_else(Vec::new)
}

fn same(text: &str, wanted: &str, exact: bool) -> bool {
    let plain = |text: &str| {
        let folded = text.chars().map(super::narrow).flat_map(char::to_lowercase).collect::<String>();
        folded.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (text, wanted) = (plain(text), plain(wanted));
    if exact { text == wanted } else { !wanted.is_empty() && text.contains(&wanted) }
}

fn tables(text: &str, media_type: &str) -> Vec<Table> {
    match media_type {
        "text/html" => of_html(text),
        "text/csv" => vec![of_csv(text)],
        _ => of_lines(text),
    }
}

fn of_html(text: &str) -> Vec<Table> {
    let html = Html::read(text);
    let table = |table: usize| {
        let rows = html.elements(table, &["tr"]).into_iter().filter(|row| html.around(*row, &["table"]) == Some(table));
        // Cells that reach over several columns and rows stand in each of them.
        let mut below: Vec<Option<(usize, Cell)>> = Vec::new();
        let mut cells = |row: usize| {
            let cells = html.elements(row, &["td", "th"]).into_iter();
            let own = cells.filter(|cell| html.around(*cell, &["tr"]) == Some(row));
            let mut out: Vec<Cell> = Vec::new();
            let from_above = |out: &mut Vec<Cell>, below: &mut Vec<Option<(usize, Cell)>>| {
                while let Some(slot) = below.get_mut(out.len())
                    && let Some((rows, cell)) = slot.take()
                {
                    *slot = (rows > 1).then(|| (rows - 1, cell.clone()));
                    out.push(cell);
                }
            };
            for cell in own {
                from_above(&mut out, &mut below);
                let seen = html.seen(cell);
                let span = seen.whole().unwrap_or(Span::new(0, 0));
                let reach = |name: &str| {
                    let said = html.attribute(cell, name).and_then(|(text, _)| text.trim().parse::<usize>().ok());
                    said.unwrap_or(1).clamp(1, MAX_CELL_REACH)
                };
                let (columns, rows) = (reach("colspan"), reach("rowspan"));
                for _ in 0..columns {
                    let cell = Cell { text: seen.text.clone(), span };
                    if rows > 1 {
                        below.resize(below.len().max(out.len() + 1), None);
                        if let Some(slot) = below.get_mut(out.len()) {
                            *slot = Some((rows - 1, cell.clone()));
                        }
                    }
                    out.push(cell);
                }
            }
            from_above(&mut out, &mut below);
            out
        };
        rows.map(&mut cells).collect()
    };
    html.elements(0, &["table"]).into_iter().map(table).collect()
}

/// Comma-separated values (RFC 4180); semicolons and tabs where the first line has more of them.
fn of_csv(text: &str) -> Table {
    let first = text.lines().next().unwrap_or("");
    let count = |c: char| first.chars().filter(|x| *x == c).count();
    let comma = [',', ';', '\t'].into_iter().rev().max_by_key(|c| count(*c)).unwrap_or(',');
    let mut table = vec![Vec::new()];
    let mut chars = text.char_indices().peekable();
    let mut start = 0;
    let mut value = String::new();
    let mut quoted = None;
    let end_of_cell = |table: &mut Table, value: &mut String, span: Span| {
        let lead = value.len() - value.trim_start().len();
        let text = value.trim().to_owned();
        let whole = text.len() == span.end - span.start - (value.len() - text.len()).min(span.end - span.start);
        let span = if whole { Span::new(span.start + lead, span.start + lead + text.len()) } else { span };
        if let Some(row) = table.last_mut() {
            row.push(Cell { text, span });
        }
        value.clear();
    };
    while let Some((at, c)) = chars.next() {
        if let Some((from, closed)) = quoted {
            match c {
                '"' if closed => {
                    value.push('"');
                    quoted = Some((from, false));
                    continue;
                }
                '"' => {
                    quoted = Some((from, true));
                    continue;
                }
                c if !closed => {
                    value.push(c);
                    continue;
                }
                _ => {}
            }
        }
        let span = match quoted {
            Some((from, _)) => Span::new(from, at.saturating_sub(1).max(from)),
            None => Span::new(start, at),
        };
        match c {
            '"' if value.trim().is_empty() && quoted.is_none() => {
                value.clear();
                quoted = Some((at + 1, false));
            }
            c if c == comma || c == '\n' => {
                end_of_cell(&mut table, &mut value, span);
                if c == '\n' {
                    table.push(Vec::new());
                }
                start = at + c.len_utf8();
                quoted = None;
            }
            '\r' if chars.peek().is_some_and(|(_, next)| *next == '\n') => {}
            c => value.push(c),
        }
    }
    if start < text.len() {
        let span = match quoted {
            Some((from, closed)) => Span::new(from, text.len() - usize::from(closed)),
            None => Span::new(start, text.len()),
        };
        end_of_cell(&mut table, &mut value, span);
    }
    table.retain(|row| row.iter().any(|cell| !cell.text.is_empty()));
    table
}

/// The rows of comma-separated values as maps by their heads, with the bytes of each row. Numbers stay as written.
pub(crate) fn csv_rows(text: &str) -> Vec<(Value, Span)> {
    let table = of_csv(text);
    let Some((head, rows)) = table.split_first() else { return Vec::new() };
    let row = |cells: &Vec<Cell>| {
        let value = |cell: &Cell| {
            throughline_value::Number::parse(&cell.text).map_or_else(|| cell.text.as_str().into(), Value::Number)
        };
        let map = head.iter().zip(cells).map(|(head, cell)| (head.text.clone(), value(cell)));
        let start = cells.first().map_or(0, |cell| cell.span.start);
        let end = cells.iter().map(|cell| cell.span.end).max().unwrap_or(start);
        (Value::Map(map.collect()), Span::new(start, end))
    };
    rows.iter().map(row).collect()
}

/// Lines with the same mark, one below the other.
fn of_lines(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut open = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mark = ['|', '\t'].into_iter().find(|mark| line.trim().trim_matches(*mark).contains(*mark));
        let Some(mark) = mark else {
            open = false;
            continue;
        };
        let rule = line.chars().all(|c| c.is_whitespace() || matches!(c, '|' | '-' | ':' | '+' | '='));
        if rule && mark == '|' {
            continue;
        }
        let inner = line.trim_end_matches(['\n', '\r']);
        let mut place = start;
        let mut cells: Vec<Cell> = Vec::new();
        for part in inner.split(mark) {
            let text = part.trim();
            let from = place + (part.len() - part.trim_start().len());
            cells.push(Cell { text: text.to_owned(), span: Span::new(from, from + text.len()) });
            place += part.len() + 1;
        }
        if mark == '|' {
            // The marks at both ends are a frame.
            if inner.trim_end().ends_with('|') {
                cells.pop();
            }
            if inner.trim_start().starts_with('|') {
                cells.remove(0);
            }
        }
        if !open {
            tables.push(Vec::new());
        }
        open = true;
        if let Some(table) = tables.last_mut() {
            table.push(cells);
        }
    }
    tables
}

/// What a selector selects.
pub(super) fn select(text: &str, selector: &str) -> Result<Vec<Found>, Failure> {
    let selector = crate::html::Selector::parse(selector)
        .map_err(|wrong| Failure::new("bad-selector", format!("{} (byte {})", wrong.message, wrong.at)))?;
    let html = Html::read(text);
    let finds: Vec<Found> =
        selector.find(&html).into_iter().map(|(text, span)| Found::sure(span, Value::Text(text), 10)).collect();
    if finds.is_empty() {
        let has = html.elements(0, &["table", "h1", "h2", "h3", "p", "li", "td", "th", "dl", "div"]);
        let message = format!(
            "the selector selects nothing; the document has {} tables, headings, cells and paragraphs",
            has.len()
        );
        return Err(Failure::new("value-missing", message));
    }
    Ok(finds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, media_type: &str, row: &str, column: &str, expected: Result<&[&str], &str>) {
        let got = find(text, media_type, row, column);
        if let Ok(finds) = &got {
            for found in finds {
                let raw = text.get(found.span.start..found.span.end).unwrap();
                assert!(
                    raw.replace("\"\"", "\"").contains(found.value.as_str().unwrap()) || raw.contains('<'),
                    "{raw}"
                );
            }
        }
        let got = got.map(|f| f.into_iter().map(|f| f.value.as_str().unwrap().to_owned()).collect::<Vec<_>>());
        let expected = expected.map(|l| l.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(got.map_err(|f| f.message), expected.map_err(str::to_owned), "{row} {column}");
    }

    const CSV: &str = "KPI,Q2,\"Q3, final\"\r\nYield rate,90.1,91.70\r\n\"Deliver \"\"y\"\"\",\"30, 31\",\r\n";
    const HTML: &str = "<table><tr><th>指标</th><th>三季度</th></tr><tr><td>良率</td><td> <b>91.70</b>％</td></tr></table><table><tr><td>x<td>三季度<tr><td>良率<td>90.1</table>";
    const TEXT: &str = "Report\n| KPI | Q3 |\n|---|--:|\n| Yield | 91.70 % |\n\na\tb\n良率\t90\n";

    #[test]
    fn cells_are_found_by_the_heads_of_row_and_column() {
        check(CSV, "text/csv", "yield  RATE", "Q2", Ok(&["90.1"]));
        check(CSV, "text/csv", "Yield rate", "Q3, final", Ok(&["91.70"]));
        check(CSV, "text/csv", "Deliver \"y\"", "2", Ok(&["30, 31"]));
        check(CSV, "text/csv", "1", "3", Ok(&["91.70"]));
        check(HTML, "text/html", "良率", "三季度", Ok(&["91.70％", "90.1"]));
        check(TEXT, "text/plain", "Yield", "q3", Ok(&["91.70 %"]));
        check(TEXT, "text/plain", "良率", "b", Ok(&["90"]));
        check(CSV, "text/csv", "Yield", "Q3", Ok(&["91.70"]));
    }

    #[test]
    fn a_cell_that_reaches_over_columns_and_rows_moves_those_behind_it() {
        const WIDE: &str = "<table><tr><th></th><th colspan=2>Q1</th><th>Q2</th></tr><tr><th>Cost</th><td>1</td><td>2</td><td>3</td></tr><tr><td rowspan=2>Rev</td><td>4</td><td>5</td><td>6</td></tr><tr><td>7</td><td>8</td><td>9</td></tr><tr><td>Net</td><td colspan='2'>10</td><td>11</td></tr></table>";
        check(WIDE, "text/html", "Cost", "Q1", Ok(&["1"]));
        check(WIDE, "text/html", "Cost", "Q2", Ok(&["3"]));
        check(WIDE, "text/html", "Rev", "Q2", Ok(&["6"]));
        check(WIDE, "text/html", "3", "Q2", Ok(&["9"]));
        check(WIDE, "text/html", "Net", "Q2", Ok(&["11"]));
    }

    #[test]
    fn a_missing_cell_names_the_head_that_is_near() {
        check(
            CSV,
            "text/csv",
            "Yeld rate",
            "Q2",
            Err("no table has a cell of row `Yeld rate` and column `Q2`; `Yield rate` is near"),
        );
        check(
            "no table",
            "text/plain",
            "a",
            "b",
            Err("no table has a cell of row `a` and column `b`; there is no table in it"),
        );
    }
}
