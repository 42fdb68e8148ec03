#![allow(clippy::all, clippy::pedantic, clippy::restriction)]
fn main() {
    for file in std::env::args().skip(1) {
        let path = std::path::PathBuf::from(&file);
        let text = std::fs::read_to_string(&path).unwrap();
        match throughline::scenario::run(&text, path.parent().unwrap()) {
            Ok(report) => {
                println!("{file}: {} passed, {} failed", report.passed, report.failed.len());
                for why in report.failed { println!("  {}", why.chars().take(1500).collect::<String>()); }
                if let Ok(out) = std::env::var("EXPORT") { std::fs::write(out, report.export).unwrap(); }
            }
            Err(why) => println!("{file}: {why}"),
        }
    }
}
