//! A new index of what can be read of a damaged one.

use super::extra::beside;
use super::open::Analysis;
use super::sweeps::table;
use crate::LookalikeError;
use crate::analysis::pool;
use crate::panics::caught;
use crate::settings::thread_count;
use lookalike_index::{Disk, IndexError, IndexWriter, RealDisk, Salvage, Salvaged};
use serde::Serialize;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repaired {
    /// The new index.
    pub index: PathBuf,
    /// The damaged index, which was not changed.
    pub damaged: PathBuf,
    /// Sweeps whose names are lost; they are called `sweep-N` now.
    pub unnamed_sweeps: u64,
    /// What was found and lost.
    #[serde(flatten)]
    pub salvaged: Salvaged,
}

/// Makes a new index of all that can be read of a damaged one: in `output`, or in the place of the
/// damaged one, which is kept beside it as `NAME.damaged`. The damaged index is only read.
///
/// Documents are taken as they were written, or not at all; sets, postings and which documents are
/// kept are made again.
///
/// # Errors
/// Settings or lexicons of the index that cannot be read; an index that is being written to; an
/// output that exists; files that cannot be written.
pub fn repair_index(
    dir: &Path,
    output: Option<&Path>,
    threads: usize,
) -> Result<Repaired, LookalikeError> {
    let pool = pool(thread_count(threads))?;
    caught(|| pool.install(|| repair(dir, output)))
}

pub(super) fn failed(path: &Path) -> impl FnOnce(io::Error) -> LookalikeError + '_ {
    move |reason| IndexError::Io { path: path.to_owned(), reason }.into()
}

fn repair(dir: &Path, output: Option<&Path>) -> Result<Repaired, LookalikeError> {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let (description, analysis) = Analysis::of(dir, &*disk)?;
    // The name, also of `.` or `index/`.
    let place = fs::canonicalize(dir).map_err(failed(dir))?;
    let new = match output {
        Some(output) => output.to_owned(),
        None => sibling(&place, &format!("repaired-{}", std::process::id())),
    };
    let salvage = Salvage::read(&*disk, dir, &description)?;
    let mut files = own_files(&*disk, dir)?;
    let makers = analysis.makers();
    let mut writer =
        IndexWriter::create_with(disk, &new, description, Arc::clone(&makers), &mut files)?;
    let known = table::numbers(salvage.records());
    let unnamed: Vec<u32> = salvage
        .sweeps()
        .into_iter()
        .filter(|&number| number != 0 && !known.contains(&number))
        .collect();
    for &number in &unnamed {
        table::put_unnamed(&mut writer, number)?;
    }
    let sign = |text: &str, extra: &[u8]| analysis.sign_text(text, beside(extra));
    let salvaged = salvage.fill(&mut writer, &makers, &sign)?;
    drop(writer);
    let (index, damaged) = match output {
        Some(_) => (new, dir.to_owned()),
        None => {
            let aside = (0..)
                .map(|n| {
                    sibling(&place, &if n == 0 { "damaged".into() } else { format!("damaged-{n}") })
                })
                .find(|aside| fs::symlink_metadata(aside).is_err())
                .unwrap_or_else(|| sibling(&place, "damaged"));
            fs::rename(&place, &aside).map_err(failed(&place))?;
            if let Err(error) = fs::rename(&new, &place) {
                // The damaged index gets its name again.
                let _ = fs::rename(&aside, &place);
                return Err(failed(&new)(error));
            }
            if let Some(parent) = place.parent() {
                RealDisk.sync_dir(parent).map_err(failed(parent))?;
            }
            (dir.to_owned(), aside)
        }
    };
    Ok(Repaired { index, damaged, unnamed_sweeps: unnamed.len() as u64, salvaged })
}

/// The name of a file, and its content.
type OwnFile = (String, Box<dyn Read>);

/// The files of an index that its settings name.
pub(super) fn own_files(disk: &dyn Disk, dir: &Path) -> Result<Vec<OwnFile>, LookalikeError> {
    let folder = dir.join("files");
    let read = |name: String| -> Result<OwnFile, LookalikeError> {
        let path = folder.join(&name);
        let bytes = disk.read(&path).map_err(failed(&path))?;
        Ok((name, Box::new(io::Cursor::new(bytes))))
    };
    match disk.list(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(failed(&folder))?.into_iter().map(read).collect(),
    }
}

/// `NAME.ENDING` beside a directory.
fn sibling(dir: &Path, ending: &str) -> PathBuf {
    let mut name = dir.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    dir.with_file_name(name)
}
