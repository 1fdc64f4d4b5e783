//! Copies of what can be read only once: standard input, pipes, and objects of web servers that send
//! only the whole.

use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lookalike_store::{Address, Object, ObjectReader, download};
use tempfile::TempPath;

use crate::Partitions;

use super::{Compression, DiscoverOptions, Format, InputError, InputFile};

/// A copy and the file that describes it.
pub(super) type Spooled = (InputFile, Arc<TempPath>);

/// Names of standard input besides `-`.
const STDIN: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Whether a path is another name of standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    STDIN.iter().any(|name| path == Path::new(name))
}

/// Whether a file is a pipe, which can be read once.
#[cfg(unix)]
pub(super) fn is_pipe(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

/// Other systems have no pipes among their files.
#[cfg(not(unix))]
pub(super) fn is_pipe(_: &Metadata) -> bool {
    false
}

/// Copies standard input.
pub(super) fn stdin(
    stdin: &mut dyn Read,
    options: &DiscoverOptions,
    names: &[&str],
) -> Result<Spooled, InputError> {
    let mut name = "stdin".to_string();
    while names.contains(&name.as_str()) {
        name.push('-');
    }
    let relative = PathBuf::from(&name);
    let format = options.format.unwrap_or(Format::JSONL);
    spool(
        options,
        (name, relative, format),
        "keep a copy of standard input in this directory",
        |file| std::io::copy(stdin, file).map(drop),
    )
}

/// Copies what comes from a pipe until its writer closes it.
pub(super) fn pipe(
    path: &Path,
    name: String,
    format: Format,
    options: &DiscoverOptions,
) -> Result<Spooled, InputError> {
    let mut opened = File::open(path).map_err(|e| InputError::io("open the pipe", path, e))?;
    let relative = PathBuf::from(path.file_name().unwrap_or_default());
    spool(options, (name, relative, format), "keep a copy of a pipe in this directory", |file| {
        std::io::copy(&mut opened, file).map(drop)
    })
}

/// Copies an object of a web server.
pub(super) fn object(
    address: &Address,
    format: Format,
    options: &DiscoverOptions,
) -> Result<Spooled, InputError> {
    let relative = PathBuf::from(address.file_path().file_name().unwrap_or_default());
    let described = (address.to_string(), relative, format);
    let mut failure = None;
    let (file, path) =
        spool(options, described, "keep a copy of a web page in this directory", |file| {
            failure = download(address, file).err();
            Ok(())
        })?;
    let partitions = Partitions::of(address.file_path());
    failure.map_or(Ok((InputFile { partitions, ..file }, path)), |error| Err(error.into()))
}

/// Copies an archive in a store. What was read before a failure is kept, with the failure as
/// [`InputFile::damage`].
pub(super) fn archive(file: InputFile, options: &DiscoverOptions) -> Result<Spooled, InputError> {
    let Some(object) = file.object else { return Err(InputError::NotFound { path: file.path }) };
    let time = time_of(&object);
    let mut reader = ObjectReader::new(object, 1);
    let mut damage = None;
    let partitions = file.partitions;
    let described = (file.name, file.relative, file.format);
    let action = "keep a copy of an archive in this directory";
    let (file, path) = spool(options, described, action, |copy| {
        let copied = std::io::copy(&mut reader, copy);
        damage = reader.failure().map(|failure| failure.message());
        if damage.is_none() {
            copied?;
        }
        copy.set_modified(time)
    })?;
    Ok((InputFile { damage, partitions, ..file }, path))
}

/// A time for the copy of an object, which its members get: the same each time, so that a run can be
/// resumed, and another one if the object changes. Its fraction of a second is made from the entity tag.
fn time_of(object: &Object) -> SystemTime {
    let mut hasher = DefaultHasher::new();
    object.tag.hash(&mut hasher);
    let modified = object.modified.unwrap_or(SystemTime::UNIX_EPOCH);
    let seconds = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let fraction = (hasher.finish() % 1_000_000_000) as u32;
    SystemTime::UNIX_EPOCH + Duration::new(seconds, fraction)
}

fn spool(
    options: &DiscoverOptions,
    (name, relative, format): (String, PathBuf, Format),
    action: &'static str,
    copy: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<Spooled, InputError> {
    let folder = options.scratch();
    let fail = |e| InputError::io(action, &folder, e);
    // Commands find out the format by the name; the extension has letters and digits only.
    let suffix = match relative.extension() {
        Some(extension) if format == Format::EXTRACTED => {
            format!(".{}", extension.to_string_lossy())
        }
        _ => String::new(),
    };
    let mut file = tempfile::Builder::new()
        .prefix("lookalike-stdin-")
        .suffix(&suffix)
        .tempfile_in(&folder)
        .map_err(fail)?;
    copy(file.as_file_mut()).map_err(fail)?;
    let metadata = file.as_file().metadata().map_err(fail)?;
    let path = file.into_temp_path();
    let file = InputFile {
        path: path.to_path_buf(),
        relative,
        name,
        format,
        compression: Compression::None,
        size: metadata.len(),
        modified: metadata.modified().ok(),
        object: None,
        damage: None,
        partitions: Partitions::default(),
        argument: String::new(),
    };
    Ok((file, Arc::new(path)))
}
