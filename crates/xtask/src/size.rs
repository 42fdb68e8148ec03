//! What a page has to load, against the budgets of the design.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::build;
use crate::dist;
use crate::error::{Context as _, Error, Result};
use crate::files::walk;
use crate::project::Project;
use crate::run::Run;

/// Bytes of the engine's wasm as it lies on a server.
const ENGINE_RAW: u64 = 1_600_000;
/// Bytes of the engine's wasm as brotli sends it.
const ENGINE_BROTLI: u64 = 450_000;
/// Bytes of the inspector without the engine, as brotli sends them.
const INSPECTOR_BROTLI: u64 = 250_000;
/// Bytes of everything that the page loads at first, as brotli sends them.
const FIRST_LOAD_BROTLI: u64 = 700_000;
/// Bytes of the npm package once it is unpacked.
const PACKAGE_UNPACKED: u64 = 2_500_000;
/// Wasm files in the npm package.
const PACKAGE_WASM_FILES: u64 = 1;

/// Where four figures stand that are over their budget: nothing may grow beyond these unnoticed, and whoever
/// raises one says why. ARCHITECTURE.md says what was tried and what is next.
const ENGINE_RAW_HELD: u64 = 3_790_000;
/// As [`ENGINE_RAW_HELD`], for the engine as brotli sends it.
const ENGINE_BROTLI_HELD: u64 = 1_200_000;
/// As [`ENGINE_RAW_HELD`], for everything that the page loads at first.
const FIRST_LOAD_BROTLI_HELD: u64 = 1_495_000;
/// As [`ENGINE_RAW_HELD`], for the npm package.
const PACKAGE_UNPACKED_HELD: u64 = 4_360_000;

/// Compresses each file as a web server does. Node.js is here anyway, and its zlib is native:
/// a compressor of our own would cost every fresh clone ten seconds of compiling.
const MEASURE: &str = "
const { gzipSync, brotliCompressSync, constants: c } = require('node:zlib');
const { readFileSync } = require('node:fs');
console.log(JSON.stringify(process.argv.slice(1).map((path) => {
  const bytes = readFileSync(path);
  const params = { [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 22, [c.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes, { params }).length];
})));";

/// Sizes of one file or of several together.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Sizes {
    raw: u64,
    gzip: u64,
    brotli: u64,
}

impl std::iter::Sum for Sizes {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |a, b| Self {
            raw: a.raw + b.raw,
            gzip: a.gzip + b.gzip,
            brotli: a.brotli + b.brotli,
        })
    }
}

/// Where a served file belongs in the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The engine's wasm file.
    Engine,
    /// The page without the npm package.
    Inspector,
    /// The npm package's scripts, which the page loads with the engine.
    Facade,
    /// The inspector's large views, loaded when one of them is shown first.
    Views,
    /// Loaded when somebody asks for it, or never by the page.
    Later,
}

fn part(file: &Path) -> Part {
    let name = file.to_string_lossy().replace('\\', "/");
    let is = |ending: &str| name.ends_with(ending);
    if name.starts_with("demos/")
        || is(".d.ts")
        || is(".map")
        || is(".md")
        || name.starts_with("throughline/cli")
        || is("/node.js")
        || is("/zones.js")
        || is("/tools.js")
        || is("/zones.js")
        || is(".bin")
    {
        Part::Later
    } else if name.starts_with("views") {
        Part::Views
    } else if !name.starts_with("throughline/") {
        Part::Inspector
    } else if is(".wasm") {
        Part::Engine
    } else {
        Part::Facade
    }
}

/// One line of the account that has a limit.
#[derive(Debug)]
struct Budget {
    what: &'static str,
    used: u64,
    limit: u64,
    /// What is held while the limit is not reached; the limit itself where it is.
    held: u64,
}

impl Budget {
    fn new(what: &'static str, used: u64, limit: u64) -> Self {
        Self { what, used, limit, held: limit }
    }

    fn line(&self) -> String {
        let (word, held) = match self.used {
            used if used <= self.limit => ("ok  ", String::new()),
            used if used <= self.held => ("over", format!(", held below {}", self.held)),
            _ => ("OVER", String::new()),
        };
        let percent = self.used.saturating_mul(100) / self.limit.max(1);
        format!("{word} {:<34} {:>10} of {:>10}  ({percent} %{held})", self.what, self.used, self.limit)
    }
}

/// Prints the sizes and fails above a budget.
pub(crate) fn size(project: &Project) -> Result<()> {
    if !build::is_release(project) {
        return Err(Error::new("what is built is not what users get: run `cargo xtask build` first"));
    }
    let served = project.dist();
    let files = walk(&served)?;
    let sizes = measure(&files.iter().map(|file| served.join(file)).collect::<Vec<_>>())?;
    println!("  {:<44} {:>10} {:>10} {:>10}", "file", "raw", "gzip", "brotli");
    let mut of_part = Vec::new();
    for (file, sizes) in files.iter().zip(sizes) {
        let part = part(file);
        if part != Part::Later {
            print_sizes(&file.display().to_string(), sizes);
        }
        of_part.push((part, sizes));
    }
    let sum = |parts: &[Part]| {
        of_part.iter().filter(|(part, _)| parts.contains(part)).map(|(_, sizes)| *sizes).sum::<Sizes>()
    };
    let (engine, inspector) = (sum(&[Part::Engine]), sum(&[Part::Inspector]));
    let first = sum(&[Part::Engine, Part::Inspector, Part::Facade]);
    let sums = [
        ("engine (wasm)", engine),
        ("inspector without the engine", inspector),
        ("first load", first),
        ("large views, loaded when shown", sum(&[Part::Views])),
    ];
    for (what, sizes) in sums {
        print_sizes(what, sizes);
    }
    let (unpacked, wasm_files) = package(project)?;
    let budgets = [
        Budget { held: ENGINE_RAW_HELD, ..Budget::new("engine, raw bytes", engine.raw, ENGINE_RAW) },
        Budget { held: ENGINE_BROTLI_HELD, ..Budget::new("engine, brotli bytes", engine.brotli, ENGINE_BROTLI) },
        Budget::new("inspector, brotli bytes", inspector.brotli, INSPECTOR_BROTLI),
        Budget {
            held: FIRST_LOAD_BROTLI_HELD,
            ..Budget::new("first load, brotli bytes", first.brotli, FIRST_LOAD_BROTLI)
        },
        Budget {
            held: PACKAGE_UNPACKED_HELD,
            ..Budget::new("npm package, unpacked bytes", unpacked, PACKAGE_UNPACKED)
        },
        Budget::new("npm package, wasm files", wasm_files, PACKAGE_WASM_FILES),
    ];
    for budget in &budgets {
        println!("  {}", budget.line());
    }
    verdict(&budgets)
}

fn verdict(budgets: &[Budget]) -> Result<()> {
    let over: Vec<_> = budgets.iter().filter(|budget| budget.used > budget.held).map(|budget| budget.what).collect();
    if over.is_empty() { Ok(()) } else { Err(Error::new(format!("over budget: {}", over.join("; ")))) }
}

fn print_sizes(what: &str, sizes: Sizes) {
    println!("  {what:<44} {:>10} {:>10} {:>10}", sizes.raw, sizes.gzip, sizes.brotli);
}

fn measure(files: &[PathBuf]) -> Result<Vec<Sizes>> {
    let text = Run::new("node").args(["--eval", MEASURE, "--"]).args(files).read().context("measuring with Node.js")?;
    let numbers: Vec<[u64; 3]> = serde_json::from_str(&text).context("measuring with Node.js")?;
    Ok(numbers.into_iter().map(|[raw, gzip, brotli]| Sizes { raw, gzip, brotli }).collect())
}

/// Unpacked bytes and number of wasm files of the npm package.
fn package(project: &Project) -> Result<(u64, u64)> {
    let described = dist::describe(project, &["--dry-run"])?;
    let unpacked =
        described.get("unpackedSize").and_then(Value::as_u64).context("npm pack did not say the unpacked size")?;
    let files = described.get("files").and_then(Value::as_array).context("npm pack listed no files")?;
    let wasm = files
        .iter()
        .filter(|file| file.get("path").and_then(Value::as_str).is_some_and(|path| path.ends_with(".wasm")))
        .count();
    Ok((unpacked, u64::try_from(wasm).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_served_file_has_its_place_in_the_account() {
        let check = |file: &str, expected: Part| assert_eq!(part(Path::new(file)), expected, "{file}");
        check("index.html", Part::Inspector);
        check("inspector_bg.wasm", Part::Inspector);
        check("throughline/pkg/throughline_wasm_bg.wasm", Part::Engine);
        check("throughline/index.js", Part::Facade);
        check("views_bg.wasm", Part::Views);
        check("throughline/index.d.ts", Part::Later);
        check("throughline/node.js", Part::Later);
        check("throughline/zones.js", Part::Later);
        check("throughline/zones.js", Part::Later);
        check("demos/courier/domain.json", Part::Later);
    }

    #[test]
    fn one_byte_over_a_budget_fails_and_names_it() {
        let budgets = |used| [Budget::new("engine", used, 10), Budget::new("page", 1, 10)];
        assert!(verdict(&budgets(10)).is_ok());
        let error = verdict(&budgets(11)).unwrap_err().to_string();
        assert!(error.contains("engine") && !error.contains("page"), "{error}");
        let held = |used| [Budget { held: 12, ..Budget::new("engine", used, 10) }];
        assert!(verdict(&held(12)).is_ok() && verdict(&held(13)).is_err());
        assert!(held(12)[0].line().starts_with("over"), "what is over its budget says so");
    }
}
