//! Compressed files: whole, in many parts, damaged.

use std::io::Write;

use lookalike_io::{Compression, DiscoverOptions};

use crate::help::{OneFile, read_sized};

const ALL: [(&str, Compression); 4] = [
    ("gz", Compression::Gzip),
    ("zst", Compression::Zstd),
    ("bz2", Compression::Bzip2),
    ("xz", Compression::Xz),
];

fn pack(compression: Compression, data: &[u8]) -> Vec<u8> {
    match compression {
        Compression::None => data.to_vec(),
        Compression::Gzip => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zstd => zstd::stream::encode_all(data, 1).unwrap(),
        Compression::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(1);
            let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// Lines that do not compress to nothing.
fn lines(from: u64, to: u64) -> Vec<u8> {
    let line = |i: u64| {
        let noise = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!(
            "{{\"id\":{i},\"text\":\"{noise:x}{:x}\"}}\n",
            noise.rotate_left(9).wrapping_mul(31)
        )
    };
    (from..to).map(line).collect::<String>().into_bytes()
}

#[test]
fn parts_are_read_one_after_the_other() {
    for (extension, compression) in ALL {
        let parts = [lines(0, 100), Vec::new(), lines(100, 20_000), lines(20_000, 20_001)];
        let packed: Vec<u8> = parts.iter().flat_map(|part| pack(compression, part)).collect();
        let file = OneFile::new(&format!("x.jsonl.{extension}"), packed);
        let inputs = file.inputs(DiscoverOptions::default());
        for size in [1000, 1 << 20] {
            let read = read_sized(&inputs, size);
            assert_eq!(read.messages(), [""; 0], "{extension}");
            assert_eq!(read.records.len(), 20_001, "{extension}");
            assert_eq!(read.records[20_000].id.as_deref(), Some("20000"));
        }
    }
}

#[test]
fn the_bytes_count_and_not_the_name() {
    for (_, compression) in ALL {
        let file = OneFile::new("x.jsonl", pack(compression, &lines(0, 3)));
        let inputs = file.inputs(DiscoverOptions::default());
        assert_eq!(inputs.files[0].compression, compression);
        assert_eq!(read_sized(&inputs, 100).ids(), ["0", "1", "2"]);
    }
}

#[test]
fn records_before_damage_are_read() {
    for (extension, compression) in ALL {
        let good = pack(compression, &lines(0, 5000));
        let mut cut = [&good[..], &pack(compression, &lines(5000, 50_000))].concat();
        cut.truncate(cut.len() - cut.len() / 10);
        let file = OneFile::new(&format!("x.jsonl.{extension}"), cut);
        for size in [1000, 1 << 20] {
            let read = read_sized(&file.inputs(DiscoverOptions::default()), size);
            assert!(read.records.len() >= 5000, "{extension} {}", read.records.len());
            assert!(read.records.len() < 50_000, "{extension}");
            assert_eq!(read.problems.len(), 1, "{extension} {:?}", read.messages());
            assert_eq!(read.problems[0].record, 0);
            assert!(read.problems[0].message.contains("cut off"), "{:?}", read.messages());
            for (index, record) in read.records.iter().enumerate() {
                assert_eq!(record.id.as_deref(), Some(index.to_string().as_str()));
            }
        }
    }
}

#[test]
fn flipped_bits_never_pass_unnoticed_as_the_end_of_the_file() {
    for (extension, compression) in ALL {
        let packed = pack(compression, &lines(0, 20_000));
        for at in [packed.len() / 3, packed.len() / 2, packed.len() - 3] {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            let file = OneFile::new(&format!("x.jsonl.{extension}"), damaged);
            let read = read_sized(&file.inputs(DiscoverOptions::default()), 1 << 16);
            // Zstandard frames have a checksum only on request.
            if compression != Compression::Zstd {
                assert!(read.problems.iter().any(|p| p.record == 0), "{extension} {at}");
            }
        }
    }
}

#[test]
fn what_follows_gzip_data_is_told_from_damage() {
    let packed = pack(Compression::Gzip, b"{\"text\":\"a\"}\n{\"text\":\"no end\"}");
    for (tail, problems) in [(&b""[..], 0), (&[0; 1000], 0), (b"garbage", 1), (b"\0\0garbage", 1)] {
        let read = OneFile::new("x.jsonl.gz", [&packed[..], tail].concat()).read();
        assert_eq!(read.records.len(), 2);
        assert_eq!(read.problems.len(), problems);
        assert!(read.problems.iter().all(|p| p.message.contains("as gzip does")));
    }
}

#[test]
fn compressed_twice_is_said_so() {
    let packed = pack(Compression::Gzip, &pack(Compression::Gzip, &lines(0, 3)));
    let read = OneFile::new("x.jsonl.gz", packed).read();
    assert!(read.records.is_empty());
    assert!(read.messages()[0].contains("compressed twice"), "{:?}", read.messages());
}

#[test]
fn one_document_files_are_unpacked_too() {
    for (extension, compression) in ALL {
        let file = OneFile::new(&format!("x.txt.{extension}"), pack(compression, b"some text"));
        assert_eq!(file.read().records[0].text, "some text");
        let mut cut = pack(compression, &lines(0, 1000));
        cut.truncate(cut.len() / 2);
        let read = OneFile::new(&format!("x.txt.{extension}"), cut).read();
        assert!(read.records.is_empty());
        assert_eq!(read.problems[0].record, 1);
    }
}
