//! Which sources lose documents to which.

use lookalike_report::SourceLoss;
use std::collections::HashMap;

/// Rows listed.
const LOSSES: usize = 50;

/// Counts removed documents by their own file and that of their kept document, most first. `name`
/// is that of a file. Empty if all are in one file: the table of inputs says the same then.
pub(crate) fn source_losses<'a>(
    removed: impl Iterator<Item = (u32, u32)>,
    name: impl Fn(u32) -> &'a str,
) -> Vec<SourceLoss> {
    let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
    removed.for_each(|files| *counts.entry(files).or_default() += 1);
    if counts.keys().all(|(from, to)| from == to) && counts.len() < 2 {
        return Vec::new();
    }
    let mut rows: Vec<((u32, u32), u64)> = counts.into_iter().collect();
    rows.sort_unstable_by_key(|&((from, to), documents)| {
        (std::cmp::Reverse(documents), name(from), name(to), from, to)
    });
    rows.truncate(LOSSES);
    let loss = |((from, to), documents): ((u32, u32), u64)| SourceLoss {
        from,
        from_name: name(from).to_owned(),
        to_name: name(to).to_owned(),
        documents,
    };
    rows.into_iter().map(loss).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_losses_come_first() {
        let names = ["a", "b", "c"];
        let files = [(0, 1), (0, 1), (2, 1), (2, 2), (2, 2), (2, 2)];
        let rows = source_losses(files.into_iter(), |file| names[file as usize]);
        let told: Vec<(&str, &str, u64)> = rows
            .iter()
            .map(|row| (row.from_name.as_str(), row.to_name.as_str(), row.documents))
            .collect();
        assert_eq!(told, [("c", "c", 3), ("a", "b", 2), ("c", "b", 1)]);
        assert!(source_losses([(1, 1); 9].into_iter(), |_| "x").is_empty());
    }
}
