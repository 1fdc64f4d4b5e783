//! What of a document is compared beside its words.

/// What of a document is compared beside its words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beside {
    /// A digest of the header fields, parts that are not read, and attachments of a message: equal in
    /// *identical* messages. `None` of what is no message.
    pub original: Option<u128>,
    /// A digest of the attachments of a message in any order; `None` without any. Messages with
    /// different attachments do not match.
    pub attachments: Option<u64>,
    /// A hash of all else that documents need to have in common to match (the setting distinct_by), of
    /// a document that is stored with it.
    pub distinct: Option<u64>,
    /// The key of the value by which it has to differ from others to match (the setting across), of a
    /// document that is stored with it.
    pub across: Option<u64>,
}

impl Beside {
    /// The field of a record in which a stored document has it.
    pub const FIELD: &'static str = "lookalike:message";

    /// It as text; `None` of nothing.
    ///
    /// ```
    /// use lookalike_io::Beside;
    ///
    /// for (original, attachments) in [(None, None), (Some(7), None), (Some(7), Some(8))] {
    ///     for (distinct, across) in [(None, None), (Some(9), None), (None, Some(1)), (Some(9), Some(1))] {
    ///         let beside = Beside { original, attachments, distinct, across };
    ///         let written = beside.written().unwrap_or_default();
    ///         assert_eq!(Beside::read(&written).unwrap_or_default(), beside);
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn written(&self) -> Option<String> {
        let mut written = String::new();
        if let Some(original) = self.original {
            written = format!("{original:032x}");
            if let Some(attachments) = self.attachments {
                written += &format!("{attachments:016x}");
            }
        }
        if let Some(distinct) = self.distinct {
            written += &format!("+{distinct:016x}");
        }
        if let Some(across) = self.across {
            written += &format!("@{across:016x}");
        }
        (!written.is_empty()).then_some(written)
    }

    /// What [`Beside::written`] wrote.
    #[must_use]
    pub fn read(written: &str) -> Option<Self> {
        let (written, across) = with_hash(written, '@')?;
        let (message, distinct) = with_hash(written, '+')?;
        if message.is_empty() {
            let is_some = distinct.is_some() || across.is_some();
            return is_some.then(|| Self { distinct, across, ..Self::default() });
        }
        let original = u128::from_str_radix(message.get(..32)?, 16).ok()?;
        let attachments = match message.get(32..)? {
            "" => None,
            rest => Some(u64::from_str_radix(rest, 16).ok()?),
        };
        Some(Self { original: Some(original), attachments, distinct, across })
    }
}

/// What is before a mark, and the hash behind it if it is there; `None` if that is no number.
fn with_hash(written: &str, mark: char) -> Option<(&str, Option<u64>)> {
    match written.split_once(mark) {
        None => Some((written, None)),
        Some((before, hash)) => Some((before, Some(u64::from_str_radix(hash, 16).ok()?))),
    }
}
