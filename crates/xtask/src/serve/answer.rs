//! From a request's head to the bytes of its answer.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// What is sent back.
#[derive(Debug)]
pub(super) struct Answer {
    /// Head and body.
    pub(super) bytes: Vec<u8>,
    /// Whether the connection ends with it.
    pub(super) last: bool,
}

/// Answers one request from the files of `folder`.
pub(super) fn to(head: &str, folder: &Path) -> Answer {
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target, version) =
        (words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let header = |name: &str| {
        head.lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().to_ascii_lowercase())
    };
    // A request with a body would leave the body on the wire: end the connection after it.
    let has_body =
        header("content-length").is_some_and(|length| length != "0") || header("transfer-encoding").is_some();
    let last = version != "HTTP/1.1" || has_body || header("connection").is_some_and(|value| value == "close");
    let (status, kind, body) = match method {
        // A page elsewhere that points its own name at this machine gets nothing.
        _ if !header("host").is_none_or(|host| is_local(&host)) => {
            text("403 Forbidden", "only requests for this machine are answered")
        }
        "GET" | "HEAD" => match file_for(target, folder) {
            Some(file) => match fs::read(&file) {
                Ok(bytes) => ("200 OK", media_type(&file), bytes),
                Err(_) => text("404 Not Found", "there is no such file"),
            },
            None => text("400 Bad Request", "this path leads out of the served folder"),
        },
        _ => text("405 Method Not Allowed", "only GET and HEAD are answered"),
    };
    let connection = if last { "close" } else { "keep-alive" };
    let mut bytes = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nConnection: {connection}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    if method != "HEAD" {
        bytes.extend(body);
    }
    Answer { bytes, last }
}

fn text(status: &'static str, words: &str) -> (&'static str, &'static str, Vec<u8>) {
    (status, "text/plain; charset=utf-8", format!("{words}\n").into_bytes())
}

fn is_local(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost")
}

/// The file that a request's target names, or nothing when it points outside of `folder`.
fn file_for(target: &str, folder: &Path) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let decoded = decode(path)?;
    let below = Path::new(decoded.strip_prefix('/')?);
    if decoded.contains(['\\', '\0']) || !below.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = folder.join(below);
    Some(if file.is_dir() { file.join("index.html") } else { file })
}

/// Undoes `%xx`; nothing when the result is not text.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let value = digit(rest.next())? * 16 + digit(rest.next())?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|ext| ext.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "csv" | "ts" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served() -> PathBuf {
        let base = std::env::temp_dir().join(format!(
            "throughline-answer-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        crate::files::write(&base.join("secret.txt"), "secret").unwrap();
        crate::files::write(&base.join("dist/index.html"), "page").unwrap();
        crate::files::write(&base.join("dist/a b/inspector_bg.wasm"), "wasm").unwrap();
        base.join("dist")
    }

    fn check(request: &str, status: &str, contains: &str) {
        let folder = served();
        let answer = String::from_utf8(to(request, &folder).bytes).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request:?} gave {answer}");
        assert!(answer.contains(contains), "{request:?} gave {answer}");
        assert!(!answer.contains("secret"), "{request:?} gave {answer}");
        std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    #[test]
    fn files_come_with_their_media_type_and_nothing_is_cached() {
        check("GET / HTTP/1.1\r\n\r\n", "200", "text/html");
        check("GET /?x=1 HTTP/1.1\r\n\r\n", "200", "\r\n\r\npage");
        check("GET /a%20b/inspector_bg.wasm HTTP/1.1\r\n\r\n", "200", "Content-Type: application/wasm");
        check("GET / HTTP/1.1\r\n\r\n", "200", "Cache-Control: no-cache");
        check("GET /missing.js HTTP/1.1\r\n\r\n", "404", "text/plain");
    }

    #[test]
    fn a_head_request_gets_the_length_but_no_body() {
        check("HEAD / HTTP/1.1\r\n\r\n", "200", "Content-Length: 4");
        let folder = served();
        let answer = String::from_utf8(to("HEAD / HTTP/1.1\r\n\r\n", &folder).bytes).unwrap();
        assert!(answer.ends_with("\r\n\r\n"), "{answer}");
        std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_path_out_of_the_folder_is_refused_however_it_is_spelled() {
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/a/../../secret.txt",
            "/..%2fsecret.txt",
            "//etc/passwd",
            "/..\\secret.txt",
            "/%zz",
            "secret",
        ] {
            check(&format!("GET {path} HTTP/1.1\r\n\r\n"), "400", "text/plain");
        }
    }

    #[test]
    fn other_methods_and_foreign_host_names_are_refused() {
        check("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n", "405", "Connection: close");
        check("GET / HTTP/1.1\r\nHost: evil.example:8080\r\n\r\n", "403", "this machine");
        check("GET / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n", "200", "keep-alive");
    }
}
