//! How fast inputs are read, on one thread. Not run by default: `LOOKALIKE_READ=PATH cargo test
//! --release -p lookalike-io --test source speed -- --ignored --nocapture`

use std::time::Instant;

use lookalike_io::source::VisitScratch;
use lookalike_io::{Content, DiscoverOptions, Inputs, Item};

#[test]
#[ignore = "measures, and needs LOOKALIKE_READ"]
fn speed_of_cutting_and_of_parsing() {
    let path = std::env::var("LOOKALIKE_READ").unwrap();
    let inputs = Inputs::discover(&[path], DiscoverOptions::default()).unwrap();
    for _ in 0..3 {
        let (mut cutting, mut parsing) = (0.0, 0.0);
        let (mut chunks, mut records, mut problems, mut text, mut used) = (0, 0, 0, 0, 0);
        let mut scratch = VisitScratch::default();
        let mut reader = inputs.chunks();
        loop {
            let start = Instant::now();
            let Some(chunk) = reader.next() else { break };
            cutting += start.elapsed().as_secs_f64();
            let Ok(chunk) = chunk.whole() else {
                problems += 1;
                continue;
            };
            (chunks, used) = (chunks + 1, used + chunk.consumed);
            let start = Instant::now();
            chunk.visit(&inputs, &mut scratch, &mut |item| match item {
                Item::Record(record) => {
                    records += 1;
                    text += match record.content {
                        Content::Text(text) | Content::Html(text) => text.len(),
                        Content::TextBytes(bytes) | Content::HtmlBytes(bytes) => bytes.len(),
                        Content::Features(list) => list.bytes(),
                    };
                }
                Item::Bad(_) | Item::Failed(_) => problems += 1,
            });
            parsing += start.elapsed().as_secs_f64();
        }
        let (read, megabytes) = (used as f64 / 1e6, text as f64 / 1e6);
        println!(
            "{chunks} chunks, {records} records, {problems} problems, {megabytes:.0} MB of text; \
             cutting {cutting:.2} s ({:.0} MB/s of file), parsing {parsing:.2} s ({:.0} MB/s of text, \
             {:.0} MB/s of file)",
            read / cutting,
            megabytes / parsing,
            read / parsing
        );
    }
}
