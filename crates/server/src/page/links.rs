//! Addresses of views.

/// The address of a view with these parameters.
pub(super) fn to(path: &str, parameters: &[(&str, &str)]) -> String {
    // Pairs of texts can always be encoded.
    let query = serde_urlencoded::to_string(parameters).unwrap_or_default();
    match query.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{query}"),
    }
}

/// Whether a text can be part of an address.
pub(super) fn fits(text: &str) -> bool {
    text.len() <= 1500
}

/// The address of a document.
pub(super) fn document(id: &str) -> String {
    to("/document", &[("id", id)])
}

/// The address of a comparison.
pub(super) fn compare(a: &str, b: &str) -> String {
    to("/compare", &[("a", a), ("b", b)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_id_has_an_address() {
        assert_eq!(document("a/b?c#d&e=f"), "/document?id=a%2Fb%3Fc%23d%26e%3Df");
        assert_eq!(document("\"<\0\u{202e}>"), "/document?id=%22%3C%00%E2%80%AE%3E");
        assert_eq!(compare("", " "), "/compare?a=&b=+");
    }
}
