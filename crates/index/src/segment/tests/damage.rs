//! Files that no builder wrote, with right checksums: what a checksum cannot find.

use super::*;
use crate::segment::format::{CHECKED, HEADER_BYTES};
use xxhash_rust::xxh3::xxh3_64;

fn put(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// Gives the sections, the footer and the states of a complete segment the checksums of their
/// bytes. The sections are those of the segment as it was built.
fn sign(bytes: &mut [u8], built: &Built, sections: &[(Section, usize)]) {
    let footer = (built.bytes - built.footer) as usize..built.bytes as usize;
    let parts: usize = sections.iter().map(|(_, length)| length.div_ceil(CHECKED)).sum();
    let (mut start, mut at) = (HEADER_BYTES, footer.end - 8 - 8 * parts);
    for &(_, length) in sections {
        for part in 0..length.div_ceil(CHECKED) {
            let end = (start + length).min(start + (part + 1) * CHECKED);
            let checksum = xxh3_64(&bytes[start + part * CHECKED..end]);
            put(bytes, at, checksum);
            at += 8;
        }
        start += length;
    }
    let checksum = xxh3_64(&bytes[footer.start..footer.end - 8]);
    put(bytes, footer.end - 8, checksum);
    let trailer = bytes.len() - 40;
    let checksum = xxh3_64(&bytes[footer.end..trailer]);
    put(bytes, trailer + 16, checksum);
    let checksum = xxh3_64(&bytes[trailer..trailer + 24]);
    put(bytes, trailer + 24, checksum);
}

/// A complete segment, and its sections in the order of the file.
fn signed(documents: &[Plain]) -> (Vec<u8>, Built, Vec<(Section, usize)>) {
    let (bytes, built) = built(documents, &SETTINGS, b"");
    let bytes = complete(bytes, &built, &vec![KEPT; documents.len()]);
    let segment = open(bytes.clone(), &SETTINGS).unwrap();
    let sections = segment.footer.sections().map(|(section, bytes)| (section, bytes as usize));
    let sections = sections.collect();
    (bytes, built, sections)
}

/// Reads everything that a segment has, and merges it.
fn read_all(segment: &Segment, documents: &[Plain]) {
    let (mut texts, mut set) = (TextReader::default(), Vec::new());
    for local in 0..segment.documents() + 2 {
        let _ = (segment.row(local), segment.date(local), segment.extra(local).len());
        let _ =
            (segment.text(local, &mut texts).is_ok(), segment.stored_set(local, &mut set).is_ok());
        let _ = (segment.unit_of(local), segment.relies_on(local), segment.keep(local).count());
        let _ = segment.find_id(segment.id(local)).count()
            + segment.find_url(segment.url(local)).count();
        let _ = segment.find_number(segment.row(local).number);
        let signature = segment.signature(0, local);
        for &key in &signature.keys {
            segment.documents_with_key(0, key).entries().for_each(drop);
        }
    }
    for unit in 0..segment.units() {
        let _ = (segment.unit_size(unit), segment.unit_bitmap(unit), segment.unit_digest(unit));
        segment.unit_documents(unit).for_each(drop);
        segment.units_of_size(unit, unit + 5).for_each(drop);
    }
    for element in documents.iter().flat_map(Plain::set).chain([0, u64::MAX]) {
        segment.prefetch(&[element]);
        let list = segment.lookup(element);
        let _ = list.entries().count() + list.within(&(1..3)).entries().count();
        let _ = list.contains(1);
    }
    segment.check(Some(&mut Words));
    let dead = RoaringBitmap::from([1]);
    let dead = &dead & &(0..segment.documents()).collect();
    let part = MergePart { segment, dead: &dead, rewrite: None };
    let mut merged = Vec::new();
    if let Ok(built) = merge(&SETTINGS, &[part, part], &mut merged) {
        let merged = Mapped::owned(merged);
        Segment::open_unfinished(merged, Path::new("m"), &SETTINGS, &built).unwrap();
    }
}

/// Sections of which `check` finds every wrong bit.
const CHECKED_WHOLLY: [Section; 15] = [
    Section::UnitSizes,
    Section::UnitDigests,
    Section::UnitBitmaps,
    Section::UnitEnds,
    Section::UnitCommon,
    Section::IdHashes,
    Section::IdDocuments,
    Section::UrlHashes,
    Section::UrlDocuments,
    Section::Numbers,
    Section::NumberDocuments,
    Section::Postings,
    Section::Directory,
    Section::KeyPostings(0),
    Section::KeyDirectory(0),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn check_finds_what_was_written_wrongly(
        documents in documents(),
        section in prop::sample::select(&CHECKED_WHOLLY[..]),
        place in any::<prop::sample::Index>(),
        bit in 0u32..8,
    ) {
        let (mut bytes, built, sections) = signed(&documents);
        let before = sections.iter().take_while(|(name, _)| *name != section);
        let start = HEADER_BYTES + before.map(|(_, length)| length).sum::<usize>();
        let length = sections.iter().find(|(name, _)| *name == section).unwrap().1;
        prop_assume!(length > 0);
        bytes[start + place.index(length)] ^= 1u8 << bit;
        sign(&mut bytes, &built, &sections);
        let segment = open(bytes, &SETTINGS).unwrap();
        prop_assert!(segment.wrong_checksums().is_empty());
        prop_assert!(!segment.check(Some(&mut Words)).is_empty());
        read_all(&segment, &documents);
    }

    #[test]
    fn no_bytes_are_a_panic(
        documents in documents(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), number()),
            1..8,
        ),
        of_footer in prop::bool::weighted(0.3),
    ) {
        let (mut bytes, built, sections) = signed(&documents);
        let footer = (built.bytes - built.footer) as usize;
        for (section, place, value) in changes {
            // Small sections as often as large ones.
            let section = section.index(sections.len());
            let start = HEADER_BYTES + sections[..section].iter().map(|(_, l)| l).sum::<usize>();
            let at = match (of_footer, sections[section].1) {
                (true, _) => footer + 8 + place.index(built.footer as usize / 8 - 2) * 8,
                (false, 0) => continue,
                (false, length) => start + place.index(length),
            };
            put(&mut bytes, at, value);
        }
        sign(&mut bytes, &built, &sections);
        let Ok(segment) = open(bytes, &SETTINGS) else { return Ok(()) };
        read_all(&segment, &documents);
    }
}

/// Numbers at the ends of ranges, small ones, and others.
fn number() -> impl Strategy<Value = u64> {
    let word = any::<u64>();
    let edge =
        prop::sample::select(&[0, 1, u64::MAX, 1 << 32, (1 << 32) - 1, 1 << 63, 1 << 20][..]);
    prop_oneof![edge, 0u64..100, (0u64..40, 0u64..40).prop_map(|(a, b)| a << 32 | b), word]
}

/// A merge would give the damage right checksums.
#[test]
fn a_damaged_segment_is_not_merged() {
    let plain = |number: u32| Plain {
        id: number.to_string(),
        url: String::new(),
        words: format!("a b {number}"),
        number,
        few: false,
        expires: 0,
    };
    let documents: Vec<Plain> = (0..20).map(plain).collect();
    let (mut bytes, _, sections) = signed(&documents);
    let postings = sections.iter().take_while(|(section, _)| *section != Section::Postings);
    let start = HEADER_BYTES + postings.map(|(_, length)| length).sum::<usize>();
    bytes[start] ^= 4;
    let segment = open(bytes, &SETTINGS).unwrap();
    let dead = RoaringBitmap::new();
    let part = MergePart { segment: &segment, dead: &dead, rewrite: None };
    let error = merge(&SETTINGS, &[part], &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "s.seg: damaged: the checksum of postings is wrong");
}

/// Every prefix of a file is refused.
#[test]
fn a_segment_that_was_cut_short_is_refused() {
    let plain = Plain {
        id: "a".into(),
        url: String::new(),
        words: "x y".into(),
        number: 0,
        few: false,
        expires: 0,
    };
    let (bytes, ..) = signed(&[plain]);
    for length in 0..bytes.len() {
        assert!(open(bytes[..length].to_vec(), &SETTINGS).is_err(), "{length}");
    }
}
