//! The script of the page, and the policy that allows it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The script: its files in one function, so that they define no global names but one.
pub(super) const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../../page/text.js"),
    include_str!("../../page/data.js"),
    include_str!("../../page/filter.js"),
    include_str!("../../page/diff.js"),
    include_str!("../../page/labels.js"),
    include_str!("../../page/view.js"),
    include_str!("../../page/app.js"),
    "})();\n"
);

/// The source expressions that allow [`SCRIPT`], and with `files` the scripts that it loads, and
/// nothing else: its hash, because `'self'` does not match pages from a disk in all browsers.
pub(super) fn policy(files: bool) -> String {
    let hash = STANDARD.encode(Sha256::digest(SCRIPT.as_bytes()));
    let trusted = if files { " 'strict-dynamic'" } else { "" };
    format!("script-src 'sha256-{hash}'{trusted}; ")
}
