//! Which step needs which, cycles and waves.

use throughline_value::Named;
/// What one step uses, by the names of other steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edges {
    /// What it cannot start without.
    pub(crate) needs: Vec<String>,
    /// What only its `THEN` and only its `ELSE` branch use.
    pub(crate) branches: [Vec<String>; 2],
    /// What only its fallback uses.
    pub(crate) rescue: Vec<String>,
}

impl Edges {
    /// Every name it uses, in no branch or in any.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.needs.iter().chain(self.branches.iter().flatten()).chain(&self.rescue).map(String::as_str)
    }
}

pub(crate) type Graph = Named<Edges>;

/// Every cycle once, as the path from its first step in the order of the text back to it.
pub(crate) fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    // 0: not seen, 1: on the path, 2: done.
    let mut marks: Vec<u8> = vec![0; graph.len()];
    let mut found = Vec::new();
    for root in 0..graph.len() {
        if marks.get(root) != Some(&0) {
            continue;
        }
        // A path of steps, each with the place in its list of uses: a stack of our own, since a chain may
        // be as long as the plan.
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        set(&mut marks, root, 1);
        while let Some((step, next)) = path.last_mut() {
            let Some((_, edges)) = graph.get_index(*step) else { break };
            let used = edges.all().nth(*next);
            *next += 1;
            let Some(used) = used else {
                set(&mut marks, *step, 2);
                path.pop();
                continue;
            };
            let Some(index) = graph.get_index_of(used) else { continue };
            match marks.get(index) {
                Some(0) => {
                    set(&mut marks, index, 1);
                    path.push((index, 0));
                }
                Some(1) => {
                    let start = path.iter().position(|(s, _)| *s == index).unwrap_or(0);
                    found.push(rotated(path.iter().skip(start).map(|(s, _)| *s).collect(), graph));
                }
                _ => {}
            }
        }
    }
    found
}

fn set(marks: &mut [u8], at: usize, mark: u8) {
    if let Some(slot) = marks.get_mut(at) {
        *slot = mark;
    }
}

fn rotated(mut cycle: Vec<usize>, graph: &Graph) -> Vec<String> {
    let first = cycle.iter().enumerate().min_by_key(|(_, step)| **step).map_or(0, |(at, _)| at);
    cycle.rotate_left(first);
    cycle.extend(cycle.first().copied());
    cycle.into_iter().filter_map(|s| graph.get_index(s).map(|(name, _)| name.clone())).collect()
}

/// The steps that can run at the same time, wave by wave. Steps of a cycle are in none. A step that only
/// one branch of an `IF` uses comes after what the `IF`'s condition needs.
pub(crate) fn waves(graph: &Graph) -> Vec<Vec<String>> {
    let gates = gates(graph);
    let mut level: Named<usize, &str> = Named::new();
    // In a valid plan one pass is enough; steps out of order take more, and those of a cycle never get a level.
    loop {
        let before = level.len();
        for (step, edges) in graph {
            if level.contains_key(step.as_str()) {
                continue;
            }
            let gated = gates.get(step).into_iter().flatten().map(String::as_str);
            let mut awaited = edges.all().chain(gated).filter(|name| graph.contains_key(name));
            let after = awaited.try_fold(0, |most, name| level.get(name).map(|l| most.max(l + 1)));
            if let Some(after) = after {
                level.insert(step, after);
            }
        }
        if level.len() == before {
            break;
        }
    }
    let mut waves: Vec<Vec<String>> = Vec::new();
    // In the order of the text within each wave.
    for step in graph.keys() {
        let Some(at) = level.get(step.as_str()) else { continue };
        while waves.len() <= *at {
            waves.push(Vec::new());
        }
        if let Some(wave) = waves.get_mut(*at) {
            wave.push(step.clone());
        }
    }
    waves
}

/// For each step that only one branch of an `IF` leads to: what the conditions on the way need.
fn gates(graph: &Graph) -> Named<Vec<String>> {
    let mut users: Named<Vec<(&str, bool)>, &str> = Named::new();
    for (step, edges) in graph {
        for name in &edges.needs {
            users.entry(name).or_default().push((step, false));
        }
        for name in edges.branches.iter().flatten() {
            users.entry(name).or_default().push((step, true));
        }
        for name in &edges.rescue {
            users.entry(name).or_default().push((step, false));
        }
    }
    // Steps are looked at from the last to the first: in a valid plan every user stands later.
    let mut gates: Named<Vec<String>> = Named::new();
    for step in graph.keys().rev() {
        let Some(users) = users.get(step.as_str()) else { continue };
        let mut common: Option<Vec<String>> = None;
        for (user, branch) in users {
            let mut through: Vec<String> = gates.get(user).cloned().unwrap_or_default();
            if *branch {
                through.extend(graph.get(user).into_iter().flat_map(|e| e.needs.iter().cloned()));
            }
            common = Some(match common {
                None => through,
                Some(before) => before.into_iter().filter(|name| through.contains(name)).collect(),
            });
        }
        if let Some(common) = common.filter(|c| !c.is_empty()) {
            gates.insert(step.clone(), common);
        }
    }
    gates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(text: &str) -> Graph {
        let one = |t: &str| t.split(' ').filter(|t| !t.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        text.lines()
            .map(|line| {
                let (name, rest) = line.trim().split_once(':').unwrap();
                let mut parts = rest.split('|').map(one);
                let needs = parts.next().unwrap_or_default();
                let branches = [parts.next().unwrap_or_default(), parts.next().unwrap_or_default()];
                (name.to_owned(), Edges { needs, branches, rescue: Vec::new() })
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let waves: Vec<_> = waves(&graph(text)).iter().map(|w| w.join(" ")).collect();
        assert_eq!(waves.join(" / "), expected, "{text}");
    }

    #[test]
    fn steps_run_in_waves_and_branches_wait_for_their_condition() {
        check("a:\nb:\nc: a b\nd: c", "a b / c / d");
        check("q:\nc: q\nx:\ny:\ni: c | x | y", "q / c / x y / i");
        check("q:\nc: q\nx:\ni: c | x |\nj: x", "q x / c j / i");
        check("a: b\nb: a\nc:", "c");
    }

    #[test]
    fn every_cycle_is_found_once_as_a_path() {
        let paths = |text: &str| cycles(&graph(text)).iter().map(|c| c.join(" ")).collect::<Vec<_>>();
        assert_eq!(paths("a: c\nb: a\nc: b\nd: d"), ["a c b a", "d d"]);
        assert_eq!(paths("a:\nb: a"), Vec::<String>::new());
        let chain: String = (0..2000).map(|i| format!("s{i}: s{}\n", i + 1)).collect();
        assert!(paths(&chain).is_empty(), "a long chain neither overflows nor is a cycle");
    }
}
