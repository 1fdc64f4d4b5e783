//! Inputs in object stores and on web servers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_store::{Address, Found, Object, StoreError, find, heads, list};

use crate::Partitions;
use crate::formats;

use super::left_out::{self, Neighbours};
use super::left_out_reason::{LeftOut, LeftOutReason};
use super::pattern::KeyMatch;
use super::{
    Compression, DiscoverOptions, Format, InputError, InputFile, archive, compression,
    earlier_result, foreign, maildir, pattern, spool,
};

/// What an argument that is a URL leads to.
#[derive(Debug, Default)]
pub(super) struct Remote {
    pub(super) files: Vec<InputFile>,
    /// Objects of unsupported formats.
    pub(super) skipped: Vec<PathBuf>,
    /// Objects and prefixes that are no data.
    pub(super) left_out: BTreeSet<LeftOut>,
    /// Archives, which must be copied.
    pub(super) archives: Vec<InputFile>,
    /// A copy of an object that cannot be read in parts.
    pub(super) spooled: Option<spool::Spooled>,
}

/// Finds the objects that a URL names: one object, those below a prefix, or those that match a
/// pattern. Web servers have only the first.
pub(super) fn discover(url: &str, options: &DiscoverOptions) -> Result<Remote, InputError> {
    let address = Address::parse(url)?;
    if !address.is_bucket() {
        return web(&address, options);
    }
    let key = address.key.as_str();
    if !key.is_empty()
        && !key.ends_with('/')
        && let Found::Object(object) = find(&address)?
    {
        let above = key.rfind('/').map_or("", |end| &key[..=end]);
        return named(object, above, options);
    }
    let is_pattern = key.contains(['*', '?', '[']);
    let wild = key.find(['*', '?', '[']).filter(|_| is_pattern).unwrap_or(key.len());
    let base = match is_pattern {
        true => key[..wild].rfind('/').map_or(String::new(), |end| key[..=end].to_string()),
        false => format!("{}/", key.trim_end_matches('/')).trim_start_matches('/').to_string(),
    };
    let parts = match is_pattern {
        true => pattern::parts(&key[base.len()..]).map_err(|error| match error {
            InputError::Pattern { source, .. } => {
                InputError::Pattern { pattern: address.to_string(), source }
            }
            error => error,
        })?,
        false => Vec::new(),
    };
    let excluded: Vec<Address> = options
        .exclude
        .iter()
        .filter_map(|path| Address::parse(path.to_str()?).ok())
        .filter(|excluded| excluded.root == address.root)
        .collect();
    let is_excluded = |key: &str| {
        excluded.iter().any(|excluded| {
            let folder = excluded.key.trim_end_matches('/');
            key.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let prefix = address.with_key(base.trim_end_matches('/'));
    let mut objects: Vec<Object> = list(&prefix)?;
    objects.retain(|object| {
        let key = object.address.key.as_str();
        key.starts_with(&base) && !is_excluded(key)
    });
    let known = neighbours(&objects, &base);
    let keys: Vec<String> =
        objects.iter().map(|object| object.address.key[base.len()..].to_string()).collect();
    if !is_pattern && known.results().iter().any(|result| result.as_os_str().is_empty()) {
        return Err(result(&prefix, &keys));
    }
    let mut left_out = BTreeSet::new();
    let mut keys = keys.iter();
    objects.retain(|_| {
        let key = keys.next().map_or("", String::as_str);
        let found = match is_pattern {
            true => by_pattern(&parts, key, &known),
            false => {
                Some(left_out::by_name(Path::new(key)).or_else(|| known.leave_out(Path::new(key))))
            }
        };
        if let Some(Some(LeftOut { path, reason })) = &found {
            let key = format!("{base}{}", path.display());
            let path = PathBuf::from(address.with_key(key).to_string());
            left_out.insert(LeftOut { path, reason: *reason });
        }
        matches!(found, Some(None))
    });
    if objects.is_empty() && left_out.is_empty() {
        return Err(match is_pattern {
            true => InputError::NoMatch { pattern: address.to_string() },
            false => StoreError::NotFound { url: address.to_string() }.into(),
        });
    }
    Ok(Remote { left_out, ..below(objects, &base, options) })
}

/// Results and data sets among objects, by their keys below a prefix.
fn neighbours(objects: &[Object], base: &str) -> Neighbours {
    let key = |object: &Object| PathBuf::from(&object.address.key[base.len()..]);
    let marks: Vec<&Object> =
        objects.iter().filter(|object| earlier_result::is_mark(&key(object))).collect();
    let mut heads = match marks.is_empty() {
        true => Vec::new(),
        false => heads(&marks, earlier_result::READ),
    }
    .into_iter();
    let mut known = Neighbours::default();
    for object in objects {
        known.note(&key(object), || {
            // An object that cannot be read is reported when it is read.
            let head = heads.next().and_then(Result::ok);
            head.is_some_and(|head| earlier_result::begins_summary(&head))
        });
    }
    known
}

/// The error for a prefix that is a result, with the keys below it.
fn result(prefix: &Address, keys: &[String]) -> InputError {
    let folder = format!("{}/", prefix.to_string().trim_end_matches('/'));
    let parts = keys.iter().map(|key| key.split('/').next().unwrap_or_default());
    let parts = parts.filter(|part| earlier_result::is_of_documents(Path::new(part)));
    let documents: BTreeSet<String> = parts.map(|part| format!("{folder}{part}")).collect();
    InputError::Result { path: folder.into(), documents: documents.into_iter().collect() }
}

/// What a pattern does with a key below its first part: `None` if it does not match; else what is no data
/// there, if something is.
fn by_pattern(
    parts: &[pattern::Part<'_>],
    key: &str,
    known: &Neighbours,
) -> Option<Option<LeftOut>> {
    let names: Vec<&str> = key.split('/').collect();
    let above = |count: usize| names[..count].iter().collect::<PathBuf>();
    let is_result = |count: usize| known.results().contains(&above(count));
    match pattern::match_key(parts, &names, &is_result) {
        KeyMatch::No => None,
        KeyMatch::LeftOut(count, reason) => Some(Some(LeftOut { path: above(count), reason })),
        KeyMatch::Yes { is_named: true } => Some(None),
        KeyMatch::Yes { is_named: false } => {
            let out = known.leave_out(Path::new(key));
            Some(out.filter(|out| out.reason == LeftOutReason::DataSetInfo))
        }
    }
}

/// The only object that an argument names.
fn named(object: Object, above: &str, options: &DiscoverOptions) -> Result<Remote, InputError> {
    let shown = PathBuf::from(object.address.to_string());
    let remote = below(vec![object], above, options);
    match remote.files.is_empty() && remote.archives.is_empty() {
        true => Err(foreign::unknown(shown)),
        false => Ok(remote),
    }
}

/// An address of a web server.
fn web(address: &Address, options: &DiscoverOptions) -> Result<Remote, InputError> {
    let above = address.key.rfind('/').map_or("", |end| &address.key[..=end]).to_string();
    match find(address)? {
        Found::Object(object) => named(object, &above, options),
        Found::Nothing => Err(StoreError::NotFound { url: address.to_string() }.into()),
        Found::OnlyWhole => {
            let path = address.file_path();
            let (format, compression) = format(path, options);
            let Some(format) = format else {
                return Err(foreign::unknown(PathBuf::from(address.to_string())));
            };
            let (mut file, copy) = spool::object(address, format, options)?;
            file.compression = compression;
            Ok(Remote { spooled: Some((file, copy)), ..Remote::default() })
        }
    }
}

/// The inputs among some objects, and those that are skipped.
fn below(objects: Vec<Object>, base: &str, options: &DiscoverOptions) -> Remote {
    let mut remote = Remote::default();
    let mut unknown = Vec::new();
    for object in objects {
        if archive::is_archive(object.address.file_path()) {
            remote.archives.push(file(object, base, Format::TEXT, Compression::None));
            continue;
        }
        let (format, compression) = format(object.address.file_path(), options);
        match format {
            Some(format) => remote.files.push(file(object, base, format, compression)),
            None => unknown.push(object),
        }
    }
    // A file without a known extension may be an mbox.
    let (candidates, skipped): (Vec<_>, Vec<_>) = unknown
        .into_iter()
        .partition(|object| foreign::remedy(object.address.file_path()).is_none());
    remote.skipped.extend(skipped.iter().map(|object| object.address.to_string().into()));
    let shown = heads(&candidates.iter().collect::<Vec<_>>(), formats::HEAD);
    for (object, head) in candidates.into_iter().zip(shown) {
        match head {
            Ok(head) => match formats::by_content(&head) {
                Some(format) => {
                    remote.files.push(file(object, base, format, Compression::None));
                }
                None => remote.skipped.push(object.address.to_string().into()),
            },
            // It may be an mbox.
            Err(error @ (StoreError::Failed { .. } | StoreError::Changed { .. })) => {
                let damage = Some(error.message());
                let unread = file(object, base, Format::TEXT, Compression::None);
                remote.files.push(InputFile { damage, ..unread });
            }
            Err(_) => remote.skipped.push(object.address.to_string().into()),
        }
    }
    settle(&mut remote.files, options);
    remote
}

/// Finds out from the first bytes the compression, and which text files are an mbox.
fn settle(files: &mut [InputFile], options: &DiscoverOptions) {
    let files = files.iter_mut().filter(|file| file.format.is_settled_by_bytes());
    let mut files: Vec<&mut InputFile> = files.collect();
    let objects: Vec<Arc<Object>> = files.iter().filter_map(|file| file.object.clone()).collect();
    let heads = heads(&objects.iter().map(AsRef::as_ref).collect::<Vec<_>>(), formats::HEAD);
    for (file, head) in files.iter_mut().zip(heads) {
        match head {
            Ok(head) => {
                let first = &head[..head.len().min(compression::HEAD)];
                file.compression = compression::settle(file.compression, first);
                if file.format == Format::TEXT && options.format.is_none() {
                    file.format = formats::by_text_content(&head).unwrap_or(file.format);
                }
            }
            // It may be readable later, but is not known to be what its name says.
            Err(error) => _ = file.damage.get_or_insert_with(|| error.message()),
        }
    }
}

/// Format, if the name shows it, and compression.
fn format(path: &Path, options: &DiscoverOptions) -> (Option<Format>, Compression) {
    let (named, compression) = formats::of_name(path);
    if archive::is_archive(path) {
        // The format of its members is found later.
        return (Some(Format::TEXT), Compression::None);
    }
    if options.formats.extractor(path).is_some() {
        return (Some(Format::EXTRACTED), Compression::None);
    }
    if options.format.is_some() {
        return (options.format, compression);
    }
    // In a store there are no empty directories, so that a Maildir is known by its names.
    let folder = path.parent().and_then(Path::file_name);
    let is_message = folder.is_some_and(|name| name == "cur" || name == "new")
        && maildir::is_message_name(path)
        && (named.is_none() || maildir::has_flags(path));
    match is_message {
        true => (Some(Format::MAILDIR), Compression::None),
        false => (named, compression),
    }
}

fn file(object: Object, base: &str, format: Format, compression: Compression) -> InputFile {
    let shown = object.address.to_string();
    let key = object.address.file_path().to_str().unwrap_or_default();
    let compression = if format.is_named_packed() { compression } else { Compression::None };
    let partitions = Partitions::of(object.address.file_path());
    InputFile {
        path: PathBuf::from(&shown),
        name: shown,
        relative: PathBuf::from(key.strip_prefix(base).unwrap_or(key)),
        format,
        compression,
        size: object.size,
        modified: object.modified,
        object: Some(Arc::new(object)),
        damage: None,
        partitions,
        argument: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a pattern does with keys: they match, or the left out part.
    fn of(pattern: &str, key: &str) -> Option<String> {
        let mut known = Neighbours::default();
        known.note(Path::new("clean/summary.json"), || true);
        known.note(Path::new("a/clean/summary.json"), || true);
        for name in ["d/data.arrow", "d/state.json"] {
            known.note(Path::new(name), || false);
        }
        let parts = pattern::parts(pattern).unwrap();
        let found = by_pattern(&parts, key, &known)?;
        Some(found.map_or("read".into(), |out| format!("{}", out.path.display())))
    }

    #[test]
    fn patterns_match_keys_and_what_is_below_them() {
        for (pattern, key, expected) in [
            ("x-*", "x-1.jsonl", Some("read")),
            ("x-*", "x-1/deep/b.jsonl", Some("read")),
            ("x-*", "y", None),
            ("x-*", "b/x-1", None),
            ("**/*.csv", "b/c/d.csv", Some("read")),
            ("**/*.csv", "d.csv", Some("read")),
            ("**/*.csv", "b/c.txt", None),
            ("b/**", "b/c/d.csv", Some("read")),
            ("*", "_SUCCESS", Some("_SUCCESS")),
            ("*", "x/_temporary/0/a.csv", Some("x/_temporary")),
            ("*", ".h/a.csv", Some(".h")),
            ("_*", "_x.csv", Some("read")),
            ("*/_t/*.csv", "x/_t/a.csv", Some("read")),
            ("**/_t/*.csv", "x/_t/a.csv", Some("read")),
            ("**/*.csv", "x/_t/a.csv", Some("x/_t")),
            ("**/*.csv", "x/_t/a.txt", None),
            ("*", "out.partial-7/kept.jsonl", Some("out.partial-7")),
            ("out.partial-*", "out.partial-7/kept.jsonl", Some("read")),
            ("*", "clean/kept.jsonl", Some("clean")),
            ("*/*.jsonl", "clean/kept.jsonl", Some("clean")),
            ("**/*.jsonl", "a/clean/kept.jsonl", Some("a/clean")),
            ("*/kept.jsonl", "clean/kept.jsonl", Some("read")),
            ("**/kept.jsonl", "a/clean/kept.jsonl", Some("read")),
            ("*/kept*", "clean/kept/x.csv", Some("read")),
            ("*", "M/.Sent/cur/1", Some("read")),
            ("*/*.json", "d/state.json", Some("d/state.json")),
            ("*/state.json", "d/state.json", Some("read")),
        ] {
            assert_eq!(of(pattern, key).as_deref(), expected, "{pattern} {key}");
        }
        assert!(pattern::parts("[").is_err());
    }
}
