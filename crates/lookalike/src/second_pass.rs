//! The inputs once more; every record to where it belongs, and the texts of a few documents out.
//!
//! The chunks are those of the first pass, so the writers pass records on byte for byte, and the
//! documents that the report shows are picked up on the way.

use crate::LookalikeError;
use crate::analysis::Analysis;
use lookalike_engine::signer::plain_text;
use lookalike_engine::{EngineError, Progress, pipeline};
use lookalike_io::sink::{DocumentsWriter, RouteOptions, Routed, Staging, WrittenFiles};
use lookalike_io::source::{Chunk, VisitScratch};
use lookalike_io::{Fates, Inputs, Item, Problem};
use std::collections::BTreeMap;

/// A document that somebody wants to see.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    pub(crate) title: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) text: String,
}

/// What the pass brings back.
#[derive(Debug, Default)]
pub(crate) struct SecondPass {
    /// The documents asked for.
    pub(crate) shown: BTreeMap<u32, Shown>,
    /// What was written, if anything was to be.
    pub(crate) written: Option<WrittenFiles>,
}

/// Reads the inputs again: picks up the `wanted` documents (sorted), and routes all records as
/// `fates` says where there is somewhere to write them.
pub(crate) fn second_pass(
    analysis: &Analysis,
    wanted: &[u32],
    routing: Option<(&Staging, &RouteOptions, &dyn Fates)>,
    progress: &dyn Progress,
) -> Result<SecondPass, LookalikeError> {
    let inputs = &analysis.inputs;
    inputs.verify_unchanged()?;
    let collection = &analysis.collection;
    let own_files = collection.first_protected_file.min(inputs.files.len() as u32);
    let total = inputs.files[..own_files as usize].iter().map(|file| file.size).sum();
    progress.phase(if routing.is_some() { "writing" } else { "picking samples" }, Some(total));

    let mut writer =
        routing.map(|(staging, options, _)| DocumentsWriter::new(inputs, staging, options));
    let mut pass = SecondPass::default();
    let mut outcome: Result<(), LookalikeError> = Ok(());
    // Only the samples may lie in files that are not written again.
    let last_file = wanted.last().map_or(0, |&d| collection.documents[d as usize].file + 1);
    let until = if routing.is_some() { own_files.max(last_file) } else { last_file };
    let chunks = inputs.chunks().take_while(|chunk| chunk_file(chunk) < until);
    pipeline::ordered(
        analysis.threads,
        chunks.zip(0u32..),
        VisitScratch::default,
        |scratch, (chunk, index)| -> Result<_, LookalikeError> {
            // A damaged file gave its problem in the first pass already.
            let Ok(chunk) = chunk else { return Ok((0, None, Vec::new())) };
            let shown = pick(&chunk, inputs, collection.chunk_documents(index), wanted, scratch);
            let routed = match routing {
                Some((_, options, fates)) if chunk.file < own_files => {
                    let mut routed = Routed::default();
                    chunk.route(inputs, fates, options, &mut routed)?;
                    Some(routed)
                }
                _ => None,
            };
            Ok((chunk.consumed, routed, shown))
        },
        |result| {
            outcome = result.and_then(|(consumed, routed, shown)| {
                pass.shown.extend(shown);
                if let (Some(writer), Some(routed)) = (&mut writer, &routed) {
                    writer.write(routed)?;
                }
                progress.advance(consumed, 0);
                if progress.cancelled() { Err(EngineError::Cancelled.into()) } else { Ok(()) }
            });
            outcome.is_ok()
        },
    );
    outcome?;
    inputs.verify_unchanged()?;
    pass.written = writer.map(DocumentsWriter::finish).transpose()?;
    Ok(pass)
}

fn chunk_file(chunk: &Result<Chunk, Problem>) -> u32 {
    match chunk {
        Ok(chunk) => chunk.file,
        Err(problem) => problem.file,
    }
}

/// The wanted ones among the documents of a chunk.
fn pick(
    chunk: &Chunk,
    inputs: &Inputs,
    documents: std::ops::Range<u32>,
    wanted: &[u32],
    scratch: &mut VisitScratch,
) -> Vec<(u32, Shown)> {
    let from = wanted.partition_point(|&document| document < documents.start);
    let until = wanted.partition_point(|&document| document < documents.end);
    let wanted = &wanted[from..until];
    let mut shown = Vec::new();
    if wanted.is_empty() {
        return shown;
    }
    let mut next = documents.start;
    chunk.visit(inputs, scratch, &mut |item| {
        let Item::Record(record) = item else { return };
        if wanted.binary_search(&next).is_ok() {
            let text = plain_text(&record.content).into_owned();
            let owned =
                |field: &Option<std::borrow::Cow<'_, str>>| field.as_deref().map(str::to_owned);
            shown
                .push((next, Shown { title: owned(&record.title), url: owned(&record.url), text }));
        }
        next += 1;
    });
    shown
}
