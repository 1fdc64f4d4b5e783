//! A random history of an index on a failing disk, and what was acknowledged.

use crate::model::{Document, Expected, Model, Rules, makers};
use lookalike_core::Measure;
use lookalike_index::{Description, Disk, DocumentBatch, IndexError, IndexWriter, Snapshot};
use lookalike_testing::failing_disk::FailingDisk;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The directory of the index.
pub(crate) const DIR: &str = "/index";

/// A file of the caller: its name and content.
pub(crate) const FILE: (&str, &[u8]) = ("own", &[7; 3000]);

/// Records of the caller, by table and key.
pub(crate) type RecordMap = BTreeMap<(u8, Vec<u8>), Vec<u8>>;

/// What an index holds after a commit.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) commit: u64,
    pub(crate) model: Model,
    pub(crate) expected: Expected,
    pub(crate) records: RecordMap,
}

impl Content {
    pub(crate) fn new(commit: u64, model: Model, records: RecordMap, rules: &Rules) -> Self {
        Self { commit, expected: Expected::of(&model, rules), model, records }
    }
}

/// What the writer is doing.
#[derive(Debug, Clone, Default)]
pub(crate) enum UnderWay {
    /// Nothing that a commit has to do with, or staging.
    #[default]
    Nothing,
    /// A commit.
    Commit(Arc<Content>),
    /// Merges, each of which is a commit that changes no document.
    Merge,
    /// A merge of all segments.
    Compact,
    /// Opening an existing index.
    Open,
}

/// What was committed, and what is under way.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// The last commit that was acknowledged; `None` until the index exists.
    pub(crate) acknowledged: Option<Arc<Content>>,
    pub(crate) under_way: UnderWay,
}

pub(crate) type SharedHistory = Arc<Mutex<History>>;

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number in 0..below.
    pub(crate) fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    /// A text of a family of near texts, a short one, or none.
    pub(crate) fn text(&mut self) -> String {
        const FAMILIES: [&str; 4] =
            ["a b c d e f g h", "k l m n o p q r s t", "a b c d m n", "u v w x y z"];
        let mut words: Vec<String> = match self.below(10) {
            0 => Vec::new(),
            1 | 2 => (0..self.below(8)).map(|_| self.letters(2)).collect(),
            _ => self.pick(&FAMILIES).split(' ').map(str::to_owned).collect(),
        };
        for _ in 0..self.below(4) {
            words.push(self.letters(1));
        }
        words.join(" ")
    }

    fn letters(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }

    fn document(&mut self) -> Document {
        let id = format!("d{}", self.below(30));
        let score = match self.below(4) {
            0 => f64::NAN,
            score => score as f64,
        };
        Document::new(&id, u32::from(self.chance(15)), &self.text(), score)
    }
}

/// The rules of the index of a history, by a number.
pub(crate) fn rules(number: u64) -> Rules {
    let (measure, threshold, keep, texts) = match number % 3 {
        0 => (Measure::Resemblance, "0.5", vec!["max:x", "first"], true),
        1 => (Measure::Containment, "0.7", vec!["longest"], false),
        _ => (Measure::Cosine, "0.6", vec!["newest"], true),
    };
    let keep = keep.into_iter().map(str::to_owned).collect();
    let lean = (number % 6 == 2).then(|| ("0.3".to_owned(), "a b c".to_owned()));
    Rules { measure, threshold: threshold.to_owned(), keep, texts, lean }
}

/// Another index, whose documents are taken.
struct Other {
    snapshot: Arc<Snapshot>,
    documents: Vec<Document>,
}

impl Other {
    fn new(rules: &Rules, random: &mut Random) -> Self {
        let disk: Arc<dyn Disk> = Arc::new(FailingDisk::new());
        let create = IndexWriter::create(disk, Path::new(DIR), rules.description(), makers());
        let mut writer = create.unwrap();
        let mut model = Model::default();
        for _ in 0..2 {
            writer.stage(&[batch_of(rules, &mut model, random, 4)]).unwrap();
            writer.commit().unwrap();
        }
        let mut documents: Vec<Document> = model.documents.into_values().collect();
        documents.sort_by_key(|document| document.first);
        Self { snapshot: Arc::clone(writer.snapshot()), documents }
    }
}

/// Random documents, which are added to the model too.
fn batch_of(rules: &Rules, model: &mut Model, random: &mut Random, most: u64) -> DocumentBatch {
    let keep = rules.rules();
    let mut batch = DocumentBatch::default();
    for _ in 0..=random.below(most) {
        let document = random.document();
        document.push_to(&keep, &mut batch);
        model.add(document);
    }
    batch
}

/// The writer of a history, which goes on until a step fails.
pub(crate) struct Session {
    disk: Arc<dyn Disk>,
    rules: Rules,
    /// `None` while it is being opened.
    writer: Option<IndexWriter>,
    model: Model,
    records: RecordMap,
    random: Random,
    others: Vec<Other>,
    history: SharedHistory,
}

impl Session {
    /// Creates an index. `seed` and the number of the rules make a history.
    pub(crate) fn create(
        disk: &FailingDisk,
        rules: Rules,
        seed: u64,
        history: &SharedHistory,
    ) -> Result<Self, IndexError> {
        let mut random = Random(seed);
        let others = (0..2).map(|_| Other::new(&rules, &mut random)).collect();
        let mut session = Self {
            disk: Arc::new(disk.clone()),
            rules,
            writer: None,
            model: Model::default(),
            records: RecordMap::new(),
            random,
            others,
            history: Arc::clone(history),
        };
        session.begin(UnderWay::Commit(session.content(0)));
        let description = session.rules.description();
        let disk = Arc::clone(&session.disk);
        let mut files: [(String, Box<dyn Read>); 1] = [(FILE.0.to_owned(), Box::new(FILE.1))];
        let dir = Path::new(DIR);
        let writer = IndexWriter::create_with(disk, dir, description, makers(), &mut files)?;
        session.writer = Some(writer);
        session.acknowledge_commit();
        Ok(session)
    }

    fn content(&self, commit: u64) -> Arc<Content> {
        let (model, records) = (self.model.clone(), self.records.clone());
        Arc::new(Content::new(commit, model, records, &self.rules))
    }

    fn begin(&self, under_way: UnderWay) {
        self.history.lock().unwrap().under_way = under_way;
    }

    /// The commit under way was acknowledged.
    fn acknowledge_commit(&self) {
        let mut history = self.history.lock().unwrap();
        let UnderWay::Commit(next) = std::mem::take(&mut history.under_way) else {
            panic!("no commit is under way")
        };
        history.acknowledged = Some(next);
    }

    /// Merges were acknowledged.
    fn acknowledge_merges(&mut self) {
        let commit = self.commit();
        let content = self.content(commit);
        let mut history = self.history.lock().unwrap();
        history.under_way = UnderWay::Nothing;
        history.acknowledged = Some(content);
    }

    fn writer(&mut self) -> &mut IndexWriter {
        self.writer.as_mut().expect("it is open between two steps")
    }

    fn commit(&mut self) -> u64 {
        self.writer().snapshot().commit()
    }

    /// Runs so many steps, and says `Stopped` to each further one after an error.
    pub(crate) fn run(&mut self, steps: usize) -> Result<(), IndexError> {
        for _ in 0..steps {
            let result = self.step();
            if result.is_err() {
                self.check_stopped();
                return result;
            }
        }
        Ok(())
    }

    /// A writer that saw an error says so from then on.
    fn check_stopped(&mut self) {
        let rules = self.rules.clone();
        let batch = batch_of(&rules, &mut Model::default(), &mut Random(1), 1);
        let other = Arc::clone(&self.others[0].snapshot);
        let Some(writer) = &mut self.writer else { return };
        let stopped = |result: Result<(), IndexError>| {
            let error = result.unwrap_err();
            assert!(matches!(error, IndexError::Stopped { .. }), "{error}");
        };
        stopped(writer.commit().map(drop));
        stopped(writer.stage(&[batch]).map(drop));
        stopped(writer.take(&other, &|sweep| sweep));
        // What was staged is given up, so that only the error is in the way of a merge.
        let _ = writer.abandon();
        stopped(writer.merge_where_due());
        stopped(writer.compact());
        stopped(writer.commit().map(drop));
    }

    fn step(&mut self) -> Result<(), IndexError> {
        match self.random.below(100) {
            0..62 => self.change(),
            62..72 => self.take(),
            72..82 => self.compact(),
            82..90 => self.abandon(),
            _ => self.reopen(),
        }
    }

    /// Deletes, adds in several segments and records, all in one commit.
    fn change(&mut self) -> Result<(), IndexError> {
        let (rules, mut random) = (self.rules.clone(), self.random.clone());
        let mut model = self.model.clone();
        if random.chance(60) {
            let snapshot = Arc::clone(self.writer().snapshot());
            let known: Vec<(String, u32)> = model.documents.keys().cloned().collect();
            for _ in 0..random.below(6).min(known.len() as u64) {
                let (id, sweep) = random.pick(&known);
                let gone = model.documents.remove(&(id.clone(), *sweep)).is_some();
                let at = snapshot.with_id_in(id, *sweep).unwrap();
                assert_eq!(self.writer().delete(at), gone);
            }
        }
        if random.chance(85) {
            for _ in 0..=random.below(3) {
                self.writer().stage(&[batch_of(&rules, &mut model, &mut random, 3)])?;
            }
        }
        if random.chance(40) {
            for _ in 0..=random.below(3) {
                let (table, key) = (random.below(2) as u8, vec![random.below(10) as u8]);
                let value = random.chance(70).then(|| vec![random.below(256) as u8; 100]);
                self.writer().put(table, &key, value.as_deref());
                match value {
                    Some(value) => self.records.insert((table, key), value),
                    None => self.records.remove(&(table, key)),
                };
            }
        }
        (self.model, self.random) = (model, random);
        self.commit_and_merge()
    }

    fn take(&mut self) -> Result<(), IndexError> {
        let which = self.random.below(self.others.len() as u64) as usize;
        let other = &self.others[which];
        let writer = self.writer.as_mut().expect("it is open between two steps");
        writer.take(&other.snapshot, &|sweep| sweep)?;
        for document in &other.documents {
            self.model.add(document.clone());
        }
        self.commit_and_merge()
    }

    fn commit_and_merge(&mut self) -> Result<(), IndexError> {
        let before = self.commit();
        self.begin(UnderWay::Commit(self.content(before + 1)));
        let committed = self.writer().commit()?;
        // Without any change there is no commit.
        if committed.commit == before {
            self.begin(UnderWay::Nothing);
            return Ok(());
        }
        assert_eq!(committed.commit, before + 1);
        assert_eq!(committed.documents as usize, self.model.documents.len());
        self.acknowledge_commit();
        self.begin(UnderWay::Merge);
        self.writer().merge_where_due()?;
        self.acknowledge_merges();
        Ok(())
    }

    fn compact(&mut self) -> Result<(), IndexError> {
        self.begin(UnderWay::Compact);
        self.writer().compact()?;
        self.acknowledge_merges();
        Ok(())
    }

    fn abandon(&mut self) -> Result<(), IndexError> {
        let (rules, mut random) = (self.rules.clone(), self.random.clone());
        let batch = batch_of(&rules, &mut Model::default(), &mut random, 3);
        self.random = random;
        let writer = self.writer();
        let snapshot = Arc::clone(writer.snapshot());
        for at in snapshot.documents().take(2) {
            writer.delete(at);
        }
        writer.put(0, b"abandoned", Some(b"?"));
        writer.stage(&[batch])?;
        writer.abandon()
    }

    fn reopen(&mut self) -> Result<(), IndexError> {
        self.begin(UnderWay::Open);
        self.writer = None;
        let dir = Path::new(DIR);
        let description = Description::read(&*self.disk, dir)?;
        description.expect(dir, &self.rules.description())?;
        let disk = Arc::clone(&self.disk);
        self.writer = Some(IndexWriter::open(disk, dir, description, makers())?);
        self.begin(UnderWay::Nothing);
        Ok(())
    }

    /// Closes the writer.
    pub(crate) fn close(&mut self) {
        self.writer = None;
    }

    /// Goes on with a new writer, from a commit that was found after an error.
    pub(crate) fn go_on(&mut self, found: &Arc<Content>, steps: usize) -> Result<(), IndexError> {
        (self.model, self.records) = (found.model.clone(), found.records.clone());
        self.history.lock().unwrap().acknowledged = Some(Arc::clone(found));
        self.reopen()?;
        self.run(steps)
    }
}
