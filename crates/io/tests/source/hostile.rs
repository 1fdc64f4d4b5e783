//! Every hostile file: the number of read and of bad records, and the message of the first.

use lookalike_io::{DiscoverOptions, Format, Inputs};

use crate::help::{read, read_sized};
use lookalike_testing::data;

/// Name, good records, problems, and words of the first problem.
const EXPECTED: &[(&str, usize, usize, &str)] = &[
    ("bad_attributes.html", 1, 0, ""),
    ("bad.warc", 0, 1, "the WARC record is cut off"),
    ("bad_crc.jsonl.gz", 5, 1, "byte 1155: the gzip data is damaged"),
    ("bom.jsonl", 5, 0, ""),
    ("charset_lies.html", 1, 0, ""),
    ("charset_sjis.html", 1, 0, ""),
    ("control_chars.jsonl", 5, 1, "control_chars.jsonl:1: invalid JSON at column 27"),
    ("corrupt_footer.parquet", 0, 1, "the Parquet footer cannot be read"),
    ("corrupt_page.parquet", 0, 1, "row group 1 of the Parquet file cannot be read"),
    ("broken_mime.mbox", 5, 1, "broken_mime.mbox:59: the parts of the message are nested"),
    ("header_1mb.eml", 1, 0, ""),
    ("many_headers.eml", 1, 0, ""),
    ("mbox_crlf_mixed.mbox", 8, 0, ""),
    ("mbox_no_from.mbox", 0, 1, "is not an mbox"),
    ("rfc822_bomb.eml", 0, 1, "nested more than 16 deep"),
    ("uuencode_yenc.eml", 1, 0, ""),
    ("csv_quotes.csv", 2, 1, "csv_quotes.csv:5: a quote is not closed"),
    ("deep_html_20k.html", 1, 0, ""),
    ("duplicate_ids.jsonl", 6, 0, ""),
    ("empty.html", 1, 0, ""),
    ("empty.jsonl.gz", 0, 0, ""),
    ("empty_docs.jsonl", 9, 0, ""),
    ("empty_file.jsonl", 0, 0, ""),
    ("entities_flood.html", 1, 0, ""),
    ("footer_len_huge.parquet", 0, 1, "the Parquet footer cannot be read"),
    ("garbage_lines.jsonl", 6, 15, "garbage_lines.jsonl:1: invalid JSON at column 2"),
    ("good.parquet", 200, 0, ""),
    ("gz_of_empty.jsonl.gz", 0, 0, ""),
    ("int_id_binary_text.parquet", 1, 2, "record 1: `text` is not UTF-8"),
    ("invalid_utf8.jsonl", 2, 3, "invalid_utf8.jsonl:2: invalid UTF-8 at column 25"),
    ("invalid_utf8.txt", 1, 0, ""),
    ("json_bignum.jsonl", 2, 0, ""),
    ("json_deep.jsonl", 2, 0, ""),
    (
        "lone_surrogates.jsonl",
        1,
        3,
        "lone_surrogates.jsonl:1: invalid JSON at column 36: half of a surrogate",
    ),
    ("mixed_newlines.jsonl", 5, 0, ""),
    ("mixed_newlines.txt", 1, 0, ""),
    ("multi_member.jsonl.gz", 6, 0, ""),
    ("no_final_newline.jsonl", 5, 0, ""),
    ("negative_length.warc", 0, 1, "no Content-Length that is a number"),
    ("no_http_header.warc", 0, 1, "no HTTP response"),
    ("no_magic.parquet", 0, 1, "the Parquet footer cannot be read"),
    ("not_gzip.jsonl.gz", 5, 0, ""),
    ("not_zstd.jsonl.zst", 5, 0, ""),
    ("nul_bytes.jsonl", 2, 2, "nul_bytes.jsonl:2: invalid JSON at column 26"),
    ("nul_bytes.txt", 1, 0, ""),
    ("nulls.parquet", 2, 1, "record 2: `text` is null"),
    ("only_newlines.jsonl", 0, 0, ""),
    ("only_tags.html", 1, 0, ""),
    ("table_hell.html", 1, 0, ""),
    ("trailing_garbage.jsonl.gz", 5, 1, "it is ignored, as gzip does"),
    ("truncated.jsonl.gz", 4, 1, "the gzip data is cut off"),
    ("truncated.jsonl.zst", 0, 1, "the zstd data is cut off"),
    ("truncated.parquet", 0, 1, "the Parquet footer cannot be read"),
    ("truncated_last_line.jsonl", 5, 1, "truncated_last_line.jsonl:6: the line ends inside"),
    ("truncated_middle_line.jsonl", 3, 2, "truncated_middle_line.jsonl:2: the line ends inside"),
    ("two_frames.jsonl.zst", 6, 0, ""),
    ("u2028_in_jsonl.jsonl", 2, 0, ""),
    ("unclosed_comment.html", 1, 0, ""),
    ("unclosed_script.html", 1, 0, ""),
    ("unclosed_tag.html", 1, 0, ""),
    ("unicode_zoo.jsonl", 26, 0, ""),
    ("utf16be_nobom.jsonl", 0, 1, "is UTF-16"),
    ("utf16le_bom.jsonl", 0, 1, "is UTF-16"),
    ("window_1gib.jsonl.zst", 0, 1, "a larger window than 128 MiB"),
    ("wrong_columns.parquet", 0, 1, "no column `text` or `html`, but body, doc"),
    ("zero_rows.parquet", 0, 0, ""),
];

/// Forms that are not read.
const UNKNOWN: &[&str] = &["gz.gz"];

fn discover(path: &std::path::Path) -> Result<Inputs, String> {
    let args = [path.display().to_string()];
    Inputs::discover(&args, DiscoverOptions::default()).map_err(|e| e.to_string())
}

#[test]
fn every_hostile_file_gives_what_it_should() {
    let Some(folder) = data::folder("hostile/files") else { return };
    for (name, records, problems, words) in EXPECTED {
        let inputs = discover(&folder.join(name)).unwrap();
        let found = read(&inputs);
        let messages = found.messages();
        assert_eq!(
            (found.records.len(), messages.len()),
            (*records, *problems),
            "{name} {messages:?}"
        );
        assert!(messages.first().is_none_or(|first| first.contains(words)), "{name} {messages:?}");
        assert!(messages.iter().all(|message| message.contains(name)), "{messages:?}");
        // How much is looked at of a record that claims to be beyond the limit depends on the chunk.
        if inputs.files[0].format != Format::PARQUET && *name != "bad.warc" {
            assert_eq!(read_sized(&inputs, 7), found, "{name}");
        }
    }
}

#[test]
fn no_hostile_file_is_forgotten() {
    let Some(folder) = data::folder("hostile/files") else { return };
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if UNKNOWN.iter().any(|form| name.ends_with(form)) {
            assert!(discover(&path).unwrap_err().contains("the setting input_format"), "{name}");
        } else if path.is_file() {
            assert!(EXPECTED.iter().any(|(known, ..)| *known == name), "{name}");
        }
    }
}

#[test]
fn the_whole_directory_is_read_in_one_go() {
    let Some(folder) = data::folder("hostile/files") else { return };
    let inputs = discover(&folder).unwrap();
    let found = read(&inputs);
    let names = discover(&folder.join("names")).unwrap().files.len();
    let sum =
        |count: fn(&(&str, usize, usize, &str)) -> usize| EXPECTED.iter().map(count).sum::<usize>();
    assert_eq!(found.records.len(), sum(|(_, records, _, _)| *records) + names);
    assert_eq!(found.problems.len(), sum(|(_, _, problems, _)| *problems));
    let places: Vec<_> = found.records.iter().map(|r| (r.file, r.record)).collect();
    assert!(places.is_sorted());
}
