//! Names of fields in messages about a missing one, the likely ones first.

/// Names under which collections keep the same thing.
const ALIKE: &[&[&str]] = &[
    &["text", "content", "body", "rawcontent", "fulltext", "document", "article", "passage"],
    &["html", "page", "source", "rawhtml"],
    &["url", "uri", "link", "href", "sourceurl"],
    &["id", "docid", "documentid", "uuid", "guid", "key", "identifier"],
    &["title", "headline", "heading", "subject", "name"],
    &["date", "time", "timestamp", "created", "createdat", "published", "publishedat", "modified"],
];

/// The names, at most `most`, the one that was likely meant first and again at the end: "doc.text, id
/// (did you mean `doc.text`?)".
pub(crate) fn listed<S: AsRef<str>>(wanted: &[&str], names: &[S], most: usize) -> String {
    if names.is_empty() {
        return "none at all".to_owned();
    }
    let likely = likely(wanted, names);
    let first = likely.map(|at| names[at].as_ref());
    let others = names.iter().enumerate().filter(|(at, _)| Some(*at) != likely);
    let ordered = first.into_iter().chain(others.map(|(_, name)| name.as_ref()));
    let mut shown_names: Vec<String> = ordered.take(most).map(shown).collect();
    if names.len() > most {
        shown_names.push("...".to_owned());
    }
    let all = shown_names.join(", ");
    match first {
        Some(first) => format!("{all} (did you mean `{}`?)", shown(first)),
        None => all,
    }
}

/// A field's name in a message: it comes from a document and may be long or contain control
/// characters.
pub(crate) fn shown(name: &str) -> String {
    const LENGTH: usize = 40;
    name.escape_debug().take(LENGTH).collect()
}

/// The name that was likely meant, if any.
fn likely<S: AsRef<str>>(wanted: &[&str], names: &[S]) -> Option<usize> {
    let distances = names.iter().enumerate().filter_map(|(at, name)| {
        let name = name.as_ref();
        let nearest = wanted.iter().filter_map(|wanted| distance(wanted, name)).min();
        nearest.map(|nearest| (nearest, at))
    });
    distances.min().map(|(_, at)| at)
}

/// How far a name is from the wanted one; `None` if it is not like it.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    /// Longer names are not compared letter by letter.
    const LONG: usize = 64;
    let last = |name: &str| plain(name.rsplit('.').next().unwrap_or(name));
    let (whole, other) = (plain(wanted), plain(name));
    if whole.is_empty() || other.is_empty() || name.len() > LONG {
        return None;
    }
    let (end, other_end) = (last(wanted), last(name));
    if whole == other {
        return Some(0);
    }
    if end == other_end {
        return Some(1);
    }
    let edits = edits(&whole, &other).min(edits(&end, &other_end));
    // One letter of a short name makes another name.
    let most = match end.chars().count() {
        0..3 => 0,
        letters => (letters / 4).max(1),
    };
    if edits <= most {
        return Some(1 + edits);
    }
    let alike = |group: &&&[&str]| group.contains(&end.as_str());
    let place = ALIKE.iter().find(alike)?.iter().position(|known| *known == other_end)?;
    Some(100 + place)
}

/// Letters and digits in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Edits from one word to the other (Levenshtein). O(product of the lengths).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, a) in a.chars().enumerate() {
        let mut corner = line;
        row[0] = line + 1;
        for (at, b) in b.iter().enumerate() {
            let substituted = corner + usize::from(a != *b);
            corner = row[at + 1];
            row[at + 1] = substituted.min(row[at] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likely_name_is_first() {
        for (wanted, names, expected) in [
            (&["text", "html"][..], &["id", "meta.url", "doc.text"][..], Some("doc.text")),
            (&["text"], &["id", "Text"], Some("Text")),
            (&["text"], &["txt", "id"], Some("txt")),
            (&["text"], &["url", "body", "content"], Some("content")),
            (&["link"], &["id", "URL"], Some("URL")),
            (&["url"], &["id", "link"], Some("link")),
            (&["doc.txet"], &["doc.id", "doc.text"], None),
            (&["meta.Url"], &["id", "meta.url"], Some("meta.url")),
            (&["text"], &["next", "id"], Some("next")),
            (&["text"], &["a", "b", ""], None),
        ] {
            let found = likely(wanted, names).map(|at| names[at]);
            assert_eq!(found, expected, "{wanted:?} {names:?}");
        }
        let listed = listed(&["text"], &["id", "doc.text", "x"], 2);
        assert_eq!(listed, "doc.text, id, ... (did you mean `doc.text`?)");
    }

    #[test]
    fn edits_are_those_of_the_definition() {
        for (a, b, expected) in [("", "abc", 3), ("kitten", "sitting", 3), ("a", "a", 0)] {
            assert_eq!((edits(a, b), edits(b, a)), (expected, expected));
        }
    }
}
