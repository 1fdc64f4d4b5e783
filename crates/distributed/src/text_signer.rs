//! Feature sets and signatures of texts, for callers that compare documents in their own way.

use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{EngineError, Progress, Signer, SignerScratch, reason_codes};
use lookalike_io::source::{Piece, VisitScratch};
use lookalike_io::{Inputs, Item, Problem};
use lookalike_run::analysis::pool;
use lookalike_run::feature_settings;
use lookalike_run::method_signer::MethodSigner;
use lookalike_run::opened::Opened;
use lookalike_run::panics::caught;
use lookalike_run::settings::thread_count;
use lookalike_run::{LookalikeError, Resources, Settings, Source};

/// Makes the feature sets, and with [`Settings::method`] the signatures, that a run makes of its
/// documents.
///
/// ```
/// use lookalike::methods::MethodSettings;
/// use lookalike::{Resources, Settings, Silent, Source};
/// use lookalike::distributed::{TextSigner, Wants};
/// use lookalike::settings::Verify;
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let spec = "minhash-lsh:bands=4,rows=2".into();
/// let method = MethodSettings { spec, verify: Verify::Exact, lexicon: None, lexicon_checksum: None, key_limit: None };
/// let signer = TextSigner::new(&Settings { method: Some(method), ..Settings::default() })?;
/// let texts = ["a rose is a rose is a rose", "a rose is a rose is a rose!", ""];
/// let wants = Wants { features: true, signatures: true };
/// let signed = signer.sign(Source::records(texts), wants, &Resources::default(), &Silent)?;
/// assert_eq!(signed.keys.get(0).map(<[u64]>::len), Some(4));
/// assert_eq!(signed.keys.get(0), signed.keys.get(1));
/// assert_eq!(signed.features.get(0).map(<[u64]>::len), Some(3));
/// assert_eq!((signed.len(), signed.keys.get(2)), (3, None));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TextSigner {
    settings: Settings,
    sets: Signer,
    method: Option<MethodSigner>,
}

/// What is made of texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wants {
    /// The exact feature sets.
    pub features: bool,
    /// Keys and sketches of the method.
    pub signatures: bool,
}

/// A list of numbers for each row, or none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// The numbers of all rows.
    pub values: Vec<u64>,
    /// For each row the end of its numbers in `values`.
    pub ends: Vec<usize>,
    /// For each row whether it has a list.
    pub valid: Vec<bool>,
}

impl Lists {
    /// The numbers of a row.
    ///
    /// # Panics
    /// A row beyond the last.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&[u64]> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        self.valid[row].then(|| &self.values[start..self.ends[row]])
    }

    fn push(&mut self, list: Option<&[u64]>) {
        self.values.extend_from_slice(list.unwrap_or_default());
        self.ends.push(self.values.len());
        self.valid.push(list.is_some());
    }

    fn append(&mut self, other: Self) {
        let before = self.values.len();
        self.values.extend(other.values);
        self.ends.extend(other.ends.into_iter().map(|end| before + end));
        self.valid.extend(other.valid);
    }
}

/// The features and signatures of the rows of a source, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignedTexts {
    /// Feature sets, ascending; none for texts without features. Empty if they were not wanted.
    pub features: Lists,
    /// Keys of the method: documents with a common one are candidates. None for documents that it
    /// cannot sign. Empty if they were not wanted.
    pub keys: Lists,
    /// Sketches of the method.
    pub sketches: Lists,
    rows: usize,
}

impl SignedTexts {
    /// Number of rows, with those that could not be read.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    fn append(&mut self, other: Self) {
        self.rows += other.rows;
        self.features.append(other.features);
        self.keys.append(other.keys);
        self.sketches.append(other.sketches);
    }

    fn bytes(&self) -> u64 {
        let lists = [&self.features, &self.keys, &self.sketches];
        lists.iter().map(|lists| 8 * (lists.values.len() + lists.ends.len()) as u64).sum()
    }
}

#[derive(Default)]
struct Scratch {
    visit: VisitScratch,
    sign: SignerScratch,
    set: Vec<u64>,
}

impl TextSigner {
    /// A signer of documents of these settings.
    ///
    /// # Errors
    /// Settings that make no sense, or that depend on all documents:
    /// [`Settings::ignore_common`], and a method that needs document frequencies without
    /// [`MethodSettings::lexicon`](lookalike_run::MethodSettings::lexicon).
    pub fn new(settings: &Settings) -> Result<Self, LookalikeError> {
        feature_settings::refuse(&settings.fields, "a signer of texts")?;
        settings.check()?;
        settings.refuse(
            &["boilerplate", "ignore_text", "across"],
            "texts that are signed one by one",
        )?;
        settings.refuse_fields_of_method("texts that are signed one by one")?;
        if settings.ignore_common.is_some() {
            return Err(LookalikeError::Settings(
                "the setting ignore_common depends on all documents, and texts are signed one by one; leave it out"
                    .into(),
            ));
        }
        let method = settings.method.as_ref().map(|method| MethodSigner::new(settings, method));
        let sets = Signer::new(&settings.matching()?).with_given(&settings.given_fields()?);
        let method = method.transpose()?;
        Ok(Self { settings: settings.clone(), sets, method })
    }

    /// Signs all rows of a source, on [`Resources::threads`] threads. The result is in memory, and
    /// the same for any number of them.
    ///
    /// # Errors
    /// Signatures are wanted and there is no method; a source that ends with an error; a
    /// cancellation.
    pub fn sign(
        &self,
        source: Source<'_>,
        wants: Wants,
        resources: &Resources,
        progress: &dyn Progress,
    ) -> Result<SignedTexts, LookalikeError> {
        if wants.signatures && self.method.is_none() {
            return Err(LookalikeError::Settings(
                "signatures are those of a method; name one with the setting method".into(),
            ));
        }
        let threads = thread_count(resources.threads);
        let pool = pool(threads)?;
        caught(|| pool.install(|| self.sign_all(source, wants, threads, progress)))
    }

    fn sign_all(
        &self,
        source: Source<'_>,
        wants: Wants,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<SignedTexts, LookalikeError> {
        let opened = Opened::new(source, self.settings.reading(Vec::new(), None), progress)?;
        let limits = PipelineLimits { threads, in_flight: 64 << 20 };
        let (mut all, mut outcome) = (SignedTexts::default(), Ok(()));
        let read = opened.ordered(
            limits,
            Scratch::default,
            |scratch, piece| self.sign_piece(piece, &opened.inputs, wants, scratch),
            |signed: &Result<SignedTexts, Problem>| signed.as_ref().map_or(0, SignedTexts::bytes),
            |signed| {
                match signed {
                    Ok(signed) => {
                        progress.advance(signed.rows as u64, signed.rows as u64);
                        all.append(signed);
                    }
                    Err(problem) => outcome = Err(EngineError::Unreadable(problem).into()),
                }
                if progress.cancelled() {
                    outcome = Err(EngineError::Cancelled.into());
                }
                outcome.is_ok()
            },
        );
        outcome.and(read).map(|()| all)
    }

    fn sign_piece(
        &self,
        piece: Piece,
        inputs: &Inputs,
        wants: Wants,
        scratch: &mut Scratch,
    ) -> Result<SignedTexts, Problem> {
        let mut signed = SignedTexts::default();
        let Scratch { visit, sign, set } = scratch;
        let mut failed = None;
        piece.whole()?.visit(inputs, visit, &mut |item| {
            signed.rows += 1;
            let record = match &item {
                Item::Record(record) => Some((record, self.sets.text_and_beside(record, sign))),
                Item::Bad(_) => None,
                Item::Failed(failure) => {
                    failed.get_or_insert_with(|| failure.problem().clone());
                    None
                }
            };
            if wants.features {
                let made = record
                    .as_ref()
                    .map(|(_, (text, beside))| self.sets.message_set(text, *beside, sign, set));
                let has = made.is_some_and(|made| made.unit.is_ok());
                signed.features.push(has.then_some(&**set));
            }
            if let Some(method) = self.method.as_ref().filter(|_| wants.signatures) {
                let made = record
                    .as_ref()
                    .map(|(record, (text, beside))| method.sign(record, text, *beside, sign));
                let made = made.filter(|made| made.unsigned == reason_codes::code(None));
                signed.keys.push(made.as_ref().map(|made| &*made.keys));
                signed.sketches.push(made.as_ref().map(|made| &*made.sketch));
            }
        });
        failed.map_or(Ok(signed), Err)
    }
}
