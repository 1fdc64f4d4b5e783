//! `lookalike query DIR --batch FILE`

use super::problems;
use crate::args::QueryArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::TerminalProgress;
use crate::terminal::tell;
use crate::visible::write_json;
use anyhow::{Context, anyhow};
use lookalike::Index;
use lookalike::index::{Question, ReadOptions};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::Path;

/// Bytes of the buffers of questions and answers.
const BUFFER: usize = 1 << 16;

/// Prints the answer to each question of a file.
pub(super) fn run(
    args: &QueryArgs,
    questions: &Path,
    index: &Index,
    defaults: &Question,
) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let (name, lines): (_, Box<dyn Read + Send>) = match questions == Path::new("-") {
        true => ("stdin".to_owned(), Box::new(io::stdin())),
        false => {
            let name = questions.display().to_string();
            let file = File::open(questions).map_err(|error| anyhow!("{name}: {error}"))?;
            (name, Box::new(file))
        }
    };
    let options = ReadOptions {
        threads: args.threads.unwrap_or(0),
        strict: args.strict,
        ..ReadOptions::default()
    };
    let progress = TerminalProgress::new(io::stdout().is_terminal());
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout());
    let lines = BufReader::with_capacity(BUFFER, lines);
    let answered = index.answer_lines(&name, lines, defaults, options, &progress, |answered| {
        write_json(&mut out, &answered.json)?;
        out.write_all(b"\n")?;
        if answered.more { Ok(()) } else { out.flush() }
    });
    progress.finish();
    // Answers before an error are printed.
    let flushed = out.flush();
    let answered = answered?;
    flushed.context("standard output")?;
    problems::print(&answered.listed, answered.problems, problems::SHOWN, problems::STRICT);
    if args.verbose {
        let (answers, bad) = (answered.documents, answered.problems);
        tell(format_args!("{answers} questions answered, {bad} with a problem"));
    }
    let none = answered.documents == 0 && answered.problems > 0;
    Ok(if none { Exit::Failed } else { Exit::Done })
}
