//! Names that are no data by convention: they are left out of directories, patterns, archives and stores, and
//! read where an argument names them.
//!
//! * Names that begin with `_` or `.` (Spark, Hive, Arrow, Polars): logs, marks and uncommitted files. Those
//!   of a Maildir are mail.
//! * Results of earlier runs, and what runs leave that were killed.
//! * Descriptions of data sets beside the Arrow files that `save_to_disk` of Hugging Face writes, and copies in
//!   its cache.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::left_out_reason::{LeftOut, LeftOutReason};
use super::{earlier_result, maildir};
use crate::formats;

/// Whether a name begins as one that is no data.
pub(super) fn is_marked(name: &OsStr) -> bool {
    matches!(name.as_encoded_bytes().first(), Some(b'.' | b'_'))
}

/// Whether a name is one of directories in which a run writes, or puts aside what it replaces:
/// `OUT.partial-PID`.
pub(crate) fn is_unfinished(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    [".partial-", ".replaced-"].iter().any(|mark| {
        name.rsplit_once(mark).is_some_and(|(stem, rest)| {
            let (process, number) = rest.split_once('-').unwrap_or((rest, "2"));
            !stem.is_empty() && is_number(process) && is_number(number)
        })
    })
}

/// Whether an entry that is no directory begins as one that is no data and is no message of a Maildir.
pub(super) fn is_marked_file(file: &Path) -> bool {
    let Some(name) = file.file_name().filter(|name| is_marked(name)) else { return false };
    let is_dotted = name.as_encoded_bytes().starts_with(b".");
    let is_message = maildir::is_among_messages(file)
        && (maildir::is_message_name(file) || formats::of_name(file).0.is_none());
    is_dotted || !is_message
}

/// The part of a name, up to the first directory or file in it that is no data by its name alone. Used where
/// there are only names: in archives and stores. Folders of a Maildir++ are mail: messages in them are read,
/// and those in their `tmp` are listed as skipped.
pub(super) fn by_name(member: &Path) -> Option<LeftOut> {
    let directory = member.parent().unwrap_or(Path::new(""));
    let is_mail = |inside: Option<Component<'_>>| match inside {
        Some(Component::Normal(name)) => {
            maildir::holds_messages(name) || (name == "tmp" && maildir::is_message_name(member))
        }
        _ => false,
    };
    let (mut above, mut path) = (directory.components(), PathBuf::new());
    while let Some(part) = above.next() {
        path.push(part);
        let Component::Normal(name) = part else { continue };
        let reason = match name {
            name if is_marked(name) && !is_mail(above.clone().next()) => LeftOutReason::Name,
            name if is_unfinished(name) => LeftOutReason::Unfinished,
            _ => continue,
        };
        return Some(LeftOut { path, reason });
    }
    let path = member.to_path_buf();
    is_marked_file(member).then_some(LeftOut { path, reason: LeftOutReason::Name })
}

/// The names in one directory that `save_to_disk` writes, and which of them are there.
#[derive(Debug, Default, Clone, Copy)]
struct DataSet {
    has_arrow: bool,
    has_state: bool,
    has_splits: bool,
}

/// The state and description of a data set.
const DESCRIPTIONS: [&str; 2] = ["state.json", "dataset_info.json"];

/// The list of the parts of a data set, each a directory.
const SPLITS: &str = "dataset_dict.json";

/// Directories that data sets of Hugging Face are saved to, found out from the names of their files.
#[derive(Debug, Default)]
pub(super) struct DataSets(BTreeMap<PathBuf, DataSet>);

impl DataSets {
    /// Notes a file.
    pub(super) fn note(&mut self, file: &Path) {
        let Some((directory, name)) = split(file) else { return };
        let is_arrow = is_arrow(name);
        if !is_arrow && name != SPLITS && !DESCRIPTIONS.contains(&name) {
            return;
        }
        let set = self.0.entry(directory.to_path_buf()).or_default();
        set.has_arrow |= is_arrow && !is_cached(name);
        set.has_state |= DESCRIPTIONS.contains(&name);
        set.has_splits |= name == SPLITS;
    }

    /// Whether a file is no data of the data set in its directory on disk.
    pub(super) fn describes_on_disk(file: &Path) -> bool {
        let Some((directory, name)) = split(file) else { return false };
        if name != SPLITS && !DESCRIPTIONS.contains(&name) && !is_cached(name) {
            return false;
        }
        let listed = |directory: &Path| {
            let listed = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
            let entries = std::fs::read_dir(listed).into_iter().flatten().flatten();
            entries.map(|entry| directory.join(entry.file_name())).collect::<Vec<_>>()
        };
        let mut sets = Self::default();
        for entry in listed(directory) {
            if name == SPLITS && entry.is_dir() {
                listed(&entry).iter().for_each(|inner| sets.note(inner));
            }
            sets.note(&entry);
        }
        sets.describes(file)
    }

    /// Whether a file is no data of a data set that was noted.
    pub(super) fn describes(&self, file: &Path) -> bool {
        let Some((directory, name)) = split(file) else { return false };
        let is_whole = |set: &DataSet| set.has_arrow && set.has_state;
        match name {
            SPLITS => {
                let below = self.0.range(directory.to_path_buf()..);
                let mut below = below.take_while(|(path, _)| path.starts_with(directory));
                below.any(|(path, set)| path.parent() == Some(directory) && is_whole(set))
            }
            name if DESCRIPTIONS.contains(&name) || is_cached(name) => {
                self.0.get(directory).is_some_and(is_whole)
            }
            _ => false,
        }
    }
}

fn split(file: &Path) -> Option<(&Path, &str)> {
    Some((file.parent()?, file.file_name()?.to_str()?))
}

fn is_arrow(name: &str) -> bool {
    name.ends_with(".arrow")
}

/// Whether a file is one of the copies that operations on a data set leave beside its parts.
fn is_cached(name: &str) -> bool {
    is_arrow(name) && name.starts_with("cache-")
}

/// Results of earlier runs among files known by their names, and data sets with their descriptions.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    results: Vec<PathBuf>,
    sets: DataSets,
}

impl Neighbours {
    /// Notes a file; `is_result` says whether it is the summary of a run, if it has its name.
    pub(super) fn note(&mut self, file: &Path, is_result: impl FnOnce() -> bool) {
        self.sets.note(file);
        if let Some(directory) = file.parent()
            && earlier_result::is_mark(file)
            && is_result()
        {
            self.results.push(directory.to_path_buf());
        }
    }

    /// The directories of results.
    pub(super) fn results(&self) -> &[PathBuf] {
        &self.results
    }

    /// The result that a file is in, or the file, if it describes a data set.
    pub(super) fn leave_out(&self, file: &Path) -> Option<LeftOut> {
        // Few inputs have results. Of those that are in another one, the outer one counts.
        let within = self.results.iter().filter(|result| file.starts_with(result));
        if let Some(result) = within.min_by_key(|result| result.as_os_str().len()) {
            return Some(LeftOut { path: result.clone(), reason: LeftOutReason::Result });
        }
        let path = file.to_path_buf();
        self.sets.describes(file).then_some(LeftOut { path, reason: LeftOutReason::DataSetInfo })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<(String, LeftOutReason)> {
        by_name(Path::new(name)).map(|out| (out.path.display().to_string(), out.reason))
    }

    #[test]
    fn the_first_marked_part_of_a_name_is_left_out() {
        for (name, path) in [
            ("_SUCCESS", "_SUCCESS"),
            ("a/_temporary/0/part.parquet", "a/_temporary"),
            ("a/_delta_log/_last_checkpoint", "a/_delta_log"),
            ("a/.part-0.csv.crc", "a/.part-0.csv.crc"),
            (".git/cur", ".git"),
            ("M/.Sent/cur/.a", "M/.Sent/cur/.a"),
            (".b/tmp/a.txt", ".b"),
            ("new/_a.jsonl", "new/_a.jsonl"),
        ] {
            assert_eq!(of(name), Some((path.to_owned(), LeftOutReason::Name)), "{name}");
        }
        for name in ["a_/b_.txt", "lang=_x/a", "M/.Sent/cur/a", "_Old/new/1", "./a/../b", "cur/_1"]
        {
            assert_eq!(of(name), None, "{name}");
        }
        let left = Some(("a/out.partial-12".to_owned(), LeftOutReason::Unfinished));
        assert_eq!(of("a/out.partial-12/kept.jsonl"), left);
    }

    #[test]
    fn what_a_run_leaves_is_known_by_its_name() {
        for name in ["out.partial-7", "a.b.partial-7-2", "out.replaced-123"] {
            assert!(is_unfinished(OsStr::new(name)), "{name}");
        }
        for name in
            ["out.partial-", ".partial-7", "out.partial-x", "partial-7", "out.partial-7.csv"]
        {
            assert!(!is_unfinished(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn descriptions_are_left_out_beside_the_data_only() {
        let mut known = Neighbours::default();
        let saved = ["d/data-0.arrow", "d/state.json", "d/dataset_info.json", "d/cache-1f.arrow"];
        let split = ["s/dataset_dict.json", "s/train/data.arrow", "s/train/state.json"];
        let others =
            ["o/state.json", "o/dataset_dict.json", "o/cache-1.arrow", "p/x.arrow", "p/x.json"];
        let all = || saved.iter().chain(&split).chain(&others);
        all().for_each(|name| known.note(Path::new(name), || false));
        let left: Vec<_> =
            all().filter(|name| known.leave_out(Path::new(name)).is_some()).copied().collect();
        assert_eq!(left, [&saved[1..], &split[..1], &split[2..]].concat());
    }

    #[test]
    fn a_result_is_left_out_as_a_whole() {
        let mut known = Neighbours::default();
        for (name, is_result) in
            [("a/clean/summary.json", true), ("summary.json", false), ("a/x.jsonl", true)]
        {
            known.note(Path::new(name), || is_result);
        }
        assert_eq!(known.results(), [Path::new("a/clean")]);
        let left = |name: &str| known.leave_out(Path::new(name)).map(|out| out.path);
        assert_eq!(left("a/clean/kept/x.jsonl"), Some("a/clean".into()));
        assert_eq!((left("a/cleaner/x.jsonl"), left("a/x.jsonl")), (None, None));
    }
}
