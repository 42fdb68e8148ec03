//! What an expression sees of the world: values by name, a clock reading and a zone, all handed in.

use throughline_value::{Map, SortedMap, Value, json};

use crate::error::Error;
use crate::time::Zone;

/// Where an expression gets its values from.
pub trait Env {
    /// The value of a name; `None` when there is no such name.
    fn get(&self, name: &str) -> Option<Value>;

    /// The value at a path that starts with a name. The default walks the value that [`Env::get`] gives;
    /// an environment that can look further without building the whole value does so here. `None` means
    /// that nothing is there; the evaluator then asks [`Env::get`] to tell an unknown name from an absent
    /// field.
    fn get_path(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        let value = self.get(name)?;
        if rest.is_empty() { Some(value) } else { value.at(rest).cloned() }
    }

    /// The reading that `now` stands for, in milliseconds since 1970 UTC.
    fn now(&self) -> Option<i64> {
        None
    }

    /// The zone that times without one are read in, and that instants are written in.
    fn zone(&self) -> Option<&Zone> {
        None
    }

    /// The zone of a name that is no written-out offset; `None` when its rules are not at hand.
    fn zone_named(&self, _name: &str) -> Option<Zone> {
        None
    }

    /// Called with every text that had no zone and was read in [`Env::zone`], so that it can be flagged.
    fn zone_assumed(&self, _text: &str) {}
}

/// An environment of named values.
///
/// ```
/// use throughline_expr::{Expr, MapEnv};
/// let env = MapEnv::new().with("budget", 800).with("price", 750).at(1_772_326_800_000);
/// assert!(Expr::parse("price <= budget and now > instant(\"2026-01-01T00:00:00Z\")")?.test(&env)?);
/// # Ok::<(), throughline_expr::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MapEnv {
    values: SortedMap<String, Value>,
    now: Option<i64>,
    zone: Option<Zone>,
}

impl MapEnv {
    /// An environment without values, clock and zone.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same environment with one more value.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set(name, value);
        self
    }

    /// The same environment with one more value, read from JSON text.
    ///
    /// # Errors
    /// `bad-argument` when the text is not JSON.
    pub fn with_json(self, name: impl Into<String>, text: &str) -> Result<Self, Error> {
        let value = json::read_value(text).map_err(|error| crate::error::bad_argument(error.to_string()))?;
        Ok(self.with(name, value))
    }

    /// The same environment at a clock reading in milliseconds.
    #[must_use]
    pub fn at(mut self, now_ms: i64) -> Self {
        self.now = Some(now_ms);
        self
    }

    /// The same environment in a zone.
    #[must_use]
    pub fn in_zone(mut self, zone: Zone) -> Self {
        self.zone = Some(zone);
        self
    }

    /// Sets one value.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.values.insert(name.into(), value.into());
    }
}

impl Env for MapEnv {
    fn get(&self, name: &str) -> Option<Value> {
        self.values.get(name).cloned()
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        self.values.get(*name)?.at(rest).cloned()
    }

    fn now(&self) -> Option<i64> {
        self.now
    }

    fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }
}

/// The entries of a map are the names; there is no clock and no zone.
impl Env for Map {
    fn get(&self, name: &str) -> Option<Value> {
        Map::get(self, name).cloned()
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        Map::get(self, name)?.at(rest).cloned()
    }
}

/// Values laid over another environment: a name of `top` hides the same name below; `now` and the zone
/// are those of `top` where it has them.
///
/// ```
/// use throughline_expr::{Expr, MapEnv, Overlay};
/// let below = MapEnv::new().with("a", 1).with("b", 2).at(0);
/// let top = MapEnv::new().with("b", 3);
/// let env = Overlay::new(&top, &below);
/// assert!(Expr::parse("a + b == 4 and now == instant(0)")?.test(&env)?);
/// # Ok::<(), throughline_expr::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Overlay<'a> {
    top: &'a dyn Env,
    below: &'a dyn Env,
}

impl<'a> Overlay<'a> {
    /// `top` over `below`.
    #[must_use]
    pub fn new(top: &'a dyn Env, below: &'a dyn Env) -> Self {
        Self { top, below }
    }
}

impl Env for Overlay<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        self.top.get(name).or_else(|| self.below.get(name))
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        match self.top.get_path(path) {
            Some(value) => Some(value),
            // A name that is known above hides everything below, also where the path leads nowhere.
            None if self.top.get(path.first()?).is_some() => None,
            None => self.below.get_path(path),
        }
    }

    fn now(&self) -> Option<i64> {
        self.top.now().or_else(|| self.below.now())
    }

    fn zone(&self) -> Option<&Zone> {
        self.top.zone().or_else(|| self.below.zone())
    }

    fn zone_named(&self, name: &str) -> Option<Zone> {
        self.top.zone_named(name).or_else(|| self.below.zone_named(name))
    }

    fn zone_assumed(&self, text: &str) {
        self.top.zone_assumed(text);
        self.below.zone_assumed(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expr;

    #[test]
    fn a_name_above_hides_the_same_name_below_with_all_its_fields() {
        let below = MapEnv::new().with_json("a", r#"{"x": 1, "y": 2}"#).unwrap().with("b", 5).at(7);
        let top = MapEnv::new().with_json("a", r#"{"x": 10}"#).unwrap();
        let env = Overlay::new(&top, &below);
        let eval = |source: &str| Expr::parse(source).unwrap().eval(&env).unwrap().to_json();
        assert_eq!(eval("[a.x, a.y, b]"), "[10,null,5]");
        assert_eq!(env.now(), Some(7));
        assert_eq!(env.get_path(&["a", "y"]), None);
    }

    #[test]
    fn a_map_is_an_environment_of_its_entries() {
        let value = json::read_value(r#"{"订单": {"状态": "已签收"}}"#).unwrap();
        let map = value.as_map().unwrap();
        assert!(Expr::parse("订单.状态 == '已签收'").unwrap().test(map).unwrap());
    }
}
