//! Reads the few `data-trunk` links of `index.html`, so that the same page is built by us and by Trunk.

use std::path::{Path, PathBuf};

use super::file_name;

/// One thing that the page asks the build for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asset {
    /// `rel="css"` or `rel="copy-file"`: one file, at `to` in `dist/`.
    File { from: PathBuf, to: PathBuf },
    /// `rel="copy-dir"`: a folder with all that is in it.
    Folder { from: PathBuf, to: PathBuf },
}

/// The page as it is served, and what has to lie beside it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) html: String,
    pub(super) assets: Vec<Asset>,
}

/// Takes the `<link data-trunk …>` tags out of `source`; style sheets stay as ordinary links.
pub(super) fn read(source: &str) -> Result<Page, String> {
    let mut page = Page::default();
    let mut rest = source;
    while let Some((before, tag, after)) = next_link(rest)? {
        page.html.push_str(before);
        if has_word(tag, "data-trunk") {
            page.html.push_str(&page_asset(tag, &mut page.assets)?);
        } else {
            page.html.push_str(tag);
        }
        rest = after;
    }
    page.html.push_str(rest);
    Ok(page)
}

/// Splits at the next `<link …>` outside of comments.
fn next_link(text: &str) -> Result<Option<(&str, &str, &str)>, String> {
    let mut from = 0;
    loop {
        let Some(tail) = text.get(from..) else { return Ok(None) };
        let Some(link) = tail.find("<link") else { return Ok(None) };
        if let Some(comment) = tail.find("<!--").filter(|at| *at < link) {
            let end =
                tail.get(comment..).and_then(|t| t.find("-->")).ok_or("index.html has a comment without an end")?;
            from += comment + end;
            continue;
        }
        let start = from + link;
        let end =
            text.get(start..).and_then(|t| t.find('>')).ok_or("index.html has a <link without its >")? + start + 1;
        let (before, tail) = text.split_at(start);
        let (tag, after) = tail.split_at(end - start);
        return Ok(Some((before, tag, after)));
    }
}

/// What stands in the built page in place of one `data-trunk` link.
fn page_asset(tag: &str, assets: &mut Vec<Asset>) -> Result<String, String> {
    let rel = attribute(tag, "rel").ok_or_else(|| format!("index.html: a data-trunk link without rel: {tag}"))?;
    let href = attribute(tag, "href").ok_or_else(|| format!("index.html: a data-trunk link without href: {tag}"))?;
    let below = attribute(tag, "data-target-path").map_or_else(PathBuf::new, PathBuf::from);
    let from = PathBuf::from(href);
    match rel {
        // The inspector's wasm is built by cargo; the tag is for Trunk alone.
        "rust" => Ok(String::new()),
        "css" => {
            let to = below.join(file_name(href));
            let link = format!("<link rel=\"stylesheet\" href=\"./{}\" />", to.display());
            assets.push(Asset::File { from, to });
            Ok(link)
        }
        "copy-file" => {
            assets.push(Asset::File { from, to: below.join(file_name(href)) });
            Ok(String::new())
        }
        "copy-dir" => {
            let to = if below == Path::new("") { file_name(href).to_path_buf() } else { below };
            assets.push(Asset::Folder { from, to });
            Ok(String::new())
        }
        other => {
            Err(format!("index.html: rel=\"{other}\" is not known here; known are rust, css, copy-file and copy-dir"))
        }
    }
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

fn has_word(tag: &str, word: &str) -> bool {
    tag.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/' | '=')).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trunk_links_become_assets_and_other_links_stay() {
        let page = read(
            r#"<head><!-- <link data-trunk rel="odd"> --><link rel="icon" href="x.svg"/>
<link data-trunk rel="rust" href="web/inspector/Cargo.toml" data-bin="x" />
<link data-trunk rel="css" href="web/inspector/style.css" />
<link data-trunk rel="copy-file" href="web/inspector/boot.js" />
<link data-trunk rel="copy-dir" href="web/demos" />
<link data-trunk rel="copy-dir" href="web/npm/dist" data-target-path="throughline" /></head>"#,
        )
        .unwrap();
        let file = |from: &str, to: &str| Asset::File { from: from.into(), to: to.into() };
        let folder = |from: &str, to: &str| Asset::Folder { from: from.into(), to: to.into() };
        assert_eq!(
            page.assets,
            [
                file("web/inspector/style.css", "style.css"),
                file("web/inspector/boot.js", "boot.js"),
                folder("web/demos", "demos"),
                folder("web/npm/dist", "throughline"),
            ]
        );
        assert!(page.html.contains(r#"<link rel="stylesheet" href="./style.css" />"#));
        assert!(page.html.contains(r#"<link rel="icon" href="x.svg"/>"#));
        assert_eq!(page.html.matches("data-trunk").count(), 1, "only the one in the comment: {}", page.html);
    }

    #[test]
    fn a_link_that_the_build_does_not_know_is_refused_by_name() {
        let error = read(r#"<link data-trunk rel="sass" href="a.scss" />"#).unwrap_err();
        assert!(error.contains("sass"), "{error}");
        let error = read(r#"<link data-trunk rel="css" />"#).unwrap_err();
        assert!(error.contains("without href"), "{error}");
    }
}
