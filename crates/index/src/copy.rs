//! A copy of an index as it is after a commit, also while another process writes it.

use crate::reader::IndexReader;
use crate::store::{Change, Record, Records};
use crate::{IndexError, IndexWriter, layout};
use std::io::{Read, Write};
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

impl IndexReader {
    /// Copies the newest commit to a new directory, whose parent exists: an index of its own, with
    /// the same documents, decisions and records, whose commits count from 1. `files` are the
    /// caller's, as for [`IndexWriter::create_with`]. Returns the number of documents.
    ///
    /// The writer may go on. Until this returns, the directory holds an index without documents:
    /// give it its name afterwards. Reads and writes every byte once; checksums are compared.
    ///
    /// # Errors
    /// A directory with anything in it; files that cannot be read or written; a damaged segment.
    pub fn copy_to(
        &self,
        dir: &Path,
        files: &mut [(String, Box<dyn Read>)],
    ) -> Result<u64, IndexError> {
        let (state, snapshot, records) = self.newest_with(all_records)?;
        let disk = Arc::clone(self.disk());
        let (description, makers) = (self.description().clone(), Arc::clone(self.makers()));
        let mut copy =
            IndexWriter::create_with(Arc::clone(&disk), dir, description, makers, files)?;
        for live in &snapshot.segments {
            let wrong = live.segment.wrong_checksums();
            if !wrong.is_empty() {
                return Err(IndexError::Damaged {
                    path: live.segment.path().to_owned(),
                    what: format!("the checksum of {} is wrong", wrong.join(", ")),
                });
            }
            let path = layout::segment(dir, live.id);
            let write = || {
                let mut file = disk.create(&path)?;
                file.write_all(live.segment.file())?;
                file.sync()
            };
            write().map_err(IndexError::io(&path))?;
        }
        let segments = layout::segments(dir);
        disk.sync_dir(&segments).map_err(IndexError::io(&segments))?;
        copy.commit_copy(&Change {
            segments_added: state.segments,
            dead_added: state.dead.into_iter().map(|(id, dead)| (id, (*dead).clone())).collect(),
            changed: state.changed.iter().map(|(number, on)| (number, Some(on))).collect(),
            next_number: Some(state.next_number),
            next_segment: Some(state.next_segment),
            records,
            ..Change::default()
        })?;
        Ok(snapshot.len())
    }
}

/// The records of all tables.
fn all_records(records: &Records) -> Result<Vec<Record>, IndexError> {
    let mut all = Vec::new();
    for table in 0..=u8::MAX {
        for row in records.range(table, Bound::Unbounded, Bound::Unbounded)? {
            let (key, value) = row?;
            all.push(Record { table, key, value: Some(value) });
        }
    }
    Ok(all)
}
