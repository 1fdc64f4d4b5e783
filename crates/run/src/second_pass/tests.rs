//! Inputs that change between the two passes.

use crate::{Job, LookalikeError, Outcome, run_cluster, run_dedup};
use lookalike_engine::Progress;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Writes other content into a file when a phase begins, and restores its time.
struct Meddler {
    phase: &'static str,
    path: PathBuf,
    content: Vec<u8>,
    keep_time: bool,
}

impl Progress for Meddler {
    fn phase(&self, name: &'static str, _: Option<u64>) {
        if name == self.phase {
            let time = fs::metadata(&self.path).unwrap().modified().unwrap();
            fs::write(&self.path, &self.content).unwrap();
            let time = if self.keep_time { time } else { time + std::time::Duration::from_secs(2) };
            File::options().append(true).open(&self.path).unwrap().set_modified(time).unwrap();
        }
    }
}

type Run = fn(&Job, &dyn Progress) -> Result<Outcome, LookalikeError>;

/// Runs a job over a file that changes when the phase begins, and others that do not.
fn changed(
    run: Run,
    phase: &'static str,
    (name, before): (&str, &[u8]),
    after: &[u8],
    keep_time: bool,
) -> (Result<Outcome, LookalikeError>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, before).unwrap();
    fs::write(folder.path().join("a.jsonl"), lines(3)).unwrap();
    fs::write(folder.path().join("b.txt"), "some text that stays as it is").unwrap();
    let out = folder.path().join("out");
    let job = Job::new(vec![folder.path().display().to_string()], &out);
    let meddler = Meddler { phase, path, content: after.to_vec(), keep_time };
    let result = run(&job, &meddler);
    (result, leftovers(folder.path()) > 0)
}

/// Number of files that a run left.
fn leftovers(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with("out")).count()
}

fn lines(number: usize) -> String {
    (0..number).map(|n| format!("{{\"text\":\"one two three four five {}\"}}\n", n % 2)).collect()
}

/// A gzip member with one stored block (RFC 1952; RFC 1951, section 3.2.4).
fn stored_gzip(data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    packed.extend(length.to_le_bytes());
    packed.extend((!length).to_le_bytes());
    packed.extend(data);
    let bit = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    let crc =
        data.iter().fold(!0u32, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |c, _| bit(c)));
    packed.extend((!crc).to_le_bytes());
    packed.extend(u32::from(length).to_le_bytes());
    packed
}

#[test]
fn an_input_that_changes_between_the_passes_stops_the_run() {
    let whole = lines(6);
    // The same number of bytes: one line instead of two, a blank line, one more line.
    let joined = whole.replacen("}\n", "} ", 1);
    let blanked = format!("{}{}", " ".repeat(whole.len() - lines(5).len()), lines(5));
    let parted = whole.replacen(" five", "\n{}  ", 1);
    for after in [joined, blanked, parted] {
        assert_eq!(after.len(), whole.len(), "the size must not give it away");
        let (result, left) =
            changed(run_dedup, "writing", ("c.jsonl", whole.as_bytes()), after.as_bytes(), true);
        let error = result.unwrap_err();
        assert!(matches!(error, LookalikeError::Changed { .. }), "{error}");
        assert!(error.to_string().contains("c.jsonl: changed during the run"), "{error}");
        assert!(!left, "nothing is written");
    }
    // Shorter, or with another time: detected by the file's metadata.
    for (after, keep_time) in [(lines(2), true), (whole.clone(), false), (String::new(), false)] {
        let (result, left) = changed(
            run_dedup,
            "writing",
            ("c.jsonl", whole.as_bytes()),
            after.as_bytes(),
            keep_time,
        );
        let error = result.unwrap_err();
        assert!(error.to_string().contains("c.jsonl: changed while it was read"), "{error}");
        assert!(!left, "nothing is written");
    }
}

#[test]
fn a_problem_in_the_second_pass_only_stops_the_run() {
    let mut packed = stored_gzip(lines(40).as_bytes());
    let whole = packed.clone();
    // The checksum at its end: all records are read before the damage is detected.
    let at = packed.len() - 8;
    packed[at] ^= 1;
    for (run, phase) in [(run_dedup as Run, "writing"), (run_cluster as Run, "picking samples")] {
        let (result, left) = changed(run, phase, ("c.jsonl.gz", &whole), &packed, true);
        match phase {
            "writing" => {
                let error = result.unwrap_err().to_string();
                assert!(error.contains("c.jsonl.gz: byte "), "{error}");
                assert!(error.contains("the gzip data is damaged"), "{error}");
                assert!(error.contains("although it could be read before"), "{error}");
                assert!(!left);
            }
            // No decision is applied there, and the shown documents were found.
            _ => assert!(result.is_ok() && left),
        }
    }
    // The reverse: a file that was damaged and is then repaired.
    let skipping: Run =
        |job, progress| run_dedup(&Job { skip_unreadable: true, ..job.clone() }, progress);
    let (result, _) = changed(skipping, "writing", ("c.jsonl.gz", &packed), &whole, true);
    assert!(matches!(result.unwrap_err(), LookalikeError::Changed { .. }));
    // Damage in both passes is only counted.
    let (result, left) = changed(skipping, "writing", ("c.jsonl.gz", &packed), &packed, true);
    assert_eq!((result.unwrap().summary.problems, left), (1, true));
}
