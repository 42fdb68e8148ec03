//! Making one entity of two, and undoing it.

use throughline_protocol::command::{MergeEntities, UnmergeEntities};
use throughline_protocol::{Context, Decision, Refusal};
use throughline_value::Value;

use super::entity::alive;
use crate::fields::map;
use crate::find::NEWEST;
use crate::kind;
use crate::world::World;

impl World {
    /// Makes one entity of two: what is read of the one that stays is what was said of both. Never done by
    /// itself, whatever the names.
    ///
    /// # Errors
    /// `unknown-entity`, `ambiguous-name`, `same-entity`, `different-types`, `entity-retired`.
    pub fn merge_entities(&self, ctx: &Context<'_>, command: &MergeEntities) -> Result<Decision, Refusal> {
        let keep = self.target(&command.keep, None, "/keep")?;
        let merge = self.target(&command.merge, None, "/merge")?;
        if keep.root.id == merge.root.id {
            if keep.node.id == merge.node.id {
                let message = "an entity cannot be merged into itself";
                return Err(Refusal::new("same-entity", message).at_path("/merge"));
            }
            let result = [
                ("entity", Value::from(&*keep.root.id)),
                ("merge", (&*merge.node.id).into()),
                ("unchanged", true.into()),
            ];
            return Ok(Decision::unchanged(result.into()));
        }
        let (keep, merge) = (keep.root, merge.root);
        if keep.entity_type != merge.entity_type {
            let message = format!("a `{}` and a `{}` are never the same", keep.entity_type, merge.entity_type);
            return Err(Refusal::new("different-types", message).at_path("/merge"));
        }
        alive(keep, ctx.valid()).map_err(|refusal| refusal.at_path("/keep"))?;
        alive(merge, ctx.valid()).map_err(|refusal| refusal.at_path("/merge"))?;
        let version = self.version(keep, NEWEST) + 1;
        let data = map([
            ("entity", Some((&*keep.id).into())),
            ("merged", Some((&*merge.id).into())),
            ("version", Some(version.into())),
        ]);
        let result = [("entity", Value::from(&*keep.id)), ("merge", (&*merge.id).into()), ("version", version.into())];
        Ok(Decision::one(ctx.draft(kind::ENTITY_MERGED, data), result.into()))
    }

    /// Undoes a merge exactly: both are what was said of each.
    ///
    /// # Errors
    /// `unknown-entity`, `ambiguous-name`, `not-merged`.
    pub fn unmerge_entities(&self, ctx: &Context<'_>, command: &UnmergeEntities) -> Result<Decision, Refusal> {
        let node = self.target(&command.merged, None, "/merged")?.node;
        let Some(parent) = node.parent(NEWEST) else {
            let message = format!("`{}` is not merged into another entity", node.id);
            return Err(Refusal::new("not-merged", message).at_path("/merged"));
        };
        let data = map([("entity", Some((&**parent).into())), ("merged", Some((&*node.id).into()))]);
        let result = [("entity", Value::from(&*node.id)), ("from", (&**parent).into())];
        Ok(Decision::one(ctx.draft(kind::ENTITY_UNMERGED, data), result.into()))
    }
}
