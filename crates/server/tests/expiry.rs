//! Documents whose time has come are deleted also by a service that is written all the time.

#![allow(clippy::unwrap_used)]

use lookalike::IndexWriter;
use lookalike::index::IndexSettings;
use lookalike_server::{ServeEvent, ServeOptions, serve};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The status of an answer.
fn ask(address: SocketAddr, method: &str, path: &str, body: &str) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn expiry_does_not_wait_for_a_pause() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let settings = IndexSettings { ttl: Some(1), ..IndexSettings::default() };
    drop(IndexWriter::create(&dir, settings, 1).unwrap());
    let mut options = ServeOptions::new(&dir);
    options.listen = "127.0.0.1:0".to_owned();
    options.limits.expiry = Duration::from_millis(200);
    let (stop, (send, receive)) = (Arc::new(AtomicBool::new(false)), channel());
    let is_stopped = Arc::clone(&stop);
    let service = std::thread::spawn(move || {
        let tell = move |event: &ServeEvent<'_>| {
            if let ServeEvent::Listening { address, .. } = event {
                send.send(*address).unwrap();
            }
        };
        serve(&options, tell, move || is_stopped.load(Ordering::Relaxed))
    });
    let address = receive.recv().unwrap();
    assert_eq!(ask(address, "PUT", "/v1/documents/old", "{\"text\": \"a rose\"}"), 201);
    // Never 200 ms without a change.
    let begun = Instant::now();
    for number in 0.. {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is there after a minute");
        ask(address, "PUT", "/v1/documents/new", &format!("{{\"text\": \"rose {number}\"}}"));
        if ask(address, "GET", "/v1/documents/old", "") == 404 {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    service.join().unwrap().unwrap();
}
