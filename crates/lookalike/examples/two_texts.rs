//! Compares two texts: `cargo run -p lookalike --example two_texts`.

use lookalike::{LookalikeError, Settings, compare_texts};

pub(crate) fn main() -> Result<(), LookalikeError> {
    let settings = Settings { shingle: lookalike::settings::Shingle::Of(4), ..Settings::default() };
    let evidence = compare_texts("a rose is a rose is a rose", "a rose is a rose", &settings)?;
    let measures = evidence.comparison().measures;
    println!("{} of {} shingles are shared", measures.shared, measures.size_a);
    assert_eq!((measures.shared, measures.size_a), (2, 3));
    Ok(())
}
