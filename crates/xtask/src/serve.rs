//! A small HTTP server for `dist/`: for one person at their own machine, standard library only.

mod answer;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::error::{Context as _, Error, Result};
use crate::project::on_path;
use crate::run::Run;

/// The port that is tried first.
pub(crate) const FIRST_PORT: u16 = 8080;
/// How many ports are tried, one after the other.
const PORTS_TRIED: u16 = 50;
/// The longest request head that is read.
const MAX_REQUEST_BYTES: u64 = 16 * 1024;
/// How long a silent connection is kept.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves `folder` on this machine alone until the process is ended.
pub(crate) fn serve(folder: &Path, port: u16, open: bool) -> Result<()> {
    let (listener, port_used) = listen(port)?;
    if port_used != port && port != 0 {
        println!("port {port} is taken: using {port_used}");
    }
    let url = format!("http://127.0.0.1:{port_used}/");
    if open {
        open_page(&url);
    }
    println!("Throughline is at {url}");
    serve_on(&listener, folder.to_path_buf());
    Ok(())
}

/// The first free port at or above `port`; 0 lets the system choose.
fn listen(port: u16) -> Result<(TcpListener, u16)> {
    let last = if port == 0 { 0 } else { port.saturating_add(PORTS_TRIED) };
    for candidate in port..=last {
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, candidate)) {
            let used = listener.local_addr().context("asking for the port")?.port();
            return Ok((listener, used));
        }
    }
    Err(Error::new(format!("no port from {port} to {last} is free on 127.0.0.1: choose another with --port N")))
}

fn serve_on(listener: &TcpListener, folder: PathBuf) {
    let folder = Arc::new(folder);
    for stream in listener.incoming().flatten() {
        let folder = Arc::clone(&folder);
        thread::spawn(move || {
            // A browser that hangs up in the middle is nothing to report.
            let _ = converse(stream, &folder);
        });
    }
}

/// Answers the requests of one connection, one after the other.
fn converse(stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        let mut limited = reader.by_ref().take(MAX_REQUEST_BYTES);
        loop {
            let before = head.len();
            if limited.read_line(&mut head)? == 0 {
                return Ok(());
            }
            if matches!(head.get(before..), Some("\r\n" | "\n")) {
                break;
            }
        }
        let answer = answer::to(&head, folder);
        writer.write_all(&answer.bytes)?;
        if answer.last {
            return Ok(());
        }
    }
}

fn open_page(url: &str) {
    let opener = on_path(&["xdg-open", "open", "wslview"]);
    let opened = opener.is_some_and(|program| Run::new(program).args([url]).read().is_ok());
    if !opened {
        println!("no program to open a page was found: open the address below yourself");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_gives_way_to_the_next_free_one() {
        let (_first, taken) = listen(0).unwrap();
        let (_second, used) = listen(taken).unwrap();
        assert!(used > taken, "{used} after {taken}");
    }

    #[test]
    fn two_requests_on_one_connection_are_both_answered() {
        let folder = std::env::temp_dir().join(format!("throughline-serve-{}", std::process::id()));
        crate::files::write(&folder.join("index.html"), "<p>hello</p>").unwrap();
        let (listener, port) = listen(0).unwrap();
        let served = folder.clone();
        thread::spawn(move || serve_on(&listener, served));
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let requests =
            "HEAD / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
        stream.write_all(requests.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
        assert_eq!(text.matches("<p>hello</p>").count(), 1, "{text}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
