//! Signs documents outside of a run, and compares their sketches.

use crate::approach::{by_method, given, needs_statistics};
use crate::given_fields::refuse_fields_of;
use crate::index::IndexSettings;
use crate::{LookalikeError, MethodSettings, Settings};
use lookalike_engine::signer::permuted;
use lookalike_engine::{Approach, SignatureBlock, Signer, SignerScratch, Verify, reason_codes};
use lookalike_index::{SignatureView, StoredSignature};
use lookalike_io::{Beside, Content, NO_FIELDS, RecordView};
use lookalike_methods::hamming::Blocks;
use lookalike_methods::{CandidateSource, Evidence, Method, MethodSpec, Sketch};
use std::borrow::Cow;
use std::sync::Arc;

/// Signs documents with one method, and compares their sketches.
#[derive(Debug)]
pub struct MethodSigner {
    /// Its name and parameters, as given.
    pub(crate) spec: String,
    signer: Signer,
    method: Arc<dyn Method>,
    /// For words that are near each other: of d + 1 blocks, two words within distance d agree in
    /// one, so each block with its number is a key.
    blocks: Option<Blocks>,
}

impl MethodSigner {
    /// A method for documents of these settings.
    ///
    /// # Errors
    /// A method that does not exist, a lexicon that cannot be used or is missing.
    pub fn new(documents: &Settings, method: &MethodSettings) -> Result<Self, LookalikeError> {
        let analysis = &documents.analysis;
        let spec: MethodSpec = method.spec.parse()?;
        refuse_fields_of(&spec, "an index or a text")?;
        let statistics = given(analysis, method, &spec)?;
        if statistics.is_none() && needs_statistics(&spec) {
            return Err(LookalikeError::Settings(format!(
                "the method {spec} needs document frequencies, which do not change from one document to the \
                 next; give the setting lexicon"
            )));
        }
        let approach = by_method(method, &spec, statistics)?;
        let Some(built) = approach.method.clone() else {
            return Err(LookalikeError::Settings(format!("{spec} is no method")));
        };
        let blocks = match built.candidates() {
            CandidateSource::Keys => None,
            CandidateSource::Hamming { distance, .. } => Some(Blocks::new(distance + 1)),
        };
        // Only the signature is wanted, not the set.
        let approach = Approach { verify: Verify::Sketch, ..approach };
        let signer = Signer::for_approach(&documents.matching()?, &approach)?
            .with_given(&documents.given_fields()?);
        Ok(Self { spec: method.spec.clone(), signer, method: built, blocks })
    }

    /// The methods of an index, in order.
    ///
    /// # Errors
    /// As [`MethodSigner::new`].
    pub(crate) fn all(settings: &IndexSettings) -> Result<Vec<Self>, LookalikeError> {
        settings.methods.iter().map(|method| Self::new(&settings.documents, method)).collect()
    }

    /// Simhash weighted by term frequencies, of the documents of an index.
    ///
    /// # Errors
    /// None for settings of an index.
    pub fn simhash(settings: &IndexSettings) -> Result<Self, LookalikeError> {
        let method = crate::MethodSettings {
            spec: "simhash:weights=tf".into(),
            verify: lookalike_engine::Verify::Sketch,
            lexicon: None,
            lexicon_checksum: None,
            key_limit: None,
        };
        let settings = IndexSettings { methods: vec![method], ..settings.clone() };
        let mut all = Self::all(&settings)?;
        all.pop().ok_or_else(|| LookalikeError::Settings("there is no method simhash".into()))
    }

    /// Whether its sketches are words of which near ones are alike.
    pub fn makes_words(&self) -> bool {
        self.blocks.is_some()
    }

    /// Signs the text of a document, with what is compared beside it.
    pub fn sign_text(
        &self,
        text: &str,
        beside: Beside,
        scratch: &mut SignerScratch,
    ) -> StoredSignature {
        let record = RecordView {
            file: 0,
            record: 1,
            line: 1,
            id: None,
            content: Content::Text(Cow::Borrowed(text)),
            url: None,
            title: None,
            date: None,
            extra: &[],
            given: &NO_FIELDS,
            beside,
        };
        self.sign(&record, text, beside, scratch)
    }

    /// Signs a record with this text, and with what is compared beside it.
    pub fn sign(
        &self,
        record: &RecordView<'_>,
        text: &str,
        beside: Beside,
        scratch: &mut SignerScratch,
    ) -> StoredSignature {
        let mut record = RecordView { beside, ..record.clone() };
        if !self.method.uses_marks() {
            record.content = Content::Text(Cow::Borrowed(text));
        }
        let summary = self.signer.read(&mut record, scratch);
        let _ = self.signer.features(&summary, scratch, &mut Vec::new(), &mut Vec::new());
        let mut block = SignatureBlock::default();
        self.signer.sign(scratch, &mut block);
        let sketch = block.sketch(0);
        let keys = match (&self.blocks, sketch.words) {
            (Some(blocks), [word]) => block_keys(blocks, *word),
            // Messages with different attachments have no keys in common.
            (Some(blocks), [word, label]) => {
                let keys = block_keys(blocks, *word).into_iter();
                keys.map(|key| permuted(key, *label)).collect()
            }
            (Some(_), _) => Vec::new(),
            (None, _) => block.keys(0).to_vec(),
        };
        StoredSignature {
            keys,
            // The label of attachments is in the keys.
            sketch: match self.blocks {
                Some(_) => sketch.words.iter().take(1).copied().collect(),
                None => sketch.words.to_vec(),
            },
            size: sketch.size,
            level: sketch.level,
            unsigned: reason_codes::code(block.unsigned(0)),
        }
    }

    /// What the sketches of two documents say, if that makes them near-duplicates.
    pub fn accept(&self, a: SignatureView<'_>, b: SignatureView<'_>) -> Option<Evidence> {
        let evidence = self.method.compare(sketch(a), sketch(b));
        self.method.accepts(evidence).then_some(evidence)
    }
}

/// How far two signatures agree, from 0 to 1, as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed {
    /// Parts that agree.
    pub equal: u64,
    /// All parts.
    pub of: u64,
    /// The first signature of the method that agrees, if its sketches are rows of signatures.
    pub first: Option<u32>,
}

impl MethodSigner {
    /// How far two signatures agree, which the method takes for near-duplicates with this evidence.
    pub fn agreed(&self, evidence: Evidence, a: SignatureView<'_>, b: SignatureView<'_>) -> Agreed {
        let (equal, of) = match evidence {
            Evidence::Exact(counts) | Evidence::Sampled(counts) => {
                (counts.shared, (counts.a + counts.b).saturating_sub(counts.shared))
            }
            Evidence::Agreement { equal, of } => (equal, of),
            Evidence::Distance(bits) => (64u32.saturating_sub(bits), 64),
            Evidence::SameKey => {
                let agreement = self.method.agreement(sketch(a), sketch(b));
                if agreement.equal != 0 {
                    let (equal, of) = (agreement.equal.count_ones(), agreement.of);
                    let first = Some(agreement.equal.trailing_zeros());
                    return Agreed { equal: equal.into(), of: of.into(), first };
                }
                (1, 1)
            }
        };
        Agreed { equal: equal.into(), of: of.into(), first: None }
    }

    /// The words of a text that a signature of the method is made of, the rarest first.
    pub fn signature_words(
        &self,
        text: &str,
        signature: u32,
        most: usize,
        scratch: &mut SignerScratch,
    ) -> Vec<String> {
        self.signer.signature_words(text, signature, most, scratch)
    }
}

fn sketch(signature: SignatureView<'_>) -> Sketch<'_> {
    let SignatureView { sketch: words, size, level, .. } = signature;
    Sketch { words, size, level }
}

/// A key for each block of a word.
fn block_keys(blocks: &Blocks, word: u64) -> Vec<u64> {
    let key = |block: usize| {
        let bits = word & blocks.mask(block);
        lookalike_core::fingerprint::finalise(
            bits ^ lookalike_core::fingerprint::finalise(block as u64),
        )
    };
    (0..blocks.count()).map(key).collect()
}
