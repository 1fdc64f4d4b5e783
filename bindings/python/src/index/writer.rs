//! The one writer of an index.

use super::reader::IndexReader;
use crate::answer::Options;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Input;
use crate::per_process::leave_alone_if_forked;
use crate::rows::json;
use crate::{errors, settings};
use lookalike::{
    LookalikeError, Progress,
    index::{AddOptions, Added, Committed, DeleteWhat},
};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, PoisonError, TryLockError};

/// The writer of an index: one in all processes.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct IndexWriter {
    /// The process that it belongs to.
    pid: u32,
    writer: Mutex<Option<lookalike::IndexWriter>>,
}

/// How documents are added, as the package's Python code describes it.
#[derive(FromPyObject)]
pub(crate) struct Adding {
    unless_duplicate: Option<String>,
    sweep: Option<String>,
    sweep_date: Option<String>,
    commit_every: Option<u64>,
    stage_only: bool,
    ttl: Option<u64>,
    skip_unreadable: bool,
}

/// Which documents are deleted, as the package's Python code describes it.
#[derive(FromPyObject)]
pub(crate) struct Deleting {
    ids: Vec<String>,
    urls: Vec<String>,
    before: Option<String>,
    site: Option<String>,
}

#[pymethods]
impl IndexWriter {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<Self> {
        let open = |_: &dyn Progress| lookalike::IndexWriter::open(&path, threads);
        let writer = detached(py, &Watch::new(None, None), open)?;
        Ok(Self { pid: process::id(), writer: Mutex::new(Some(writer)) })
    }

    /// Releases the index; what was not committed is given up.
    fn close(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        leave_alone_if_forked(writer.map(|writer| (self.pid, writer)));
    }

    /// Adds documents: what was added, as JSON.
    fn add(
        &self,
        py: Python<'_>,
        documents: Input,
        fields: &str,
        adding: Adding,
        options: Options,
    ) -> PyResult<String> {
        let fields = settings::parse(py, fields)?;
        let source = documents.source(Columns::of(&fields));
        let Options { memory, strict, progress, cancelled, .. } = options;
        let adding = AddOptions {
            unless_duplicate: adding.unless_duplicate,
            sweep: adding.sweep.map(|name| (name, adding.sweep_date)),
            commit_every: adding.commit_every,
            stage_only: adding.stage_only,
            ttl: adding.ttl,
            strict,
            skip_unreadable: adding.skip_unreadable,
            memory,
        };
        let watch = Watch::new(progress, cancelled);
        let added = self.with(py, &watch, |writer, progress| {
            writer.add(source, &fields, &adding, progress, |_| {})
        })?;
        let Added { committed, read, duplicates, problems, listed, .. } = &added;
        let listed: Vec<String> = listed.iter().map(ToString::to_string).collect();
        let mut told = told(committed);
        told["read"] = (*read).into();
        told["duplicates"] = (*duplicates).into();
        told["problems"] = (*problems).into();
        told["listed"] = listed.into();
        json(&told)
    }

    /// Marks documents as deleted, unless it is a dry run: how many, and unknown names.
    fn delete(
        &self,
        py: Python<'_>,
        what: Deleting,
        dry_run: bool,
    ) -> PyResult<(u64, Vec<String>)> {
        let Deleting { ids, urls, before, site } = what;
        let what = DeleteWhat { ids, urls, before, site };
        self.with(py, &Watch::new(None, None), |writer, _| {
            let found = writer.find(&what)?;
            if !dry_run {
                writer.delete(&found.documents);
            }
            Ok((found.documents.len() as u64, found.unknown))
        })
    }

    /// Marks a sweep and its documents as deleted: how many.
    fn remove_sweep(&self, py: Python<'_>, name: &str) -> PyResult<u64> {
        self.with(py, &Watch::new(None, None), |writer, _| writer.remove_sweep(name))
    }

    /// Makes everything durable: what was committed, as JSON.
    fn commit(&self, py: Python<'_>, options: Options) -> PyResult<String> {
        let Options { progress, cancelled, .. } = options;
        let watch = Watch::new(progress, cancelled);
        json(&told(&self.with(py, &watch, |writer, progress| writer.commit_with(progress))?))
    }

    /// Gives up what was not committed.
    fn abandon(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, &Watch::new(None, None), |writer, _| writer.abandon())
    }

    /// Merges segments: their numbers before and after.
    fn compact(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.with(py, &Watch::new(None, None), |writer, _| {
            let before = writer.snapshot().segments().len();
            writer.compact()?;
            Ok((before, writer.snapshot().segments().len()))
        })
    }

    /// Adds the documents of another index: what was committed, as JSON.
    fn merge(&self, py: Python<'_>, other: &IndexReader) -> PyResult<String> {
        let other = other.index(py)?;
        let watch = Watch::new(None, None);
        json(&told(&self.with(py, &watch, |writer, _| writer.merge(&other))?))
    }
}

impl IndexWriter {
    /// Runs a step on another thread, while this one handles signals.
    ///
    /// # Errors
    /// Those of the step; it is closed, in use, or belongs to another process.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        watch: &Watch,
        run: impl FnOnce(&mut lookalike::IndexWriter, &dyn Progress) -> Result<T, LookalikeError> + Send,
    ) -> PyResult<T> {
        if self.pid != process::id() {
            return Err(errors::failure(
                py,
                "forked",
                "this writer belongs to the process that this one was forked from; an index has one writer",
            ));
        }
        let mut writer = match self.writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let message = "another call uses this writer; make one after the other";
                return Err(errors::failure(py, "writer_in_use", message));
            }
        };
        match &mut *writer {
            Some(writer) => detached(py, watch, |progress| run(writer, progress)),
            None => Err(errors::failure(py, "closed", "the writer is closed; open another one")),
        }
    }
}

impl Drop for IndexWriter {
    fn drop(&mut self) {
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        leave_alone_if_forked(writer.map(|writer| (self.pid, writer)));
    }
}

fn told(committed: &Committed) -> Value {
    let Committed { commit, documents, added, updated, deleted, .. } = *committed;
    json!({
        "commit": commit, "documents": documents, "added": added, "updated": updated, "deleted": deleted,
    })
}
