//! Names of output files.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::Role;
use crate::{Compression, InputFile};

/// The output name of each input. See [`super::DocumentsWriter`] for the rules.
#[derive(Debug)]
pub(super) struct Layout {
    /// The only data file, if there is only one.
    single: Option<u32>,
    /// Paths below the role's folder, by file, if there are several.
    below: Vec<PathBuf>,
}

impl Layout {
    /// Plans the outputs; those of one-document files only if they are to be copied.
    pub(super) fn plan(files: &[InputFile], copy_files: bool) -> Self {
        let mut data = (0u32..).zip(files).filter(|(_, f)| !f.format.is_document());
        let single = match (data.next(), data.next()) {
            (Some((file, _)), None) => Some(file),
            _ => None,
        };
        let mut below = vec![PathBuf::new(); files.len()];
        if single.is_none() {
            mirror(files, |file| !file.format.is_document(), &mut below);
        }
        if copy_files {
            mirror(files, |file| file.format.is_document(), &mut below);
        }
        Self { single, below }
    }

    /// The output of a data file.
    pub(super) fn data(&self, role: Role, file: u32, input: &InputFile) -> PathBuf {
        if self.single == Some(file) {
            return PathBuf::from(format!("{}.{}", role.name(), extension(input)));
        }
        Path::new(role.name()).join(&self.below[file as usize])
    }

    /// The list of one-document files.
    pub(super) fn list(role: Role) -> PathBuf {
        PathBuf::from(match role {
            Role::Marked => "marked-files.tsv".to_string(),
            _ => format!("{}-files.txt", role.name()),
        })
    }

    /// The copy of a kept one-document file.
    pub(super) fn copy(&self, file: u32) -> PathBuf {
        Path::new("kept-files").join(&self.below[file as usize])
    }
}

/// The extension of an output: that of the input if it names format and compression, else the usual
/// one.
fn extension(input: &InputFile) -> String {
    let name = input.relative.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let packed: &[&str] = match input.compression {
        Compression::None => &[],
        Compression::Gzip => &["gz", "gzip"],
        Compression::Zstd => &["zst", "zstd"],
        Compression::Bzip2 => &["bz2"],
        Compression::Xz => &["xz"],
    };
    let about = input.format.0;
    let is_own = |part: &&str| about.has_extension(part) || about.kept_extensions.contains(part);
    let usual = about.extensions.first().copied().unwrap_or("txt");
    let mut parts = name.rsplit('.').peekable();
    let packed = match packed.first() {
        None => None,
        Some(usual) => Some(parts.next_if(|part| packed.contains(part)).unwrap_or(usual)),
    };
    let format = parts.next_if(is_own).unwrap_or(usual);
    match packed {
        Some(packed) => format!("{format}.{packed}"),
        None => format.to_string(),
    }
}

/// A path below one folder for each wanted file; an empty one for the others.
pub(super) fn mirrored(files: &[InputFile], wanted: impl Fn(&InputFile) -> bool) -> Vec<PathBuf> {
    let mut below = vec![PathBuf::new(); files.len()];
    mirror(files, wanted, &mut below);
    below
}

/// Assigns each wanted file a path below one folder: its path below the argument that led to it,
/// without components that could leave the folder. If several files have the same path, the first
/// one gets it and the others get it below a numbered folder: `2/part.jsonl`.
fn mirror(files: &[InputFile], wanted: impl Fn(&InputFile) -> bool, below: &mut [PathBuf]) {
    let mut taken = Taken::default();
    let mut late = Vec::new();
    for (index, file) in files.iter().enumerate().filter(|(_, file)| wanted(file)) {
        let path = tame(&file.relative);
        if taken.take(&path) {
            below[index] = path;
        } else {
            late.push((index, path));
        }
    }
    for (index, path) in late {
        let mut number = 2u64;
        loop {
            let numbered = Path::new(&number.to_string()).join(&path);
            if taken.take(&numbered) {
                below[index] = numbered;
                break;
            }
            number += 1;
        }
    }
}

/// The normal components of a path.
fn tame(path: &Path) -> PathBuf {
    let tame: PathBuf = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    if tame.as_os_str().is_empty() { PathBuf::from("documents") } else { tame }
}

/// Paths in use, as files and as folders above them. Case-insensitive, for file systems that are.
#[derive(Default)]
struct Taken {
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl Taken {
    /// Takes a path, unless the path or a folder above it is a file, or it is a folder.
    fn take(&mut self, path: &Path) -> bool {
        let key = |path: &Path| path.to_string_lossy().to_lowercase();
        let whole = key(path);
        let above = || path.ancestors().skip(1).filter(|a| !a.as_os_str().is_empty()).map(key);
        if self.files.contains(&whole)
            || self.folders.contains(&whole)
            || above().any(|folder| self.files.contains(&folder))
        {
            return false;
        }
        self.folders.extend(above());
        self.files.insert(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    fn file(relative: &str, format: Format, compression: Compression) -> InputFile {
        InputFile {
            path: relative.into(),
            name: relative.into(),
            relative: relative.into(),
            format,
            compression,
            size: 0,
            modified: None,
            object: None,
            damage: None,
            partitions: crate::Partitions::default(),
            argument: String::new(),
        }
    }

    fn all_mirrored(paths: &[&str]) -> Vec<String> {
        let files: Vec<_> =
            paths.iter().map(|p| file(p, Format::JSONL, Compression::None)).collect();
        mirrored(&files, |_| true).iter().map(|p| p.to_string_lossy().replace('\\', "/")).collect()
    }

    #[test]
    fn paths_are_mirrored_and_never_leave_the_folder() {
        assert_eq!(
            all_mirrored(&["a/b.jsonl", "../x.jsonl", "/etc/./y", ".."]),
            ["a/b.jsonl", "x.jsonl", "etc/y", "documents"]
        );
    }

    #[test]
    fn a_path_wanted_twice_gets_a_numbered_folder() {
        assert_eq!(
            all_mirrored(&["p", "p", "2/p", "P", "p/q", "2"]),
            ["p", "3/p", "2/p", "4/P", "5/p/q", "2/2"]
        );
    }

    #[test]
    fn extensions_are_the_inputs_own_where_they_fit() {
        let extension = |name, format, compression| extension(&file(name, format, compression));
        assert_eq!(extension("a.jsonl.zst", Format::JSONL, Compression::Zstd), "jsonl.zst");
        assert_eq!(extension("a.JSON.gz", Format::JSONL, Compression::Gzip), "json.gz");
        assert_eq!(extension("a.ndjson", Format::JSONL, Compression::None), "ndjson");
        assert_eq!(extension("-", Format::JSONL, Compression::None), "jsonl");
        assert_eq!(extension("a.jsonl", Format::JSONL, Compression::Xz), "jsonl.xz");
        assert_eq!(extension("a.bz2", Format::CSV, Compression::Bzip2), "csv.bz2");
        assert_eq!(extension("jsonl", Format::JSONL, Compression::None), "jsonl");
    }
}
