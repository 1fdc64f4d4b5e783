//! Inputs in object stores and on web servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_store::{Address, Found, Object, StoreError, find, heads, list};

use super::{
    Compression, DiscoverOptions, Format, InputError, InputFile, archive, foreign, kind, maildir,
    pattern, spool,
};

/// What an argument that is a URL leads to.
#[derive(Debug, Default)]
pub(super) struct Remote {
    pub(super) files: Vec<InputFile>,
    /// Objects of unsupported formats.
    pub(super) skipped: Vec<PathBuf>,
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
    let (base, matches): Pattern = match key.contains(['*', '?', '[']) {
        true => pattern(url, key)?,
        false => {
            let base = format!("{}/", key.trim_end_matches('/'));
            (base.trim_start_matches('/').to_string(), Box::new(|_| true))
        }
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
        let below = key.strip_prefix(&base);
        let is_hidden = |part: &str| part.starts_with('.');
        below.is_some_and(|below| !below.split('/').any(is_hidden))
            && matches(key)
            && !is_excluded(key)
    });
    if objects.is_empty() {
        return Err(match key.contains(['*', '?', '[']) {
            true => InputError::NoMatch { pattern: url.to_string() },
            false => StoreError::NotFound { url: address.to_string() }.into(),
        });
    }
    Ok(below(objects, &base, options))
}

/// The prefix that a pattern names before its first wildcard, and whether a key matches it or is
/// below one that does.
type Pattern = (String, Box<dyn Fn(&str) -> bool>);

fn pattern(url: &str, key: &str) -> Result<Pattern, InputError> {
    let compiled = glob::Pattern::new(key)
        .map_err(|source| InputError::Pattern { pattern: url.to_string(), source })?;
    let wild = key.find(['*', '?', '[']).unwrap_or(key.len());
    let base = key[..wild].rfind('/').map_or("", |end| &key[..=end]).to_string();
    let parts = key.split('/').count();
    let is_deep = key.contains("**");
    let matches = move |key: &str| {
        let end = key.match_indices('/').nth(parts - 1).map_or(key.len(), |(at, _)| at);
        let key = if is_deep { key } else { &key[..end] };
        compiled.matches_with(key, pattern::OPTIONS)
    };
    Ok((base, Box::new(matches)))
}

/// The only object that an argument names.
fn named(object: Object, above: &str, options: &DiscoverOptions) -> Result<Remote, InputError> {
    let shown = PathBuf::from(object.address.to_string());
    let remote = below(vec![object], above, options);
    match remote.files.is_empty() && remote.archives.is_empty() {
        true => Err(unknown(shown)),
        false => Ok(remote),
    }
}

fn unknown(path: PathBuf) -> InputError {
    match foreign::remedy(&path) {
        Some(remedy) => InputError::Foreign { path, remedy },
        None => InputError::UnknownFormat { path },
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
                return Err(unknown(PathBuf::from(address.to_string())));
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
            remote.archives.push(file(object, base, Format::Text, Compression::None));
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
    let shown = heads(&candidates.iter().collect::<Vec<_>>(), kind::MBOX_HEAD);
    for (object, head) in candidates.into_iter().zip(shown) {
        match head.is_ok_and(|head| kind::is_mbox(&head)) {
            true => remote.files.push(file(object, base, Format::Mbox, Compression::None)),
            false => remote.skipped.push(object.address.to_string().into()),
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
    let heads = heads(&objects.iter().map(AsRef::as_ref).collect::<Vec<_>>(), kind::MBOX_HEAD);
    for (file, head) in files.iter_mut().zip(heads) {
        // An object that cannot be read is reported when it is read.
        if let Ok(head) = head {
            file.compression = kind::settle(file.compression, &head[..head.len().min(kind::HEAD)]);
            let is_text = file.format == Format::Text && options.format.is_none();
            if is_text && kind::is_mbox_text(&head) {
                file.format = Format::Mbox;
            }
        }
    }
}

/// Format, if the name shows it, and compression.
fn format(path: &Path, options: &DiscoverOptions) -> (Option<Format>, Compression) {
    let (named, compression) = kind::of_name(path);
    if archive::is_archive(path) {
        // The format of its members is found later.
        return (Some(Format::Text), Compression::None);
    }
    if options.formats.extractor(path).is_some() {
        return (Some(Format::Extracted), Compression::None);
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
        true => (Some(Format::Maildir), Compression::None),
        false => (named, compression),
    }
}

fn file(object: Object, base: &str, format: Format, compression: Compression) -> InputFile {
    let shown = object.address.to_string();
    let key = object.address.file_path().to_str().unwrap_or_default();
    // Parquet and Arrow compress their own parts; the name of a message says nothing.
    let compression = match format {
        Format::Parquet | Format::Arrow | Format::Maildir => Compression::None,
        _ => compression,
    };
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_keys_and_what_is_below_them() {
        let (base, matches) = pattern("s3://b/a/x-*", "a/x-*").unwrap();
        assert_eq!(base, "a/");
        for (key, expected) in [
            ("a/x-1.jsonl", true),
            ("a/x-1/deep/b.jsonl", true),
            ("a/y", false),
            ("b/x-1", false),
            ("a/b/x-1", false),
        ] {
            assert_eq!(matches(key), expected, "{key}");
        }
        let (base, matches) = pattern("s3://b/a/**/*.csv", "a/**/*.csv").unwrap();
        assert_eq!(base, "a/");
        assert!(matches("a/b/c/d.csv") && matches("a/d.csv") && !matches("a/b.csv/c.txt"));
        assert!(pattern("s3://b/[", "[").is_err());
    }
}
