//! Broder et al. 1997, "Status": the storage that each phase takes.

use crate::corpus::Corpus;
use crate::page::Page;
use crate::row;
use crate::run::Found;

/// Documents of the paper.
const PAPER: f64 = 30e6;

/// A quantity: what it is, gigabytes in the paper and how it is made up there, and here bytes and
/// how these are made up.
type Row = (&'static str, f64, &'static str, Option<f64>, String);

/// Writes the paper's gigabytes beside ours, for a document each.
pub(super) fn table(page: &mut Page, all: &Corpus, found: &Found) {
    let bytes: usize = all.texts.iter().map(|text| text.text.len()).sum();
    let names: usize = all.texts.iter().map(|text| text.id.len()).sum();
    let collection = &found.signed.collection;
    let (keys, sketches) = collection.chunk_ids().fold((0, 0), |sum, chunk| {
        let (keys, sketches) = collection.signatures(chunk).bytes();
        (sum.0 + keys, sum.1 + sketches)
    });
    let values = sketches / 8;
    let shared = found.matches.keys_written;
    let clusters = found.matches.leader.len() * 4;
    let rows: [Row; 7] = [
        ("documents", 150.0, "text and markup", Some(bytes as f64), "text".into()),
        ("addresses", 1.8, "URLs", Some(names as f64), "ids".into()),
        (
            "sketches",
            3.0,
            "600 million shingles of 5 bytes",
            Some((keys + sketches) as f64),
            format!("{values} shingles of 8 bytes"),
        ),
        (
            "⟨shingle, ID⟩, sorted",
            5.5,
            "9 bytes each; 10 GB while merging",
            Some(shared as f64 * 12.0),
            format!("{shared} of shingles that another document has, 8 + 4 bytes each"),
        ),
        (
            "⟨ID, ID, count⟩, at most",
            20.0,
            "one for each pair and shingle, before merging",
            None,
            "not written: candidates of one document at a time".into(),
        ),
        (
            "⟨ID, ID, count⟩, merged",
            6.0,
            "one for each pair",
            None,
            format!("not written: {} pairs compared", found.matches.verified),
        ),
        (
            "clusters",
            0.1,
            "\"less than 100 Mbytes\"",
            Some(clusters as f64),
            "4 bytes for each distinct document".into(),
        ),
    ];
    page.say(
        "Storage, in the paper (gigabytes, for 30 million documents) and here; the bytes a document can be \
         compared.",
    );
    let n = all.len() as f64;
    let rows = rows.map(|(name, gigabytes, made_up, bytes, ours)| {
        row![
            name,
            format!("{gigabytes} ({made_up})"),
            format!("{:.0}", gigabytes * 1e9 / PAPER),
            bytes.map_or("0".into(), |bytes| format!("{:.2}", bytes / 1e6)),
            bytes.map_or("0".into(), |bytes| format!("{:.0}", bytes / n)),
            ours,
        ]
    });
    let header =
        ["", "paper, GB", "bytes a document", "ours, MB", "bytes a document", "made up of"];
    page.table(&header, rows);
    page.say(format_args!(
        "A sampled shingle takes 8 bytes here (a 64-bit fingerprint; with the paper's 40 bits 600 million distinct ones \
         would be equal by chance in some 160 000 pairs) and there are {:.0} to a document (20 there), since our texts \
         are shorter. Pairs are never written: the paper's largest storage, quadratic in the documents that \
         share a shingle, is here the candidates of the document that is being compared.",
        values as f64 / n,
    ));
}
