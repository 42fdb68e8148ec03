//! What a run can do next, kept up to date step by step: each record costs as much as the step has neighbours,
//! not as the plan has steps.

use throughline_value::{InOrder as _, Named, SortedMap, SortedSet};

use super::state::{RunStep, StepStatus};

/// How one step uses another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Need,
    Branch(bool),
    Rescue,
}

#[derive(Clone, Debug)]
struct Node {
    uses: Vec<(usize, Use)>,
    users: Vec<(usize, Use)>,
    status: StepStatus,
    branch: Option<bool>,
    rescuing: bool,
    /// Whether it waits for a call or for a person.
    away: bool,
    /// How many of what it waits for have no value yet.
    missing: usize,
    /// How many ask for its value.
    demand: u32,
    /// How many may still ask for it.
    maybe: u32,
    /// What it waits for in vain.
    lost: Option<usize>,
}

/// Who waits for whom, and what follows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    nodes: Vec<Node>,
    /// Steps that can be done now.
    ready: SortedSet<usize>,
    /// Steps that wait for a value that never comes.
    lost: SortedSet<usize>,
    /// Steps that nothing asks for any more.
    unasked: SortedSet<usize>,
    /// Steps that wait for a call or for a person.
    away: SortedSet<usize>,
    open: usize,
}

/// A step that will never run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Never {
    /// Since this step has no value.
    Blocked(usize),
    /// Since nothing asks for it.
    Skipped,
}

impl Schedule {
    pub(crate) fn new(steps: &Named<RunStep>) -> Self {
        let place = |name: &String| steps.get_index_of(name.as_str());
        let mut nodes: Vec<Node> = steps
            .values()
            .map(|step| {
                let [then, otherwise] = &step.branches;
                let needs = step.needs.iter().filter_map(place).map(|at| (at, Use::Need));
                let then = then.iter().filter_map(place).map(|at| (at, Use::Branch(true)));
                let otherwise = otherwise.iter().filter_map(place).map(|at| (at, Use::Branch(false)));
                let rescue = step.rescue.iter().filter_map(place).map(|at| (at, Use::Rescue));
                let uses: Vec<_> = needs.chain(then).chain(otherwise).chain(rescue).collect();
                Node {
                    missing: uses.iter().filter(|(_, how)| *how == Use::Need).count(),
                    uses,
                    users: Vec::new(),
                    status: StepStatus::Waiting,
                    branch: None,
                    rescuing: false,
                    away: false,
                    demand: 0,
                    maybe: u32::from(step.wanted),
                    lost: None,
                }
            })
            .collect();
        for user in 0..nodes.len() {
            for (used, how) in nodes.get(user).map(|node| node.uses.clone()).unwrap_or_default() {
                if let Some(node) = nodes.get_mut(used) {
                    node.users.push((user, how));
                    node.maybe += 1;
                }
            }
        }
        let mut out = Self { open: nodes.len(), nodes, ..Self::default() };
        for at in 0..out.nodes.len() {
            let Some(node) = out.nodes.get(at) else { continue };
            // What no step uses the run is for.
            let unused = node.users.is_empty();
            if unused && let Some(node) = out.nodes.get_mut(at) {
                node.maybe += 1;
            }
            if unused || steps.get_index(at).is_some_and(|(_, step)| step.wanted) {
                out.demand(at);
            }
        }
        for at in 0..out.nodes.len() {
            out.refresh(at);
        }
        out
    }

    /// How many steps are not settled.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    pub(crate) fn ready(&self) -> impl Iterator<Item = usize> {
        self.ready.iter().copied()
    }

    pub(crate) fn away(&self) -> impl Iterator<Item = usize> {
        self.away.iter().copied()
    }

    pub(crate) fn is_away(&self, at: usize) -> bool {
        self.away.contains(&at)
    }

    /// What uses a step, in any way.
    pub(crate) fn users(&self, at: usize) -> impl Iterator<Item = usize> {
        self.nodes.get(at).into_iter().flat_map(|node| node.users.iter().map(|(user, _)| *user))
    }

    /// A step went away for a call or to a person.
    pub(crate) fn went(&mut self, at: usize, branch: Option<bool>, rescue: bool) {
        let Some(node) = self.nodes.get_mut(at) else { return };
        node.status = StepStatus::Running;
        node.away = !rescue && branch.is_none();
        if rescue && !node.rescuing {
            node.rescuing = true;
            self.wait_for(at, Use::Rescue, true);
        }
        if let Some(taken) = branch
            && self.nodes.get(at).is_some_and(|node| node.branch.is_none())
        {
            if let Some(node) = self.nodes.get_mut(at) {
                node.branch = Some(taken);
            }
            self.release(at, Use::Branch(!taken));
            self.wait_for(at, Use::Branch(taken), false);
        }
        self.refresh(at);
    }

    /// From now on a step waits also (or `only`) for what it uses so.
    fn wait_for(&mut self, at: usize, how: Use, only: bool) {
        let used: Vec<usize> = self.used(at, how);
        let status = |at: &usize| self.nodes.get(*at).map_or(StepStatus::Failed, |node| node.status);
        let missing = used.iter().filter(|used| status(used) != StepStatus::Done).count();
        let lost = used.iter().copied().find(|used| status(used).is_settled() && status(used) != StepStatus::Done);
        if let Some(node) = self.nodes.get_mut(at) {
            node.missing = missing + if only { 0 } else { node.missing };
            node.lost = lost.or(if only { None } else { node.lost });
        }
        for used in used {
            self.demand(used);
        }
    }

    fn used(&self, at: usize, how: Use) -> Vec<usize> {
        let uses = self.nodes.get(at).map(|node| node.uses.as_slice()).unwrap_or_default();
        uses.iter().filter(|(_, h)| *h == how).map(|(used, _)| *used).collect()
    }

    /// A step is settled.
    pub(crate) fn settled(&mut self, at: usize, status: StepStatus, branch: Option<bool>) {
        let Some(node) = self.nodes.get_mut(at) else { return };
        if node.status.is_settled() {
            return;
        }
        node.status = status;
        node.away = false;
        self.open -= 1;
        let (taken, rescuing) = (node.branch, node.rescuing);
        if taken.is_none() {
            node.branch = branch;
        }
        for (user, how) in node.users.clone() {
            if let Some(user) = self.nodes.get_mut(user)
                && user.waits(how)
            {
                if status == StepStatus::Done {
                    user.missing = user.missing.saturating_sub(1);
                } else {
                    user.lost.get_or_insert(at);
                }
            }
            self.refresh(user);
        }
        if taken.is_none() {
            // One that ended without waiting for a branch took values that were there.
            self.release(at, Use::Branch(true));
            self.release(at, Use::Branch(false));
        } else if status == StepStatus::Skipped {
            self.release(at, Use::Branch(taken == Some(true)));
        }
        if !rescuing || status == StepStatus::Skipped {
            self.release(at, Use::Rescue);
        }
        if status == StepStatus::Skipped {
            self.release(at, Use::Need);
        }
        self.refresh(at);
    }

    /// A step no longer may ask for what it uses so.
    fn release(&mut self, at: usize, how: Use) {
        for used in self.used(at, how) {
            if let Some(node) = self.nodes.get_mut(used) {
                node.maybe = node.maybe.saturating_sub(1);
            }
            self.refresh(used);
        }
    }

    /// One more asks for the step's value, and so for what it needs.
    fn demand(&mut self, at: usize) {
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            let Some(node) = self.nodes.get_mut(at) else { continue };
            node.demand += 1;
            if node.demand == 1 {
                open.extend(node.uses.iter().filter(|(_, how)| *how == Use::Need).map(|(used, _)| *used));
            }
            self.refresh(at);
        }
    }

    fn refresh(&mut self, at: usize) {
        let Some(node) = self.nodes.get(at) else { return };
        let open = !node.status.is_settled() && !node.away;
        let set = |set: &mut SortedSet<usize>, holds: bool| {
            if holds {
                set.insert(at);
            } else {
                set.remove(&at);
            }
        };
        set(&mut self.away, !node.status.is_settled() && node.away);
        set(&mut self.unasked, open && node.maybe == 0);
        // One that only an undecided branch asks for is blocked or skipped when that is decided, in any order of arrival.
        set(&mut self.lost, open && node.demand > 0 && node.maybe > 0 && node.lost.is_some());
        set(&mut self.ready, open && node.demand > 0 && node.missing == 0 && node.lost.is_none());
    }

    /// Whether there are steps that will never run.
    pub(crate) fn has_never(&self) -> bool {
        !self.lost.is_empty() || !self.unasked.is_empty()
    }

    /// The steps that will never run, those included that follow from others of them.
    pub(crate) fn never(&self) -> Vec<(usize, Never)> {
        let mut out = Vec::new();
        let mut seen: SortedSet<usize> = SortedSet::new();
        let mut released: SortedMap<usize, u32> = SortedMap::new();
        let mut skipped: Vec<usize> = self.unasked.iter().rev().copied().collect();
        while let Some(at) = skipped.pop() {
            if !seen.insert(at) {
                continue;
            }
            out.push((at, Never::Skipped));
            let Some(node) = self.nodes.get(at) else { continue };
            for (used, how) in &node.uses {
                let gone = matches!(how, Use::Branch(b) if node.branch == Some(!b));
                let Some(target) = self.nodes.get(*used) else { continue };
                if gone {
                    continue;
                }
                let count = released.entry(*used).or_insert(0);
                *count += 1;
                if *count >= target.maybe && !target.status.is_settled() && !target.away {
                    skipped.push(*used);
                }
            }
        }
        let mut blocked: std::collections::VecDeque<(usize, usize)> =
            self.lost.iter().filter_map(|at| Some((*at, self.nodes.get(*at)?.lost?))).collect();
        while let Some((at, by)) = blocked.pop_front() {
            if !seen.insert(at) {
                continue;
            }
            out.push((at, Never::Blocked(by)));
            let Some(node) = self.nodes.get(at) else { continue };
            for (user, how) in &node.users {
                let waits = self.nodes.get(*user).is_some_and(|user| {
                    user.waits(*how) && !user.status.is_settled() && !user.away && user.maybe > 0 && user.demand > 0
                });
                if waits {
                    blocked.push_back((*user, at));
                }
            }
        }
        out.order_by_key(|(at, _)| *at);
        out
    }
}

impl Node {
    /// Whether it waits for what it uses so.
    fn waits(&self, how: Use) -> bool {
        match how {
            Use::Need => !self.rescuing,
            Use::Branch(b) => !self.rescuing && self.branch == Some(b),
            Use::Rescue => self.rescuing,
        }
    }
}
