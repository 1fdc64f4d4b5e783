//! `recluster`: recomputes the tables of a finished `cluster` run at another threshold.
//!
//! Broder 1997, "The clustering algorithm" and "Basic clustering": the output of phase 3, ⟨id, id,
//! count⟩, is kept, so that clusters at other thresholds, by resemblance or by containment, come
//! from phase 4 alone. The primary type is [`ReclusterJob`]. No document is read: the tables are
//! those of a run over the documents, byte for byte, except for one column that the tables do not
//! determine (see [`recluster`]).
//!
//! The steps: `earlier` (the run and the settings that it supports), `units` (documents to units,
//! in order of precedence), `pairs` (rows to pairs of units), `phase_four` (leaders), `standing`
//! (verdicts), `tables` and `summary` (results).

mod answer;
mod criterion;
mod earlier;
mod job;
mod page;
mod pairs;
mod phase_four;
mod standing;
mod summary;
mod tables;
mod units;

pub use job::ReclusterJob;

use crate::LookalikeError;
use crate::documents::Documents;
use crate::job_steps::{JobSteps, REPORT};
use crate::page_files::write_page;
use crate::panics::caught;
use answer::Answer;
use earlier::{Earlier, refusal};
use lookalike_decide::{CLUSTERS, DOCUMENTS, PAIRS, TableDigest, run_digest};
use lookalike_engine::Progress;
use lookalike_io::sink::Staging;
use lookalike_io::table::TableError;
use lookalike_report::Summary;
use pairs::{Edges, Pairs};
use standing::{Known, Standing};
use std::time::Instant;
use units::{Units, precedence_order};

/// Reclusters a finished run from its tables: at a threshold at least as high as its own, by its
/// measure or one that its pairs cover, with any linkage.
///
/// The tables are those that [`cluster`](crate::run_cluster) would write: the same documents are
/// kept, and with [`Linkage::Leaders`](lookalike_engine::Linkage::Leaders) each removed one has the same
/// witness, by the same [`WitnessRule`](lookalike_engine::WitnessRule). One column may be less complete than
/// that of a run over the documents: in connected components a member need not resemble its leader;
/// if the two are not a pair of the run, `resemblance` in the table `clusters` is empty (a warning
/// counts them).
///
/// All of this needs every pair that reaches the threshold. Refused are runs whose list of pairs is
/// incomplete (cut short by [`Job::max_pairs`](crate::Job::max_pairs), or of `dedup`, which lists
/// only the pairs that caused a removal), and settings for which the listed pairs may not be all
/// pairs.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use lookalike::{Job, Silent, run_cluster};
/// use lookalike::results::{ReclusterJob, recluster};
///
/// # let folder = tempfile::tempdir()?;
/// let docs = folder.path().join("docs.jsonl");
/// # let words = |last: &str| format!("one fish two fish red fish blue fish black fish old fish {last}");
/// let lines = [("a", "new fish"), ("b", "new shoe"), ("c", "new fish")]
///     .map(|(id, last)| format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", words(last)));
/// std::fs::write(&docs, lines.concat())?;
///
/// let low = folder.path().join("low");
/// let mut job = Job::new(vec![docs.display().to_string()], &low);
/// job.settings.threshold = "0.5".into();
/// assert_eq!(run_cluster(&job, &Silent)?.summary.largest_cluster, 3);
///
/// std::fs::remove_file(&docs)?;
/// let high = ReclusterJob::new(&low, "0.9", folder.path().join("high"));
/// let summary = recluster(&high, &Silent)?;
/// assert_eq!((summary.clusters, summary.largest_cluster), (1, 2));
///
/// let lower = ReclusterJob::new(&low, "0.4", folder.path().join("lower"));
/// assert!(recluster(&lower, &Silent).unwrap_err().to_string().contains("use the setting threshold=0.5 or more"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Settings that the tables do not support, with the reason; tables that are damaged or not of a
/// run; results that cannot be written.
pub fn recluster(job: &ReclusterJob, progress: &dyn Progress) -> Result<Summary, LookalikeError> {
    caught(|| carry_out(job, progress))
}

fn carry_out(job: &ReclusterJob, progress: &dyn Progress) -> Result<Summary, LookalikeError> {
    let started = Instant::now();
    let names = ["reading tables", "clustering", "tables"].into_iter();
    let progress = &JobSteps::new(names.chain(job.report.then_some(REPORT)).collect(), progress);
    let earlier = Earlier::open(&job.run)?;
    let question = earlier.question(job)?;
    let (settings, criterion) = (&question.settings, question.criterion);
    let staging = Staging::create(&job.output, job.force)?;
    staging.conflicts_with([job.run.join("summary.json").as_path()])?;

    progress.phase("reading tables", None);
    let mut of_documents = TableDigest::new(DOCUMENTS.name);
    let (mut of_clusters, mut of_pairs) =
        (TableDigest::new(CLUSTERS.name), TableDigest::new(PAIRS.name));
    let documents = read_documents(job, &mut of_documents)?;
    let order = precedence_order(
        &job.run,
        &documents,
        &settings.keep_rules()?,
        &earlier.settings.keep_rules()?,
    )?;
    let units = Units::new(&documents, order, settings.measure, settings.across.is_some());
    let known = Known::read(&job.run, &documents, &mut of_clusters)?;
    let whole = matches!(criterion, criterion::Criterion::Exact(..));
    let pairs = Pairs::open(&job.run, &documents, Some(&mut of_pairs), whole)?;
    let edges = Edges::read(pairs, &documents, &units, progress)?;
    let digest = run_digest(&[&of_clusters, &of_pairs]);
    let of_documents = Some(run_digest(&[&of_documents]));
    let unchanged =
        digest == earlier.summary.digest && of_documents == earlier.summary.documents_digest;
    if !unchanged || edges.rows != earlier.summary.pairs.listed {
        return Err(refusal(
            &job.run,
            "its tables are not those that its summary tells of: they were changed, cut off or mixed up \
             with another run's; run `cluster` again",
        ));
    }

    progress.phase("clustering", None);
    let leaders = phase_four::link(
        &edges,
        settings.linkage(),
        settings.witness,
        criterion,
        settings.contained()?,
    );
    let standing = Standing::new(&earlier, settings, &documents, &units, &leaders, &known);
    let answer = Answer {
        job,
        earlier: &earlier,
        settings,
        criterion,
        documents: &documents,
        units: &units,
        edges: &edges,
        standing: &standing,
    };

    progress.phase("tables", None);
    let written = tables::write(&answer, &staging, progress)?;
    let summary = summary::summarise(&answer, &written, started);
    if job.report {
        progress.phase(REPORT, None);
        write_page(&staging, &page::page(&answer, &summary)?)?;
    }
    if let Some(config) = &job.config {
        staging.write("config.toml", config.as_bytes())?;
    }
    staging.write("summary.json", summary.to_json()?.as_bytes())?;
    staging.commit()?;
    Ok(summary)
}

fn read_documents(
    job: &ReclusterJob,
    digest: &mut TableDigest,
) -> Result<Documents, LookalikeError> {
    Documents::read(&job.run, digest).map_err(|error| match error {
        LookalikeError::Table(TableError::Missing { .. }) => refusal(
            &job.run,
            "holds no table `documents`, which has the order of precedence; it was removed, or the run \
             is of an older version; run `cluster` again",
        ),
        other => other,
    })
}
