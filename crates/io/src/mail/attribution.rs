//! Words and lines of attributions (`On 1 May, Ann wrote:`), and quoted lines.

/// Verbs of an attribution, in lower case.
const VERBS: [&str; 28] = [
    "wrote",
    "writes",
    "said",
    "schrieb",
    "schreibt",
    "\u{e9}crit",
    "escribi\u{f3}",
    "scritto",
    "escreveu",
    "schreef",
    "geschreven",
    "skrev",
    "kirjoitti",
    "napisa\u{142}",
    "napisa\u{142}a",
    "napisa\u{142}(a)",
    "pisze",
    "napsal",
    "napsala",
    "napsal(a)",
    "scris",
    "\u{ed}rta",
    "yazd\u{131}",
    "\u{43d}\u{430}\u{43f}\u{438}\u{441}\u{430}\u{43b}",
    "\u{43d}\u{430}\u{43f}\u{438}\u{441}\u{430}\u{43b}\u{430}",
    "\u{43d}\u{430}\u{43f}\u{438}\u{441}\u{430}\u{43b}(\u{430})",
    "\u{43f}\u{438}\u{448}\u{435}\u{442}",
    "\u{3ad}\u{3b3}\u{3c1}\u{3b1}\u{3c8}\u{3b5}",
];

/// Ends of an attribution in languages without spaces, or with endings.
const ENDINGS: [&str; 5] = [
    "\u{5199}\u{9053}",
    "\u{5beb}\u{9053}",
    "\u{306e}\u{30e1}\u{30c3}\u{30bb}\u{30fc}\u{30b8}",
    "\u{66f8}\u{304d}\u{307e}\u{3057}\u{305f}",
    "\u{c791}\u{c131}",
];

/// First words of an attribution of several lines.
pub(super) const OPENERS: [&str; 16] = [
    "On", "In", "Am", "Le", "El", "Il", "Em", "Op", "At", "Den", "P\u{e5}", "W", "Dnia", "Dne",
    "Pe", "\u{5728}",
];

/// Longest attribution in bytes, and its most lines.
pub(super) const ATTRIBUTION: (usize, usize) = (300, 3);

/// Whether a line is quoted.
pub(super) fn is_quoted(line: &str) -> bool {
    line.trim_start_matches([' ', '\t']).starts_with('>')
}

/// Whether a word is the verb of an attribution.
pub(super) fn is_verb(word: &str) -> bool {
    VERBS.contains(&word.to_lowercase().as_str()) || ENDINGS.iter().any(|end| word.ends_with(end))
}
