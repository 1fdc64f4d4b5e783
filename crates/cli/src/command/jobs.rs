//! Jobs from arguments.

use crate::args::{ClusterArgs, DedupArgs, Given, InputArgs, MatchArgs, MemoryArgs, OutputArgs};
use lookalike::{Job, Settings, input::recorded_url, settings::Linkage};

/// Which documents of a cluster survive: the linkage, the witness rule and the containment.
pub(super) type Survivors<'a> = (Option<Linkage>, &'a Given, &'a Given);

/// The job of `dedup`.
pub(super) fn dedup_job(args: &DedupArgs) -> anyhow::Result<Job> {
    let survivors: Survivors<'_> = (args.linkage, &args.witness, &args.contained);
    let mut job = Job {
        attributes: args.attributes.attributes,
        near_misses: args.near.near_misses.clone(),
        max_loss: args.guards.max_loss.clone(),
        max_cluster: args.guards.max_cluster.clone(),
        against: args.against.clone(),
        against_only: args.against_only,
        mark: args.mark.then(|| args.mark_prefix.clone()),
        copy_files: args.copy_files,
        report_size: args.report.report_size as u64,
        memory: bytes(&args.memory),
        resume: args.earlier.resume,
        plan: args.earlier.plan.clone(),
        ..job(&args.input, &args.matching, &args.seed, &args.output, survivors)?
    };
    job.settings.keep_n = args.survivors.keep_n();
    Ok(job)
}

/// The job of `cluster`.
pub(super) fn cluster_job(args: &ClusterArgs) -> anyhow::Result<Job> {
    let survivors: Survivors<'_> = (args.linkage, &args.witness, &args.contained);
    Ok(Job {
        report_size: args.report.report_size as u64,
        attributes: args.attributes.attributes,
        near_misses: args.near.near_misses.clone(),
        memory: bytes(&args.memory),
        resume: args.earlier.resume,
        plan: args.earlier.plan.clone(),
        ..job(&args.input, &args.matching, &args.seed, &args.output, survivors)?
    })
}

/// The memory limit in bytes.
pub(super) fn bytes(args: &MemoryArgs) -> Option<u64> {
    args.memory.map(|bytes| bytes as u64)
}

fn job(
    input: &InputArgs,
    matching: &MatchArgs,
    seed: &Given,
    output: &OutputArgs,
    survivors: Survivors<'_>,
) -> anyhow::Result<Job> {
    Ok(with_output(input, output, settings_of(input, matching, seed, survivors)?))
}

/// Converts the matching arguments to settings.
pub(super) fn settings_of(
    input: &InputArgs,
    matching: &MatchArgs,
    seed: &Given,
    (linkage, witness, contained): Survivors<'_>,
) -> anyhow::Result<Settings> {
    let MatchArgs {
        criterion, analysis, common, boilerplate, least, separate, keep, method, ..
    } = matching;
    let groups: [&Given; 10] = [
        criterion,
        analysis,
        common,
        boilerplate,
        least,
        separate,
        keep,
        witness,
        contained,
        &input.fields,
    ];
    let mut settings = super::settings::settings(&groups)?;
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
        threads: output.running.threads,
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
