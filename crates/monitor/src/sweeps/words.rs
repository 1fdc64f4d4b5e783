//! Simhashes of documents, by which the weight of a change is measured (Seshasai 2009, section
//! 2.6.1).

use lookalike_engine::SignerScratch;
use lookalike_index::{DocAt, Snapshot, TextReader};
use lookalike_run::LookalikeError;
use lookalike_run::index::open::Index;
use lookalike_run::method_signer::MethodSigner;

/// The simhashes of documents: those of a method of the index, or made from the texts.
pub(super) struct Words<'a> {
    snapshot: &'a Snapshot,
    method: WordsFrom,
}

enum WordsFrom {
    Stored(usize),
    Made(Box<MethodSigner>),
    Nothing,
}

#[derive(Default)]
pub(super) struct WordScratch {
    texts: TextReader,
    signer: SignerScratch,
}

impl<'a> Words<'a> {
    pub(super) fn new(index: &'a Index, snapshot: &'a Snapshot) -> Result<Self, LookalikeError> {
        let methods = &index.analysis.methods;
        let stored = methods.iter().position(MethodSigner::makes_words);
        let method = match stored {
            Some(method) => WordsFrom::Stored(method),
            None if index.settings().texts => {
                let signer = MethodSigner::simhash(index.settings())?;
                WordsFrom::Made(Box::new(signer))
            }
            None => WordsFrom::Nothing,
        };
        Ok(Self { snapshot, method })
    }

    /// Bits in which the simhashes of two documents differ; `None` if one has none.
    pub(super) fn distance(
        &self,
        a: DocAt,
        b: DocAt,
        scratch: &mut WordScratch,
    ) -> Result<Option<u32>, LookalikeError> {
        let (a, b) = (self.of(a, scratch)?, self.of(b, scratch)?);
        Ok(a.zip(b).map(|(a, b)| (a ^ b).count_ones()))
    }

    fn of(&self, at: DocAt, scratch: &mut WordScratch) -> Result<Option<u64>, LookalikeError> {
        let document = self.snapshot.document(at);
        let signature = match &self.method {
            WordsFrom::Nothing => return Ok(None),
            WordsFrom::Stored(method) => document.signature(*method),
            WordsFrom::Made(signer) => {
                let text = document.text(&mut scratch.texts)?;
                signer.sign_text(text, lookalike_io::Beside::default(), &mut scratch.signer)
            }
        };
        Ok(match signature.sketch[..] {
            [word] => Some(word),
            _ => None,
        })
    }
}
