//! HTML and text of any encoding: the text of a page is bounded, and its tokens have their places.

use lookalike_text::{AnalysisSettings, Analyzer, Scratch, decode_html, decode_text, extract};

/// Any bytes as a page, and as a text.
pub fn html(data: &[u8]) {
    let page = decode_html(data);
    assert!(page.text.len() <= 3 * data.len(), "decoding grows");
    let page = extract(&page.text);
    // A null character becomes one of three bytes, in what decoding made of each byte.
    assert!(page.text.len() <= 9 * data.len(), "extraction grows");
    for mark in &page.marks {
        assert!(mark.start < mark.end, "an empty mark");
        let _ = &page.text[mark.start..mark.end];
    }
    assert!(page.text.lines().all(|line| !line.is_empty()), "an empty line");
    tokens(&page.text);
    tokens(&decode_text(data).text);
}

/// `tokens` and `located_tokens` agree.
fn tokens(text: &str) {
    let analyzer = Analyzer::new(&AnalysisSettings::default());
    let mut tokens: Vec<Vec<u8>> = Vec::new();
    analyzer.tokens(text, &mut Scratch::default(), |token| tokens.push(token.to_vec()));
    let mut located: Vec<Vec<u8>> = Vec::new();
    let mut start = 0;
    analyzer.located_tokens(text, |token, place| {
        // Tokens of a stretch that normalisation changed have one place.
        assert!(start <= place.start, "tokens out of order");
        assert!(text.get(place.clone()).is_some(), "a place inside a character");
        start = place.start;
        located.push(token.as_bytes().to_vec());
    });
    assert_eq!(tokens, located);
}
