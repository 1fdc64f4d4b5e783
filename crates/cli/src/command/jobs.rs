//! Jobs from arguments.

use crate::args::{
    ClusterArgs, DedupArgs, ExtraArgs, Given, InputArgs, MatchArgs, OutputArgs, RunArgs,
};
use lookalike::{Job, Settings, input::recorded_url, settings::Linkage};

/// The job of `dedup`.
pub(super) fn dedup_job(args: &DedupArgs) -> anyhow::Result<Job> {
    let own: [&Given; 7] = [
        &args.witness,
        &args.contained,
        &args.lost,
        &args.label,
        &args.keep_n,
        &args.across,
        &args.ignored,
    ];
    let mut job = Job {
        max_loss: args.max_loss.clone(),
        max_cluster: args.max_cluster.clone(),
        junit: args.junit.clone(),
        against: args.against.clone(),
        against_only: args.against_only,
        mark: args.mark.then(|| args.mark_prefix.clone()),
        add_counts: args.add_counts,
        passages: args.passages,
        copy_files: args.copy_files,
        ..job(&args.run, &args.extra, args.linkage, &own)?
    };
    if args.drop_all {
        job.settings.keep_n = 0;
    }
    Ok(job)
}

/// The job of `cluster`.
pub(super) fn cluster_job(args: &ClusterArgs) -> anyhow::Result<Job> {
    let own: [&Given; 5] =
        [&args.witness, &args.contained, &args.lost, &args.across, &args.ignored];
    job(&args.run, &args.extra, args.linkage, &own)
}

fn job(
    args: &RunArgs,
    extra: &ExtraArgs,
    linkage: Option<Linkage>,
    own: &[&Given],
) -> anyhow::Result<Job> {
    let settings = settings_of(&args.input, &args.matching, &args.seed, linkage, own)?;
    Ok(Job {
        report_size: args.report.report_size as u64,
        attributes: extra.attributes,
        near_misses: extra.near_misses.clone(),
        memory: args.memory.memory.map(|bytes| bytes as u64),
        resume: args.resume.resume,
        plan: args.plan.clone(),
        ..with_output(&args.input, &args.output, settings)
    })
}

/// Converts the matching arguments to settings.
pub(super) fn settings_of(
    input: &InputArgs,
    matching: &MatchArgs,
    seed: &Given,
    linkage: Option<Linkage>,
    own: &[&Given],
) -> anyhow::Result<Settings> {
    let MatchArgs {
        criterion, analysis, common, boilerplate, least, separate, keep, method, ..
    } = matching;
    let groups: [&Given; 8] =
        [criterion, analysis, common, boilerplate, least, separate, keep, &input.fields];
    let mut settings = super::settings::settings(&[&groups, own].concat())?;
    settings.method = super::settings::method(method, seed)?;
    settings.linkage = linkage;
    Ok(settings)
}

/// A job with these settings and the output arguments.
pub(super) fn with_output(input: &InputArgs, output: &OutputArgs, settings: Settings) -> Job {
    Job {
        force: output.force,
        settings,
        tables: output.tables,
        report: !output.no_report,
        strict: input.strict,
        skip_unreadable: input.skip_unreadable,
        max_pairs: output.max_pairs,
        threads: output.running.threads.unwrap_or(0),
        scratch: output.running.scratch.clone(),
        trim_heap: true,
        command: command_line(),
        config: crate::config::text(),
        ..Job::new(input.inputs.clone(), &output.output)
    }
}

/// The command line, as results record it: URLs without what may be secret.
pub(super) fn command_line() -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.map(|word| recorded_url(&word)).collect::<Vec<_>>().join(" ")
}
