//! Records and files that could not be used: all counted, the first ones listed.
//!
//! A wrong field name makes every record a problem; listing millions of messages would take
//! unbounded memory. The records are not lost: the second pass writes all of them to `rejected`.

use lookalike_io::Problem;
use lookalike_spill::{Decoder, Encoder};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};

/// Records and files that could not be used, in input order.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    listed: Vec<Problem>,
    /// Number of problems by file.
    counts: BTreeMap<u32, u64>,
    /// Files that are unreadable, wholly or from some offset on.
    unreadable: BTreeSet<u32>,
}

/// Marks an unknown offset.
const NO_OFFSET: u64 = u64::MAX;

impl Problems {
    /// Most problems listed: some 20 MB. The first unreadable input is always among them.
    pub const LISTED: usize = 100_000;

    /// Counts a problem, and lists it if fewer than [`Problems::LISTED`] are listed.
    pub fn push(&mut self, problem: Problem) {
        *self.counts.entry(problem.file).or_default() += 1;
        if problem.unreadable {
            self.unreadable.insert(problem.file);
        }
        self.list(problem);
    }

    fn list(&mut self, problem: Problem) {
        if self.listed.len() < Self::LISTED {
            self.listed.push(problem);
        } else if problem.unreadable
            && self.first_unreadable().is_none()
            && let Some(last) = self.listed.last_mut()
        {
            *last = problem;
        }
    }

    /// Appends other problems.
    pub fn append(&mut self, other: Self) {
        for (file, count) in other.counts {
            *self.counts.entry(file).or_default() += count;
        }
        self.unreadable.extend(other.unreadable);
        for problem in other.listed {
            // Beyond the limit, only the first unreadable input is of interest.
            if self.listed.len() < Self::LISTED || problem.unreadable {
                self.list(problem);
            }
        }
    }

    /// Writes them.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn write(&self, out: &mut Encoder<impl Write>) -> io::Result<()> {
        out.array(&self.counts.keys().copied().collect::<Vec<u32>>())?;
        out.array(&self.counts.values().copied().collect::<Vec<u64>>())?;
        out.array(&self.unreadable.iter().copied().collect::<Vec<u32>>())?;
        out.numbers(&[self.listed.len() as u64])?;
        for Problem { file, path, record, line, offset, message, unreadable } in &self.listed {
            out.numbers(&[*file, *record, u32::from(*unreadable)])?;
            out.numbers(&[*line, offset.unwrap_or(NO_OFFSET)])?;
            out.array(path.as_bytes())?;
            out.array(message.as_bytes())?;
        }
        Ok(())
    }

    /// Reads what [`Problems::write`] wrote, each array at most `most` bytes long.
    ///
    /// # Errors
    /// The error of the reader, or content that is none of problems.
    pub fn read(from: &mut Decoder<impl Read>, most: u64) -> io::Result<Self> {
        let (files, counts) = (from.array::<u32>(most)?, from.array::<u64>(most)?);
        let mut problems = Self {
            counts: files.into_iter().zip(counts).collect(),
            unreadable: from.array::<u32>(most)?.into_iter().collect(),
            listed: Vec::new(),
        };
        for _ in 0..from.number::<u64>()? {
            let (file, record) = (from.number()?, from.number()?);
            let unreadable = from.number::<u32>()? != 0;
            let line = from.number()?;
            let offset = Some(from.number()?).filter(|&offset| offset != NO_OFFSET);
            let mut text = || String::from_utf8(from.array(most)?).map_err(io::Error::other);
            let (path, message) = (text()?, text()?);
            let problem = Problem { file, path, record, line, offset, message, unreadable };
            problems.listed.push(problem);
        }
        Ok(problems)
    }

    /// Number of problems.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Number of problems by file; files without problems are omitted.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64)> {
        self.counts.iter().map(|(&file, &count)| (file, count))
    }

    /// The files that are unreadable, wholly or from some offset on.
    pub fn unreadable(&self) -> impl Iterator<Item = u32> {
        self.unreadable.iter().copied()
    }

    /// The first listed problem that makes an input unreadable.
    #[must_use]
    pub fn first_unreadable(&self) -> Option<&Problem> {
        self.listed.iter().find(|problem| problem.unreadable)
    }

    /// The listed problems.
    #[must_use]
    pub fn listed(&self) -> &[Problem] {
        &self.listed
    }

    /// The first problem.
    #[must_use]
    pub fn into_listed(self) -> Vec<Problem> {
        self.listed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(file: u32, record: u32) -> Problem {
        let (path, message) = (String::new(), String::new());
        let (line, offset, unreadable) = (0, None, record == 4);
        Problem { file, path, record, line, offset, message, unreadable }
    }

    #[test]
    fn they_come_back_from_disk() {
        let mut problems = Problems::default();
        for (record, offset) in [(3, Some(77)), (4, None)] {
            problems.push(Problem { offset, message: "größer".into(), ..problem(2, record) });
        }
        let mut written = Encoder(Vec::new());
        problems.write(&mut written).unwrap();
        let read = Problems::read(&mut Decoder(&*written.0), 1000).unwrap();
        assert_eq!(format!("{read:?}"), format!("{problems:?}"));
        assert_eq!(read.unreadable().collect::<Vec<_>>(), [2]);
        assert_eq!(read.first_unreadable().map(|problem| problem.record), Some(4));
    }

    #[test]
    fn all_are_counted_and_the_first_are_kept() {
        let of = |file: u32, count: u32| {
            let mut problems = Problems::default();
            (0..count).for_each(|record| problems.push(problem(file, record)));
            problems
        };
        let most = Problems::LISTED as u32 - 3;
        let mut all = of(0, 2);
        [of(1, most), of(2, 0), of(1, 5), of(0, 7)].into_iter().for_each(|more| all.append(more));
        assert_eq!(all.count(), u64::from(most) + 14);
        assert_eq!(all.counts().collect::<Vec<_>>(), [(0, 9), (1, u64::from(most) + 5)]);
        let listed = all.into_listed();
        assert_eq!(listed.len(), Problems::LISTED);
        assert_eq!((listed[2].file, listed[2].record), (1, 0));
        assert_eq!(listed.last().map(|last| (last.file, last.record)), Some((1, 0)));
    }

    #[test]
    fn an_unreadable_input_is_listed_whatever_is_before_it() {
        // Record 4 is unreadable here.
        let mut all = Problems::default();
        (0..Problems::LISTED as u32 + 5).for_each(|_| all.push(problem(0, 1)));
        assert_eq!(all.first_unreadable(), None);
        let mut others = Problems::default();
        others.push(problem(1, 4));
        others.push(problem(2, 4));
        all.append(others);
        assert_eq!(all.first_unreadable().map(|first| first.file), Some(1));
        assert_eq!(all.listed().len(), Problems::LISTED);
        all.push(problem(3, 4));
        assert_eq!(all.first_unreadable().map(|first| first.file), Some(1));
    }
}
