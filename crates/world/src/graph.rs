//! The relations as a graph: ways between two entities, what lies around one, what lies upstream of a value, and
//! everything that was said of a relation. All of it at a moment.

use throughline_journal::Seq;
use throughline_protocol::query::{Neighbourhood as Around, Paths, RelationHistory};
use throughline_protocol::view::{Neighbour, Neighbourhood, PathPage, RelationPath, RelationVersion};
use throughline_protocol::{At, Refusal};
use throughline_value::{InOrder as _, Number, SortedMap, SortedSet};

use crate::entity::Node;
use crate::find::Found;
use crate::limits::{MAX_DEPTH, MAX_NEIGHBOURS, MAX_PATH_STEPS, MAX_PATHS, MAX_UPSTREAM, MAX_VERSIONS_LISTED};
use crate::relation::Relation;
use crate::view::not_yet;
use crate::world::World;

/// Which way relations are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Out,
    In,
    Both,
}

impl Direction {
    fn read(name: Option<&str>) -> Result<Self, Refusal> {
        match name {
            None | Some("both") => Ok(Self::Both),
            Some("out") => Ok(Self::Out),
            Some("in") => Ok(Self::In),
            Some(other) => Err(Refusal::new("not-allowed", format!("there is no direction `{other}`"))
                .at_path("/direction")
                .suggest("the directions are out, in and both")),
        }
    }

    const fn reversed(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }
}

/// One relation to another entity.
struct Step<'a> {
    relation: &'a Relation,
    to: &'a Node,
}

/// A record of the world that led to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    /// The record.
    pub seq: Seq,
    /// How many relations upstream.
    pub depth: usize,
    /// `value`, `relation`, `field` or `entity`.
    pub by: &'static str,
    /// The entity that it is about.
    pub entity: String,
    /// The field that it set.
    pub field: Option<String>,
}

fn limited(given: Option<usize>, default: usize, most: usize, path: &str) -> Result<usize, Refusal> {
    match given {
        None => Ok(default),
        Some(n) if (1..=most).contains(&n) => Ok(n),
        Some(n) => Err(Refusal::new("out-of-range", format!("it goes from 1 to {most}; this is {n}")).at_path(path)),
    }
}

impl World {
    /// The entity of a name that is there at a moment.
    pub(crate) fn seen(&self, name: &str, at: At, path: &str) -> Result<&Node, Refusal> {
        let root = match self.find(name, None, at.seq) {
            Found::One(node) => self.root(node, at.seq),
            // Says which there are, or which is near.
            _ => match self.target(name, None, path) {
                Err(refusal) => return Err(refusal),
                Ok(_) => return Err(not_yet(name).at_path(path)),
            },
        };
        if self.is_there(root, at) { Ok(root) } else { Err(not_yet(name).at_path(path)) }
    }

    /// The relations of an entity that are true at a moment, with the entity at the other end, by id.
    fn steps<'a>(&'a self, root: &'a Node, at: At, names: &[String], direction: Direction) -> Vec<Step<'a>> {
        let members = self.members(&root.id, at.seq);
        let mine = |id: &str| members.iter().any(|node| *node.id == *id);
        let ids: SortedSet<_> = members.iter().filter_map(|node| self.edges.by_end.get(&node.id)).flatten().collect();
        let relations = ids.into_iter().filter_map(|id| self.edges.by_id.get(id)).map(AsRef::as_ref);
        let wanted = relations.filter(|r: &&Relation| {
            (names.is_empty() || names.iter().any(|name| **name == *r.name)) && self.relation_stands(r, at)
        });
        let mut out = Vec::new();
        for relation in wanted {
            let ends = [(&relation.from, &relation.to, Direction::Out), (&relation.to, &relation.from, Direction::In)];
            for (start, end, way) in ends {
                let follows = direction == Direction::Both || direction == way;
                if follows
                    && mine(start)
                    && let Some(other) = self.node(end).map(|node| self.root(node, at.seq))
                    && other.id != root.id
                {
                    out.push(Step { relation, to: other });
                }
            }
        }
        out
    }

    /// How many relations away every entity within `depth` is.
    fn distances<'a>(
        &'a self,
        start: &'a Node,
        at: At,
        names: &[String],
        direction: Direction,
        depth: usize,
    ) -> SortedMap<&'a str, usize> {
        let mut known: SortedMap<&str, usize> = SortedMap::new();
        known.insert(&start.id, 0);
        let mut edge = vec![start];
        for far in 1..=depth {
            let mut next = Vec::new();
            for node in edge {
                for step in self.steps(node, at, names, direction) {
                    if !known.contains_key(&*step.to.id) {
                        known.insert(&step.to.id, far);
                        next.push(step.to);
                    }
                }
            }
            edge = next;
        }
        known
    }

    /// The ways from one entity to another, the shortest first, then the surest. No way meets an entity twice.
    ///
    /// # Errors
    /// `unknown-entity`, `ambiguous-name`, `not-allowed`, `out-of-range`.
    pub fn paths(&self, query: &Paths, at: At) -> Result<PathPage, Refusal> {
        let (from, to) = (self.seen(&query.from, at, "/from")?, self.seen(&query.to, at, "/to")?);
        let direction = Direction::read(query.direction.as_deref())?;
        let depth = limited(query.depth, 4, MAX_DEPTH, "/depth")?;
        let limit = limited(query.limit, 10, MAX_PATHS, "/limit")?;
        let left = self.distances(to, at, &query.relations, direction.reversed(), depth);
        let mut found: Vec<RelationPath> = Vec::new();
        let mut more = false;
        let mut steps = 0;
        let mut edge: Vec<(Vec<&Node>, Vec<&Relation>)> = vec![(vec![from], Vec::new())];
        // One level is one more relation, so the shorter ways come first.
        while !edge.is_empty() && !more {
            let mut level: Vec<RelationPath> = Vec::new();
            let mut next = Vec::new();
            for (nodes, relations) in edge {
                let Some(last) = nodes.last().copied() else { continue };
                if last.id == to.id {
                    level.push(self.path_view(&nodes, &relations, at));
                    continue;
                }
                for step in self.steps(last, at, &query.relations, direction) {
                    steps += 1;
                    let near = left.get(&*step.to.id).is_some_and(|far| relations.len() + 1 + far <= depth);
                    if near && nodes.iter().all(|node| node.id != step.to.id) {
                        let mut nodes = nodes.clone();
                        nodes.push(step.to);
                        let mut relations = relations.clone();
                        relations.push(step.relation);
                        next.push((nodes, relations));
                    }
                }
                if steps > MAX_PATH_STEPS {
                    more = true;
                    break;
                }
            }
            let sure = |path: &RelationPath| path.confidence.clone().unwrap_or_else(|| Number::from(1));
            let ids = |path: &RelationPath| path.relations.iter().map(|r| r.id.clone()).collect::<Vec<_>>();
            level.order_by(|a, b| sure(b).cmp(&sure(a)).then_with(|| ids(a).cmp(&ids(b))));
            found.extend(level);
            more |= found.len() > limit || (found.len() == limit && !next.is_empty());
            edge = next;
        }
        found.truncate(limit);
        Ok(PathPage { paths: found, more })
    }

    fn path_view(&self, nodes: &[&Node], relations: &[&Relation], at: At) -> RelationPath {
        RelationPath {
            entities: nodes.iter().map(|node| node.id.to_string()).collect(),
            relations: relations.iter().map(|r| self.relation_view(r, at)).collect(),
            confidence: relations.iter().filter_map(|r| r.confidence.as_ref()).min().cloned(),
        }
    }

    /// The entities around one, the nearest first, then by id, and the relations between those that are shown.
    ///
    /// # Errors
    /// `unknown-entity`, `ambiguous-name`, `not-allowed`, `out-of-range`.
    pub fn neighbourhood(&self, query: &Around, at: At) -> Result<Neighbourhood, Refusal> {
        let middle = self.seen(&query.entity, at, "/entity")?;
        let direction = Direction::read(query.direction.as_deref())?;
        let depth = limited(query.depth, 1, MAX_DEPTH, "/depth")?;
        let limit = limited(query.limit, 100, MAX_NEIGHBOURS, "/limit")?;
        let mut near: Vec<(usize, &str)> = self
            .distances(middle, at, &query.relations, direction, depth)
            .into_iter()
            .map(|(id, far)| (far, id))
            .collect();
        near.order_by(|a, b| a.cmp(b));
        let left_out = near.len().saturating_sub(limit) as u64;
        near.truncate(limit);
        let shown: SortedSet<&str> = near.iter().map(|(_, id)| *id).collect();
        let mut relations: SortedMap<&str, &Relation> = SortedMap::new();
        for node in near.iter().filter_map(|(_, id)| self.node(id)) {
            for step in self.steps(node, at, &query.relations, Direction::Out) {
                if shown.contains(&*step.to.id) {
                    relations.insert(&step.relation.id, step.relation);
                }
            }
        }
        let entities = near.iter().filter_map(|(far, id)| Some((far, self.node(id)?)));
        Ok(Neighbourhood {
            entities: entities
                .map(|(far, node)| Neighbour {
                    id: node.id.to_string(),
                    entity_type: node.entity_type.to_string(),
                    raw_id: node.raw_id.clone(),
                    depth: *far as u64,
                    retired: node.retired(at),
                })
                .collect(),
            relations: relations.into_values().map(|r| self.relation_view(r, at)).collect(),
            left_out,
        })
    }

    /// Everything that was said of an entity's relations, by valid time, whatever became of it. The recorded times
    /// are the caller's to fill in.
    ///
    /// # Errors
    /// `unknown-entity`, `ambiguous-name`, `out-of-range`.
    pub fn relation_history(&self, query: &RelationHistory, at: At) -> Result<Vec<RelationVersion>, Refusal> {
        let limit = limited(query.limit, MAX_VERSIONS_LISTED, MAX_VERSIONS_LISTED, "/limit")?;
        // What was said of an entity is there to be seen also before its own time.
        let any = At { valid_at: throughline_journal::Millis::MAX, ..at };
        let root = self.seen(&query.entity, any, "/entity")?;
        let with = match &query.with {
            Some(name) => Some(self.seen(name, any, "/with")?),
            None => None,
        };
        let members = self.members(&root.id, at.seq);
        let ids: SortedSet<_> = members.iter().filter_map(|node| self.edges.by_end.get(&node.id)).flatten().collect();
        let is = |id: &str, other: &Node| self.node(id).is_some_and(|node| self.root(node, at.seq).id == other.id);
        let mut said: Vec<&Relation> = ids
            .into_iter()
            .filter_map(|id| self.edges.by_id.get(id))
            .map(AsRef::as_ref)
            .filter(|r: &&Relation| r.stamp.seq <= at.seq)
            .filter(|r| query.relation.as_deref().is_none_or(|name| *name == *r.name))
            .filter(|r| with.is_none_or(|other| is(&r.from, other) || is(&r.to, other)))
            .collect();
        said.order_by(|a, b| (&a.stamp, &a.id).cmp(&(&b.stamp, &b.id)));
        // The newest ones, when there are too many.
        let from = said.len().saturating_sub(limit);
        Ok(said.into_iter().skip(from).map(|relation| self.relation_version(relation, at)).collect())
    }

    fn relation_version(&self, relation: &Relation, at: At) -> RelationVersion {
        let view = self.relation_view(relation, at);
        let over = view.valid_to.is_some_and(|end| end <= at.valid_at);
        let status = if over {
            "ended"
        } else if at.valid_at < relation.stamp.valid_from {
            "future"
        } else if !self.relation_stands(relation, at) {
            "gone"
        } else if relation.is_held() {
            "held"
        } else {
            "current"
        };
        let ended_by = view.valid_to.and_then(|end| self.ended_by(relation, end, at.seq));
        RelationVersion { relation: view, status: status.to_owned(), recorded_at: 0, ended_by }
    }

    /// The records of the world that led to a field's value, the nearest first: the one that set it, and by
    /// relations that lead to the entity what is known of the entities upstream.
    ///
    /// # Errors
    /// `unknown-entity`, `ambiguous-name`, `out-of-range`.
    pub fn upstream(&self, entity: &str, field: &str, at: At, depth: Option<usize>) -> Result<Vec<Upstream>, Refusal> {
        let depth = limited(depth, 3, MAX_DEPTH, "/depth")?;
        let root = self.seen(entity, at, "/entity")?;
        let mut out: Vec<Upstream> = Vec::new();
        let mut say = |seq: Seq, depth: usize, by, node: &Node, field: Option<&str>| {
            let new = out.iter().all(|known| known.seq != seq || known.field.as_deref() != field);
            if new && out.len() < MAX_UPSTREAM {
                let (entity, field) = (node.id.to_string(), field.map(str::to_owned));
                out.push(Upstream { seq, depth, by, entity, field });
            }
        };
        let mut seen: SortedSet<&str> = SortedSet::new();
        seen.insert(&root.id);
        let mut edge = vec![root];
        for far in 0..=depth {
            let mut next: Vec<&Node> = Vec::new();
            for node in edge {
                if far == 0 {
                    if let Some((stamp, _)) = self.field_of(node, field, at) {
                        say(stamp.seq, far, "value", node, Some(field));
                    }
                } else {
                    for (name, (stamp, _)) in self.fields_of(node, at) {
                        say(stamp.seq, far, "field", node, Some(name));
                    }
                }
                // A value may have come from what was merged into it.
                for member in self.members(&node.id, at.seq) {
                    let made = if member.id == node.id {
                        Some(member.registered)
                    } else {
                        member.merged_into.entry_at(at.seq).map(|(seq, _)| *seq)
                    };
                    if let Some(seq) = made {
                        say(seq, far, "entity", node, None);
                    }
                }
                if far == depth {
                    continue;
                }
                for step in self.steps(node, at, &[], Direction::In) {
                    say(step.relation.stamp.seq, far + 1, "relation", step.to, None);
                    if !seen.contains(&*step.to.id) {
                        seen.insert(&step.to.id);
                        next.push(step.to);
                    }
                }
            }
            edge = next;
        }
        Ok(out)
    }
}
