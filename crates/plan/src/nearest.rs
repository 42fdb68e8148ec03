//! The nearest name to a misspelt one.

/// The candidate that `name` was most likely meant to be, if one is near enough: at most a third of its
/// letters differ. Letter case does not count.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().take(64).collect();
    let allowed = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other: Vec<char> = candidate.to_lowercase().chars().take(64).collect();
        let distance = distance(&wanted, &other);
        // A name of one or two letters is near everything; only its other spelling counts.
        let near = if wanted.len() < 3 { distance == 0 } else { distance <= allowed };
        if near && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(width);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let at = |v: &[usize], k: usize| v.get(k).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            row.push(cost);
        }
        before = last;
        last = row;
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        assert_eq!(nearest(name, ["carrier_scans", "orders", "订单表", "A"]), expected, "{name}");
    }

    #[test]
    fn a_misspelt_name_finds_the_one_it_was_meant_to_be_and_a_strange_one_finds_none() {
        check("carrier_scan", Some("carrier_scans"));
        check("Carrier_Scans", Some("carrier_scans"));
        check("ordres", Some("orders"));
        check("invoices", None);
        check("订单", None);
        check("订单标", Some("订单表"));
        check("a", Some("A"));
        check("B", None);
        check("", None);
    }
}
