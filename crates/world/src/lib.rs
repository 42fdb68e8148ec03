//! Entities, relations, atomic actions and scheduled events: what the world looks like, at any moment.
//!
//! [`World`] is a projection of the journal. Each action has a method that decides ([`World::register_entity`]
//! and its siblings), refuses with a code or answers with outcomes, and changes nothing; [`World::evolve`]
//! folds the recorded outcomes and evaluates nothing. Fields, relations and retirements lie on both axes of
//! time, so every view takes an [`At`]: what stood after a record, and what was true at a time. Late
//! information goes in before what is newer, and the order of arrival cannot show.
//!
//! ```
//! use throughline_protocol::{Context, Domain, command::RegisterEntity};
//! use throughline_journal::{Actor, ActorKind, Journal};
//! use throughline_world::{At, World};
//! let (actor, domain) = (Actor::of(ActorKind::User), Domain::default());
//! let ctx = Context { now: 5, valid_from: None, thread: "main", turn: 0, actor: &actor, reason: "", cause: None,
//!     origin: None, next_seq: 1, domain: &domain };
//! let register = RegisterEntity { entity_type: "parcel".into(), raw_id: "SF1".into(),
//!     fields: [("weight".to_owned(), 3.into())].into_iter().collect(), aliases: vec![] };
//! let mut world = World::default();
//! let decision = world.register_entity(&ctx, &register).unwrap();
//! let frame = Journal::new("example").propose(5, vec![], decision.drafts);
//! for record in &frame.records { world.evolve(record); }
//! let at = At { seq: 1, valid_at: 5 };
//! assert_eq!(world.get_path(&["parcel", "SF1", "weight"], at), Some(3.into()));
//! ```
//!
//! # Refusals
//!
//! | code | when |
//! |---|---|
//! | `unknown-entity`, `unknown-relation`, `unknown-event` | there is none of this id or name |
//! | `ambiguous-name` | the name belongs to several; `details.candidates` lists them |
//! | `unknown-entity-type`, `unknown-relation-type`, `unknown-field` | the domain does not have it |
//! | `missing-field` | a required field is absent on registering |
//! | `wrong-type`, `not-allowed`, `wrong-unit`, `bad-instant`, `bad-duration`, `zone-missing` | the value does not fit the field |
//! | `bad-raw-id`, `bad-domain` | the raw id does not match the type's pattern; the domain's rule cannot be used |
//! | `id-collision` | two different names have the same id |
//! | `version-conflict` | `expected_version` is not the version that stands; `details` has both |
//! | `entity-retired` | the entity was ended by then |
//! | `different-types`, `same-entity`, `not-merged` | the merge or its undoing is not possible |
//! | `wrong-end` | the relation may not start or end at this type |
//! | `bad-confidence`, `below-floor` | not from 0 to 1; under the domain's floor, which says `drop` |
//! | `empty-interval` | the relation would end before it begins |
//! | `unknown-zone`, `bad-repeat` | the rules of a zone are not loaded; an event cannot repeat so |
//! | `no-trigger`, `two-times` | the event has neither time nor condition; both `at` and `delay` |
//! | `expr-syntax` and the other codes of reading an expression | the condition cannot be read; `span` says where |
//! | `already-settled` | the event has fired, was dropped, skipped or cancelled |
//! | `empty`, `too-long`, `too-many` | a limit of [`limits`] |

mod bitemporal;
mod contract;
mod decide;
mod digest;
mod due;
mod entity;
mod env;
mod event;
mod evolve;
mod fields;
mod find;
mod graph;
mod identity;
pub mod kind;
pub mod limits;
mod relation;
mod repeat;
mod view;
mod world;

pub use due::{Due, Idle};
pub use graph::Upstream;
pub use identity::{EntityId, Rules, entity_id};
pub use throughline_protocol::At;
pub use world::World;
