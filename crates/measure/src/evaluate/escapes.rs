//! Ids in a tab-separated file of labels, escaped as in the tables of a run.

/// Escapes an id: `\t` for a tab, `\n` and `\r` for line ends, `\\` for a backslash.
///
/// ```
/// use lookalike::evaluation::{escaped, unescaped};
///
/// assert_eq!(escaped("C:\\a\tb"), "C:\\\\a\\tb");
/// assert_eq!(unescaped("C:\\\\a\\tb").as_deref(), Some("C:\\a\tb"));
/// ```
#[must_use]
pub fn escaped(id: &str) -> String {
    let mut written = String::with_capacity(id.len());
    for c in id.chars() {
        match c {
            '\\' => written.push_str("\\\\"),
            '\t' => written.push_str("\\t"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            c => written.push(c),
        }
    }
    written
}

/// The id that was [`escaped`]; `None` for a backslash that escapes nothing.
#[must_use]
pub fn unescaped(field: &str) -> Option<String> {
    let (mut id, mut rest) = (String::new(), field.chars());
    while let Some(c) = rest.next() {
        id.push(match c {
            '\\' => match rest.next()? {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                '\\' => '\\',
                _ => return None,
            },
            c => c,
        });
    }
    Some(id)
}
