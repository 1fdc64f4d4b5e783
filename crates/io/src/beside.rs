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
    ///     for distinct in [None, Some(9)] {
    ///         let beside = Beside { original, attachments, distinct };
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
        (!written.is_empty()).then_some(written)
    }

    /// What [`Beside::written`] wrote.
    #[must_use]
    pub fn read(written: &str) -> Option<Self> {
        let (message, distinct) = match written.split_once('+') {
            None => (written, None),
            Some((message, distinct)) => (message, Some(u64::from_str_radix(distinct, 16).ok()?)),
        };
        if message.is_empty() {
            return distinct.map(|_| Self { distinct, ..Self::default() });
        }
        let original = u128::from_str_radix(message.get(..32)?, 16).ok()?;
        let attachments = match message.get(32..)? {
            "" => None,
            rest => Some(u64::from_str_radix(rest, 16).ok()?),
        };
        Some(Self { original: Some(original), attachments, distinct })
    }
}
