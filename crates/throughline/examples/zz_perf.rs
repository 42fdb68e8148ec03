#![allow(clippy::all, clippy::pedantic, clippy::restriction)]
use std::time::Instant;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/demos").join(std::env::args().nth(2).unwrap());
    let read = |f: &str| std::fs::read_to_string(root.join(f)).unwrap();
    let demo = throughline_value::json::read_value(&read("demo.json")).unwrap();
    let mut s = throughline::Local::new("perf", 1772675400000);
    s.load_cassette(&read("cassette.jsonl")).unwrap();
    let domain = throughline_value::json::read_value(&read("domain.json")).unwrap().to_json();
    s.execute(&format!("{{\"type\":\"load_domain\",\"domain\":{domain}}}")).unwrap();
    for d in demo.get("documents").unwrap().as_list().unwrap() {
        let t = throughline_value::Value::from(read(d.get("file").unwrap().as_str().unwrap()));
        s.execute(&format!("{{\"type\":\"add_document\",\"name\":{},\"media_type\":{},\"text\":{}}}", d.get("name").unwrap().to_json(), d.get("media_type").unwrap().to_json(), t.to_json())).unwrap();
    }
    for c in demo.get("setup").unwrap().as_list().unwrap() { s.execute(&c.to_json()).unwrap(); }
    let qs: Vec<String> = demo.at(&["questions", "en"]).unwrap().as_list().unwrap().iter().map(|q| q.as_str().unwrap().to_owned()).collect();
    let block = n / 8;
    for b in 0..8 {
        let t = Instant::now();
        for i in 0..block {
            let q = &qs[if qs.len() > 9 { 3 + (b * block + i) % 6 } else { 0 }];
            s.execute(&format!("{{\"type\":\"begin_turn\",\"text\":{}}}", throughline_value::Value::from(q.as_str()).to_json())).unwrap();
        }
        println!("turns {}..: {:.3} ms a turn", b * block, t.elapsed().as_secs_f64() * 1000.0 / block as f64);
    }
}
