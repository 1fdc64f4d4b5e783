//! Reports by mail folders: what people move to a folder of spam, or back.

use super::one_mail::mail_record;
use super::options::{Report, ReportOptions};
use super::report::{Reported, report_all};
use lookalike_core::TextDigest;
use lookalike_engine::Progress;
use lookalike_index::IndexError;
use lookalike_io::Problem;
use lookalike_run::index::edit::IndexWriter;
use lookalike_run::index::reports::{FOLDERS, Reporter, folder_key, folder_rows};
use lookalike_run::{LookalikeError, Record, Settings, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Maildir folders of one person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailFolders {
    /// Folders of spam.
    pub spam: Vec<PathBuf>,
    /// Folders of legitimate mail.
    pub ham: Vec<PathBuf>,
}

/// What became of the messages of folders.
#[derive(Debug, Default)]
pub struct FoldersDone {
    /// Messages of the folders, equal ones once.
    pub messages: u64,
    /// Those that were reported now: they are new, or were moved between spam and legitimate mail.
    pub reported: u64,
    /// Reports that changed the counts of a prototype, or made one.
    pub counted: u64,
    /// Messages that became prototypes.
    pub new: u64,
    /// Messages that could not be read, each told once.
    pub problems: Vec<Problem>,
}

/// A message of a folder.
struct Found {
    path: PathBuf,
    is_spam: bool,
}

/// Reports what is new in mail folders, or was moved between them, as [`report_all`] does; `each` is
/// called for each report once it is durable.
///
/// A message counts once for a reporter, by its bytes: neither a flag nor another call reports it
/// again. One that was moved from spam to legitimate mail is reported as that, which takes the place
/// of what the reporter said before, and likewise the other way. One that is in folders of both kinds
/// is legitimate. One that is deleted stays reported.
///
/// # Errors
/// As [`report_all`]; a folder that is no Maildir, or cannot be read. Calling again is harmless.
pub fn report_folders(
    index: &mut IndexWriter,
    reporter: &str,
    folders: &MailFolders,
    fields: &Settings,
    options: &ReportOptions,
    progress: &dyn Progress,
    mut each: impl FnMut(&Reported) + Send,
) -> Result<FoldersDone, LookalikeError> {
    let digest = Reporter::new(reporter);
    let known = folder_rows(&index.writer.records()?, digest)?;
    let (found, is_complete) = find(folders, progress)?;
    let mut done = FoldersDone { messages: found.len() as u64, ..FoldersDone::default() };
    let mut missed = BTreeSet::new();
    // Spam first: of near-duplicates of both kinds the legitimate one is what was said last.
    for report in [Report::Spam, Report::Ham] {
        let is_spam = report == Report::Spam;
        let mut changed = found.iter().filter(|(message, found)| {
            found.is_spam == is_spam && known.get(message) != Some(&is_spam)
        });
        let mut read = Read::default();
        let records = std::iter::from_fn(|| changed.find_map(|one| read.record(one, fields)));
        let source = Source::records(records);
        let reported =
            report_all(index, report, reporter, source, fields, options, progress, &mut each)?;
        done.reported += reported.messages;
        done.counted += reported.counted;
        done.new += reported.new;
        done.problems.extend(reported.listed);
        done.problems.append(&mut read.problems);
        missed.append(&mut read.missed);
    }
    // After the reports: what a crash in between leaves is reported again, which changes nothing.
    let mut is_changed = false;
    for (message, Found { is_spam, .. }) in &found {
        if known.get(message) != Some(is_spam) && !missed.contains(message) {
            index.writer.put(FOLDERS, &folder_key(digest, *message), Some(&[u8::from(*is_spam)]));
            is_changed = true;
        }
    }
    let gone: BTreeSet<_> = known.keys().filter(|message| !found.contains_key(message)).collect();
    for message in gone.into_iter().filter(|_| is_complete) {
        index.writer.put(FOLDERS, &folder_key(digest, *message), None);
        is_changed = true;
    }
    if is_changed {
        index.commit()?;
    }
    Ok(done)
}

/// The messages of folders by the digest of their bytes, and whether none was moved meanwhile.
fn find(
    folders: &MailFolders,
    progress: &dyn Progress,
) -> Result<(BTreeMap<TextDigest, Found>, bool), LookalikeError> {
    let (mut found, mut is_complete) = (BTreeMap::new(), true);
    for (folder, is_spam) in folders
        .spam
        .iter()
        .map(|folder| (folder, true))
        .chain(folders.ham.iter().map(|folder| (folder, false)))
    {
        for path in files(folder)? {
            if progress.cancelled() {
                return Err(LookalikeError::AddingCancelled);
            }
            match std::fs::read(&path) {
                Ok(raw) => {
                    found.insert(TextDigest::of(&raw), Found { path, is_spam });
                }
                // A mail program moved it or changed its flags: the next call finds it.
                Err(error) if error.kind() == ErrorKind::NotFound => is_complete = false,
                Err(reason) => return Err(IndexError::Io { path, reason }.into()),
            }
        }
    }
    Ok((found, is_complete))
}

/// The files of a Maildir, those of `new` and `cur`, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, LookalikeError> {
    let parts = ["new", "cur"].map(|part| folder.join(part));
    if !parts.iter().all(|part| part.is_dir()) {
        return Err(LookalikeError::Settings(format!(
            "{} is no Maildir: a folder of mail has the directories new and cur; name the folder \
             itself, for example Maildir/.Junk",
            folder.display()
        )));
    }
    let mut files = Vec::new();
    for part in parts {
        let failed = |reason| IndexError::Io { path: part.clone(), reason };
        for entry in std::fs::read_dir(&part).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if !is_hidden && entry.path().is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// What became of the messages that were to be reported.
#[derive(Default)]
struct Read {
    problems: Vec<Problem>,
    /// Those that were moved meanwhile: the next call finds them.
    missed: BTreeSet<TextDigest>,
}

impl Read {
    /// The record of a message; `None` if there is none to report.
    fn record(
        &mut self,
        (message, found): (&TextDigest, &Found),
        fields: &Settings,
    ) -> Option<Record> {
        let record = match std::fs::read(&found.path) {
            Ok(raw) => record(&raw, fields),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.missed.insert(*message);
                return None;
            }
            Err(error) => Err(error.to_string()),
        };
        let told = |message| {
            let path = found.path.display().to_string();
            let (file, record, line, offset) = (0, 1, 1, None);
            Problem { file, path, record, line, offset, message, unreadable: false }
        };
        record.map_err(|message| self.problems.push(told(message))).ok()
    }
}

/// The record of the bytes of a message.
///
/// # Errors
/// Why it cannot be read.
fn record(raw: &[u8], fields: &Settings) -> Result<Record, String> {
    match fields.max_record {
        Some(most) if raw.len() > most => Err(format!("the message is longer than {most} bytes")),
        _ => mail_record(raw, fields),
    }
}
