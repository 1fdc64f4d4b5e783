//! Validates that the sections of a lexicon agree.
//!
//! The checksum detects damage. This check detects a file that was written incorrectly, whose
//! lookups would return other frequencies than its entries.

use crate::format::{ENTRY, Header, STRIDE, Sections, group, number};

/// The first inconsistency of the sections of a file, if any. O(terms).
pub(crate) fn wrong(file: &[u8], header: &Header, sections: Sections) -> Option<&'static str> {
    let entries = &file[sections.entries..sections.names];
    let terms = entries.chunks_exact(ENTRY).filter_map(|entry| {
        Some((number::<8>(entry, 0)?, u32::try_from(number::<4>(entry, 8)?).ok()?))
    });
    let (mut last, mut range) = (None, (u32::MAX, 0));
    for (fingerprint, frequency) in terms.clone() {
        if last.is_some_and(|last| last >= fingerprint) {
            return Some("its entries are not sorted");
        }
        last = Some(fingerprint);
        range = (range.0.min(frequency), range.1.max(frequency));
    }
    if last.is_none() {
        range = (0, 0);
    }
    if range != header.range || (last.is_some() && range.0 == 0) {
        return Some("its entries are not in its range of document frequencies");
    }
    if u64::from(range.1) > header.documents || header.documents > u64::from(u32::MAX) {
        return Some("its number of documents cannot be");
    }
    if !directory_fits(file, header, sections, terms.map(|(fingerprint, _)| fingerprint)) {
        return Some("its directory does not fit its entries");
    }
    (!names_fit(&file[sections.names..sections.directory], header))
        .then_some("its names do not fit its entries")
}

/// Whether the directory has the number of entries below each group.
fn directory_fits(
    file: &[u8],
    header: &Header,
    sections: Sections,
    fingerprints: impl Iterator<Item = u64>,
) -> bool {
    let place = |group: u64| number::<4>(file, sections.directory + 4 * group as usize);
    let mut next = 0;
    for (index, fingerprint) in (0u64..).zip(fingerprints) {
        let group = group(fingerprint, header.bits);
        while next <= group {
            if place(next) != Some(index) {
                return false;
            }
            next += 1;
        }
    }
    (next..=1 << header.bits).all(|group| place(group) == Some(header.terms))
}

/// Whether the names, and after them the offsets of every 64th, match the number of entries.
fn names_fit(section: &[u8], header: &Header) -> bool {
    let end = header.names as usize;
    let (mut at, mut samples) = (0, end);
    for index in 0..header.terms {
        if index.is_multiple_of(STRIDE as u64) {
            if number::<8>(section, samples) != Some(at as u64) {
                return false;
            }
            samples += 8;
        }
        let Some(&length) = section[..end].get(at) else { return false };
        at += 1 + usize::from(length);
    }
    at == end
}
