#!/usr/bin/env python3
"""Checks whole runs of the lookalike command.

    run_checks.py path/to/lookalike [PART...]

Runs the command as a user would, over collections that it makes and over the project's samples, and has
every result checked by check_run.py, which recomputes everything from the texts and shares no code with
lookalike. Then: the same bytes for any number of threads and order of files, damaged and hostile inputs,
messages, exit codes, interruption. Prints a line for each check that fails, one for each part, and a sum;
exit code 0 only if all passed. Without PART everything runs. The parts are functions of the modules in checks/.
Standard library only.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from checks.across import across
from checks.after_runs import attributes, showing, undoing
from checks.archives import archives
from checks.cases import cases
from checks.command_line import (
    escape_sequences, no_report, origins_and_secrets, replacing, scratch_directories, setting_names, standard_error, streams, usage,
    wrong_values,
)
from checks.common_elements import common
from checks.configuration import configuration, dry_runs, helps, ports, presets_and_names
from checks.compare_runs import compare_runs
from checks.confusables import confusables
from checks.counts import counts
from checks.damaged_inputs import damaged_parquet, hostile, skipped_files
from checks.decontaminated import decontaminated
from checks.determinism import memory, same_bytes, several_files
from checks.differences import what_differs
from checks.distinct import distinct
from checks.encodings import encodings
from checks.equality import few_features, ignorable, not_every_word_counts, originals
from checks.evaluate import error_bars, evaluation
from checks.explain import explanations
from checks.extracting import extracting
from checks.fields import keep_fields, repeated_ids
from checks.filter import filter  # noqa: A004
from checks.filter_folders import filter_folders
from checks.harness import Checks
from checks.hostile_formats import hostile_formats
from checks.ignored import ignored
from checks.index import index, sweeps
from checks.index_batch import index_batch
from checks.index_crash import index_crash
from checks.index_passages import index_passages
from checks.large_records import large_records, long_texts
from checks.lost import lost
from checks.mail import mail
from checks.mail_options import mail_options
from checks.mail_pipes import mail_pipes
from checks.mail_rspamd import mail_rspamd
from checks.mail_servers import mail_servers
from checks.methods import lexicons, methods, simhash_idf
from checks.office import office
from checks.milter import milter
from checks.near_passages import near_passages
from checks.passages import passages
from checks.passages_against_index import passages_against_index
from checks.passage_explain import passage_explain
from checks.passage_page import passage_page
from checks.passage_spans import passage_spans
from checks.dedup_passages import dedup_passages
from checks.passage_units import passage_units
from checks.packages import packages
from checks.pipes import pipes
from checks.plan import plan
from checks.progress import log_lines, progress
from checks.recluster import reclustering
from checks.results import against, containment, forms, samples, self_test, settings
from checks.record_fields import feature_sets, mostly_skipped, nested_fields
from checks.report import report_data
from checks.repositories import repositories
from checks.resume import interruption, resuming, resuming_passages
from checks.sections import sections
from checks.service import service_answers, service_changes, service_kills, service_limits, service_stops
from checks.service_front import front_answers, front_changes, front_failures, front_refusals
from checks.service_sweeps import service_sweeps
from checks.service_tls import service_tls, service_tokens
from checks.simhash_features import separated, simhash_features
from checks.site_boilerplate import site_boilerplate
from checks.store_extracting import store_extracting
from checks.stores import object_stores
from checks.template_warnings import template_warnings
from checks.survivors import guards, near_misses, survivors
from checks.web_archives import web_archives
from checks.witness import witnesses

PARTS = (
    self_test,
    cases,
    settings,
    forms,
    against,
    samples,
    same_bytes,
    hostile,
    usage,
    setting_names,
    skipped_files,
    not_every_word_counts,
    streams,
    explanations,
    evaluation,
    methods,
    memory,
    resuming,
    resuming_passages,
    lexicons,
    reclustering,
    compare_runs,
    witnesses,
    error_bars,
    plan,
    interruption,
    standard_error,
    scratch_directories,
    containment,
    simhash_idf,
    simhash_features,
    separated,
    distinct,
    across,
    ignored,
    counts,
    lost,
    decontaminated,
    passages,
    passage_explain,
    passage_page,
    passage_spans,
    passage_units,
    dedup_passages,
    passages_against_index,
    near_passages,
    repeated_ids,
    keep_fields,
    common,
    site_boilerplate,
    template_warnings,
    ignorable,
    confusables,
    originals,
    few_features,
    wrong_values,
    origins_and_secrets,
    replacing,
    large_records,
    escape_sequences,
    damaged_parquet,
    no_report,
    long_texts,
    several_files,
    mail,
    mail_options,
    web_archives,
    archives,
    extracting,
    encodings,
    office,
    hostile_formats,
    index,
    index_passages,
    index_batch,
    sweeps,
    filter,
    filter_folders,
    progress,
    log_lines,
    nested_fields,
    mostly_skipped,
    feature_sets,
    report_data,
    configuration,
    presets_and_names,
    ports,
    dry_runs,
    helps,
    packages,
    repositories,
    index_crash,
    service_answers,
    service_changes,
    service_limits,
    service_stops,
    service_kills,
    service_sweeps,
    front_answers,
    front_changes,
    front_failures,
    front_refusals,
    service_tls,
    service_tokens,
    milter,
    mail_servers,
    mail_rspamd,
    mail_pipes,
    pipes,
    object_stores,
    store_extracting,
    survivors,
    guards,
    near_misses,
    sections,
    what_differs,
    attributes,
    undoing,
    showing,
)


def cpu_seconds() -> float:
    """Of this program and of what it ran."""
    return sum(os.times()[:4])


def main() -> int:
    names = {part.__name__: part for part in PARTS}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(names)}; all if none is named")
    options = parser.parse_args()
    if unknown := [name for name in options.parts if name not in names]:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(names)}")
    chosen = [names[name] for name in options.parts] or PARTS
    work = Path(tempfile.mkdtemp(prefix="lookalike-checks-"))
    c = Checks(options.binary.resolve(), work)
    try:
        for part in chosen:
            before, started, computed = (c.passed, c.failed), time.monotonic(), cpu_seconds()
            part(c)
            failed, done = c.failed - before[1], c.passed + c.failed - sum(before)
            cost = f"{time.monotonic() - started:.0f} s, {cpu_seconds() - computed:.0f} of CPU"
            print(f"{'FAILED' if failed else 'ok'}: {part.__name__}: {done - failed} of {done} ({cost})", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{c.passed} passed, {c.failed} failed")
    return 1 if c.failed or not c.passed else 0


if __name__ == "__main__":
    sys.exit(main())
