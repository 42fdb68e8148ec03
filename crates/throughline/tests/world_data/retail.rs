//! An order system: its tools as actions of one domain document, with what they refuse as constraints. Every gold
//! sequence of actions ends in the gold entities; every refused action says why and leaves everything as it was; the
//! value of any attribute at any instant is what its event log says.

use std::collections::BTreeSet;

use throughline::protocol::{Meta, Time};
use throughline::value::{Value, json};

use super::shared::{Session, file, list, map, part, rows, text};

/// The tools. `o` stands for the order that a proposal names, `p` for the payment method, `old(i)` and `new(i)` for
/// the items that change places; they are written out below, because expressions have no names of their own.
const DOMAIN: &str = r#"{
  "name": "retail",
  "entity_types": {
    "order": {"fields": {"order_id": {"type": "text"}, "user_id": {"type": "text"}, "address": {}, "items": {"type": "list"},
      "fulfillments": {"type": "list"}, "status": {"type": "text"}, "payment_history": {"type": "list"},
      "cancel_reason": {"type": "text"}, "return_items": {"type": "list"}, "return_payment_method_id": {"type": "text"},
      "exchange_items": {"type": "list"}, "exchange_new_items": {"type": "list"},
      "exchange_payment_method_id": {"type": "text"}, "exchange_price_difference": {"type": "decimal"}}},
    "user": {"fields": {"name": {}, "address": {}, "email": {"type": "text"}, "orders": {"type": "list"}}},
    "payment": {"fields": {"id": {"type": "text"}, "source": {"type": "text"}, "brand": {"type": "text"},
      "last_four": {"type": "text"}, "balance": {"type": "decimal"}}},
    "variant": {"fields": {"item_id": {"type": "text"}, "product_id": {"type": "text"}, "options": {}, "available": {"type": "boolean"},
      "price": {"type": "decimal"}}}
  },
  "constraints": [
    {"name": "order", "actions": ["cancel_pending_order", "return_delivered_order_items", "exchange_delivered_order_items",
      "modify_pending_order_items", "modify_pending_order_payment", "modify_pending_order_address"],
      "rule": "exists(o.status)", "message": "order not found"},
    {"name": "user", "actions": ["modify_user_address"], "rule": "exists(user[proposal.user_id].email)", "message": "user not found"},
    {"name": "cancel", "actions": ["cancel_pending_order"], "rule": "o.status == \"pending\"", "message": "non-pending order cannot be cancelled"},
    {"name": "return", "actions": ["return_delivered_order_items"], "rule": "o.status == \"delivered\"", "message": "non-delivered order cannot be returned"},
    {"name": "exchange", "actions": ["exchange_delivered_order_items"], "rule": "o.status == \"delivered\"", "message": "non-delivered order cannot be exchanged"},
    {"name": "modify", "actions": ["modify_pending_order_items", "modify_pending_order_payment"],
      "rule": "o.status == \"pending\"", "message": "non-pending order cannot be modified"},
    {"name": "modify address", "actions": ["modify_pending_order_address"],
      "rule": "starts_with(o.status, \"pending\")", "message": "non-pending order cannot be modified"},
    {"name": "reason", "actions": ["cancel_pending_order"], "rule": "proposal.reason in [\"no longer needed\", \"ordered by mistake\"]", "message": "invalid reason"},
    {"name": "payment method", "actions": ["return_delivered_order_items", "exchange_delivered_order_items", "modify_pending_order_items", "modify_pending_order_payment"],
      "rule": "exists(p.source)", "message": "payment method not found"},
    {"name": "refund to", "actions": ["return_delivered_order_items"],
      "rule": "p.source == \"gift_card\" or o.payment_history[0].payment_method_id == proposal.payment_method_id",
      "message": "payment method should be either the original payment method or a gift card"},
    {"name": "items", "actions": ["return_delivered_order_items", "exchange_delivered_order_items", "modify_pending_order_items"],
      "rule": "all(proposal.item_ids, id => count(proposal.item_ids, x => x == id) <= count(o.items, x => x.item_id == id))", "message": "some item not found"},
    {"name": "as many", "actions": ["exchange_delivered_order_items", "modify_pending_order_items"],
      "rule": "len(proposal.item_ids) == len(proposal.new_item_ids)", "message": "the number of items to be exchanged should match"},
    {"name": "new items", "actions": ["exchange_delivered_order_items", "modify_pending_order_items"],
      "rule": "all(range(len(proposal.item_ids)), i => new(i).available == true and new(i).product_id == old(i).product_id)", "message": "new item not found or available"},
    {"name": "difference", "actions": ["exchange_delivered_order_items"],
      "rule": "p.source != \"gift_card\" or p.balance >= sum(map(range(len(proposal.item_ids)), i => new(i).price - old(i).price))",
      "message": "insufficient gift card balance to pay for the price difference"},
    {"name": "new price", "actions": ["modify_pending_order_items"],
      "rule": "p.source != \"gift_card\" or p.balance >= sum(map(range(len(proposal.item_ids)), i => new(i).price - old(i).price))",
      "message": "insufficient gift card balance to pay for the new item"},
    {"name": "one payment", "actions": ["modify_pending_order_payment"],
      "rule": "len(o.payment_history) == 1 and o.payment_history[0].transaction_type == \"payment\"",
      "message": "there should be exactly one payment for a pending order"},
    {"name": "another method", "actions": ["modify_pending_order_payment"],
      "rule": "o.payment_history[0].payment_method_id != proposal.payment_method_id", "message": "the new payment method should be different from the current one"},
    {"name": "balance", "actions": ["modify_pending_order_payment"],
      "rule": "p.source != \"gift_card\" or p.balance >= o.payment_history[0].amount", "message": "insufficient gift card balance to pay for the order"}
  ],
  "actions": {
    "cancel_pending_order": {"commands": [{"type": "batch", "commands": [
      {"type": "update_entity", "entity": "=first_payment", "fields": {"balance": "=paid_by.source == \"gift_card\" ? paid_by.balance + o.payment_history[0].amount : null"}},
      {"type": "update_entity", "entity": "=args.order_id", "fields": {"status": "cancelled", "cancel_reason": "=args.reason",
        "payment_history": "=concat(o.payment_history, map(o.payment_history, x => {transaction_type: \"refund\", amount: x.amount, payment_method_id: x.payment_method_id}))"}}]}]},
    "return_delivered_order_items": {"commands": [
      {"type": "update_entity", "entity": "=args.order_id", "fields": {"status": "return requested", "return_items": "=sort(args.item_ids)",
        "return_payment_method_id": "=args.payment_method_id"}}]},
    "exchange_delivered_order_items": {"commands": [
      {"type": "update_entity", "entity": "=args.order_id", "fields": {"status": "exchange requested", "exchange_items": "=sort(args.item_ids)",
        "exchange_new_items": "=sort(args.new_item_ids)", "exchange_payment_method_id": "=args.payment_method_id",
        "exchange_price_difference": "=sum(map(range(len(args.item_ids)), i => new(i).price - old(i).price))"}}]},
    "modify_pending_order_items": {"commands": [{"type": "batch", "commands": [
      {"type": "update_entity", "entity": "=o.user_id ~ \"/\" ~ args.payment_method_id",
        "fields": {"balance": "=p.source == \"gift_card\" ? p.balance - sum(map(range(len(args.item_ids)), i => new(i).price - old(i).price)) : null"}},
      {"type": "update_entity", "entity": "=args.order_id", "fields": {"status": "pending (item modified)",
        "payment_history": "=concat(o.payment_history, [sum(map(range(len(args.item_ids)), i => new(i).price - old(i).price))] | map(d => {transaction_type: d > 0 ? \"payment\" : \"refund\", amount: abs(d), payment_method_id: args.payment_method_id}))",
        "items": "=map(o.items, x => (x.item_id in args.item_ids) ? merge(x, [variant[args.new_item_ids[first(range(len(args.item_ids)), i => args.item_ids[i] == x.item_id)]]] | map(v => {item_id: v.item_id, price: v.price, options: v.options}) | first) : x)"}}]}]},
    "modify_pending_order_payment": {"commands": [{"type": "batch", "commands": [
      {"type": "update_entity", "entity": "=first_payment", "fields": {"balance": "=paid_by.source == \"gift_card\" ? paid_by.balance + o.payment_history[0].amount : null"}},
      {"type": "update_entity", "entity": "=o.user_id ~ \"/\" ~ args.payment_method_id",
        "fields": {"balance": "=p.source == \"gift_card\" ? p.balance - o.payment_history[0].amount : null"}},
      {"type": "update_entity", "entity": "=args.order_id", "fields": {"payment_history": "=concat(o.payment_history, [
        {transaction_type: \"payment\", amount: o.payment_history[0].amount, payment_method_id: args.payment_method_id},
        {transaction_type: \"refund\", amount: o.payment_history[0].amount, payment_method_id: o.payment_history[0].payment_method_id}])"}}]}]},
    "modify_pending_order_address": {"commands": [
      {"type": "update_entity", "entity": "=args.order_id", "fields": {"address": "=ADDRESS"}}]},
    "modify_user_address": {"commands": [
      {"type": "update_entity", "entity": "=args.user_id", "fields": {"address": "=ADDRESS"}}]}
  }
}"#;

/// Writes the short names of [`DOMAIN`] out.
fn written_out(text: &str, args: &str) -> String {
    let order = format!("order[{args}.order_id]");
    text.replace("first_payment", "o.user_id ~ \"/\" ~ o.payment_history[0].payment_method_id")
        .replace("paid_by.", "payment[o.user_id ~ \"/\" ~ o.payment_history[0].payment_method_id].")
        .replace("ADDRESS", "{address1: args.address1, address2: args.address2, city: args.city, country: args.country, state: args.state, zip: args.zip}")
        .replace("new(i)", &format!("variant[{args}.new_item_ids[i]]"))
        .replace("old(i)", &format!("first(o.items, x => x.item_id == {args}.item_ids[i])"))
        .split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .map(|word| {
            let p = format!("payment[{order}.user_id ~ \"/\" ~ {args}.payment_method_id].");
            if let Some(rest) = word.strip_prefix("o.") {
                format!("{order}.{rest}")
            } else if let Some(rest) = word.strip_prefix("p.") {
                format!("{p}{rest}")
            } else {
                word.to_owned()
            }
        })
        .collect()
}

fn written(value: &Value, args: &str) -> Value {
    match value {
        Value::Text(text) if args == "proposal" || text.starts_with('=') => written_out(text, args).into(),
        Value::List(items) => Value::List(items.iter().map(|item| written(item, args)).collect()),
        Value::Map(pairs) => map(pairs.iter().map(|(k, v)| (k.clone(), written(v, args)))),
        other => other.clone(),
    }
}

fn document() -> Value {
    let document = json::read_value(&DOMAIN.replace('\n', " ")).unwrap();
    map(document.as_map().unwrap().iter().map(|(name, part)| {
        let part = match name.as_str() {
            "constraints" => Value::List(
                list(part)
                    .iter()
                    .map(|rule| {
                        let fields = rule.as_map().unwrap().iter();
                        map(fields
                            .map(|(k, v)| (k.clone(), if k == "rule" { written(v, "proposal") } else { v.clone() })))
                    })
                    .collect(),
            ),
            "actions" => written(part, "args"),
            _ => part.clone(),
        };
        (name.clone(), part)
    }))
}

fn register(entity_type: &str, raw_id: &str, fields: Value) -> Value {
    Value::from([
        ("type", Value::from("register_entity")),
        ("entity_type", entity_type.into()),
        ("raw_id", raw_id.into()),
        ("fields", fields),
    ])
}

/// Only these names of a map.
fn only(value: &Value, names: &[&str]) -> Value {
    map(names.iter().filter_map(|name| Some(((*name).to_owned(), value.get(name)?.clone()))))
}

/// A session that knows what the actions are about: the orders, whose they are, and what they can become.
fn session(db: &Value, orders: &BTreeSet<String>, users: &BTreeSet<String>) -> Session {
    let mut session = Session::new(document());
    let mut commands = Vec::new();
    let mut users = users.clone();
    let mut products = BTreeSet::new();
    for id in orders {
        let Some(order) = db.at(&["orders", id]) else { continue };
        users.insert(text(order, "user_id").to_owned());
        products.extend(list(part(order, "items")).iter().map(|item| text(item, "product_id").to_owned()));
        commands.push(register("order", id, order.clone()));
    }
    for id in &users {
        let Some(user) = db.at(&["users", id]) else { continue };
        commands.push(register("user", id, only(user, &["name", "address", "email", "orders"])));
        for (method, fields) in part(user, "payment_methods").as_map().unwrap() {
            commands.push(register("payment", &format!("{id}/{method}"), fields.clone()));
        }
    }
    for id in &products {
        let product = db.at(&["products", id]).unwrap();
        for (item, variant) in part(product, "variants").as_map().unwrap() {
            let mut fields = variant.as_map().unwrap().clone();
            fields.insert("product_id".to_owned(), id.as_str().into());
            commands.push(register("variant", item, Value::Map(fields)));
        }
    }
    session.run(&Value::from([("type", Value::from("batch")), ("commands", Value::List(commands))])).unwrap();
    session
}

/// The same values; numbers to the cent, since the data was made with binary fractions.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => (a.to_f64() - b.to_f64()).abs() < 0.001,
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name.as_str()).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn entity(session: &Session, id: &str) -> Value {
    part(&session.ask(&Value::from([("type", "entity"), ("entity", id)]).to_json()), "entity").clone()
}

fn versions(session: &Session) -> Vec<(String, String)> {
    let entities = session.ask(r#"{"type":"entities"}"#);
    list(&entities).iter().map(|e| (text(e, "id").to_owned(), part(e, "version").to_json())).collect()
}

/// Takes one action as the data has it; checks the refusal against the data's own.
fn take(session: &mut Session, action: &Value, what: &str) {
    let name = text(action, "action");
    let before = (session.content(), versions(session));
    let outcome = session.propose(name, part(action, "args").clone());
    let refused = *part(action, "is_error") == Value::Bool(true);
    match outcome {
        Ok(done) => {
            assert!(!refused, "{what} {name}: {}", text(action, "observation"));
            assert_eq!(list(part(&done, "refused")).len(), 0, "{what} {name}: {}", done.to_json());
        }
        Err(refusal) => {
            assert!(refused, "{what} {name}: {refusal}");
            let said = text(action, "observation").trim_start_matches("Error: ");
            // The data names the item; the constraint says what is wrong with it.
            let said = said.split(' ').filter(|word| word.parse::<u64>().is_err()).collect::<Vec<_>>().join(" ");
            assert!(
                refusal.message.contains(&said) || refusal.details.to_json().contains(&said),
                "{what}: {refusal} / {said}"
            );
            assert_eq!((session.content(), versions(session)), before, "{what}: a refused action changes nothing");
        }
    }
}

fn named(action: &Value, name: &str) -> Option<String> {
    action.at(&["args", name]).and_then(Value::as_str).map(str::to_owned)
}

#[test]
fn every_gold_sequence_of_actions_ends_in_the_gold_entities() {
    let folder = "w_world_model/tau_retail";
    let Some(db) = file(&format!("{folder}/initial_db.json")) else { return };
    let (db, tasks) = (json::read_value(&db).unwrap(), rows(&format!("{folder}/gold_transitions.jsonl")).unwrap());
    let (mut actions, mut compared) = (0, 0);
    for task in &tasks {
        let what = format!("task {}", part(task, "task_id").to_json());
        let steps = list(part(task, "steps"));
        let orders = steps.iter().filter_map(|step| named(step, "order_id")).collect();
        let users = [text(task, "user_id").to_owned()].into();
        let mut session = session(&db, &orders, &users);
        for step in steps {
            take(&mut session, step, &what);
            actions += 1;
        }
        let end = part(task, "final_entities");
        for (id, gold) in end.get("orders").and_then(Value::as_map).into_iter().flatten() {
            let found = entity(&session, id);
            assert!(
                same(part(&found, "fields"), gold),
                "{what} {id}: {} / {}",
                part(&found, "fields").to_json(),
                gold.to_json()
            );
            compared += 1;
        }
        for (id, gold) in end.get("users").and_then(Value::as_map).into_iter().flatten() {
            let found = entity(&session, id);
            let names = ["name", "address", "email", "orders"];
            assert!(same(part(&found, "fields"), &only(gold, &names)), "{what} {id}");
            for (method, gold) in part(gold, "payment_methods").as_map().unwrap() {
                let found = entity(&session, &format!("{id}/{method}"));
                assert!(
                    same(part(&found, "fields"), gold),
                    "{what} {id}/{method}: {} / {}",
                    part(&found, "fields").to_json(),
                    gold.to_json()
                );
            }
            compared += 1;
        }
    }
    eprintln!("tau_retail: {} tasks, {actions} actions, {compared} entities agree", tasks.len());
}

#[test]
fn every_single_action_is_taken_or_refused_as_the_tools_did_and_a_refused_one_changes_nothing() {
    let folder = "w_world_model/tau_retail";
    let Some(db) = file(&format!("{folder}/initial_db.json")) else { return };
    let (db, actions) = (json::read_value(&db).unwrap(), rows(&format!("{folder}/single_actions.jsonl")).unwrap());
    for (number, action) in actions.iter().enumerate() {
        let orders = named(action, "order_id").into_iter().collect();
        let users = named(action, "user_id").into_iter().collect();
        take(&mut session(&db, &orders, &users), action, &format!("action {number}"));
    }
    eprintln!("tau_retail: {} single actions agree", actions.len());
}

#[test]
fn the_value_of_an_attribute_at_an_instant_is_what_the_event_log_says() {
    let name = "b_event_logs/ocel/tau_retail_derived.ocel2.json";
    let (Some(log), Some(gold)) = (file(name), file(&format!("{name}.gold.json"))) else { return };
    let (log, gold) = (json::read_value(&log).unwrap(), json::read_value(&gold).unwrap());
    let mut session = Session::new(Value::from([("name", "log")]));
    let mut said = Vec::new();
    for object in list(part(&log, "objects")) {
        for attribute in list(part(object, "attributes")) {
            said.push((object, attribute, said.len() as u64));
        }
    }
    // The last one first: the order of arrival is not the order of what happened.
    for (object, attribute, number) in said.into_iter().rev() {
        let fields = map([(text(attribute, "name").to_owned(), part(attribute, "value").clone())]);
        let command = register(text(object, "type"), text(object, "id"), fields);
        let origin = throughline::journal::Origin { source: "log".to_owned(), seq: number };
        let valid_from = Some(Time::Text(text(attribute, "time").to_owned()));
        session.with(&command, Meta { origin: Some(origin), valid_from, ..Meta::default() }).unwrap();
    }
    let values = list(part(&gold, "value_at"));
    for value in values {
        let at = Value::from([("valid_at", text(value, "at"))]);
        let query = [("type", Value::from("entity")), ("entity", text(value, "object").into()), ("at", at)];
        let found = session.ask(&Value::from(query).to_json());
        let found = found.at(&["entity", "fields", text(value, "attribute")]).cloned().unwrap_or_default();
        assert!(same(&found, part(value, "value")), "{}: {}", value.to_json(), found.to_json());
    }
    eprintln!("ocel: {} values at an instant agree", values.len());
}
