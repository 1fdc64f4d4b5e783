//! Output files as one stream, for a pipe: concatenated, so that the stream has the format of its
//! files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::formats;
use crate::{Compression, DiscoverOptions, Format, InputFile, Inputs};

/// Bytes that are copied at a time.
const BLOCK: usize = 1 << 20;

/// The files of a result that become one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneStream {
    format: Format,
}

impl OneStream {
    /// The format of a stream of the first `files` inputs.
    ///
    /// # Errors
    /// Why they cannot become one stream: different formats, CSV files with different headers,
    /// Parquet and Arrow, which are read from their ends.
    pub fn of(inputs: &Inputs, files: u32) -> Result<Self, String> {
        let own = &inputs.files[..inputs.files.len().min(files as usize)];
        let Some(first) = own.first() else { return Ok(Self { format: Format::JSONL }) };
        let kind = |file: &InputFile| match file.format {
            format if format.is_document() => Format::TEXT,
            format => format,
        };
        if let Some(table) = own.iter().find(|file| file.format.is_columns()) {
            return Err(format!(
                "{}: Parquet and Arrow cannot be written to a pipe; name a directory with the setting output",
                table.name
            ));
        }
        if let Some(other) = own.iter().find(|file| kind(file) != kind(first)) {
            return Err(format!(
                "{} and {} have different formats and cannot become one stream; name a directory \
                 with the setting output",
                first.name, other.name
            ));
        }
        if let Some(records) = formats::records(first.format) {
            // What cannot be read is reported when the run reads it; its output is looked at again
            // before anything is written.
            let header =
                |at: usize| records.header(at as u32, &own[at], &inputs.options).ok().flatten();
            let mut headers = (0..own.len()).filter_map(|at| Some((at, header(at)?)));
            if let Some((known, first)) = headers.next()
                && let Some((other, _)) = headers.find(|(_, header)| {
                    (&header.names, header.dialect) != (&first.names, first.dialect)
                })
            {
                return Err(format!(
                    "{} and {} have different columns or delimiters and cannot become one stream; name a \
                     directory with the setting output",
                    own[known].name, own[other].name
                ));
            }
        }
        Ok(Self { format: kind(first) })
    }

    /// Writes files of that format, uncompressed, one after the other. Of CSV files only the first
    /// header is written; a line end is added where a file has none.
    ///
    /// # Errors
    /// A file that cannot be read, a stream that cannot be written, or a cancellation, which is of
    /// the kind [`io::ErrorKind::Interrupted`].
    pub fn write(
        self,
        files: &[PathBuf],
        options: &DiscoverOptions,
        out: &mut dyn Write,
        cancelled: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let headers = self.headers(files, options)?;
        let mut block = vec![0; BLOCK];
        let mut has_header = false;
        // The last bytes written.
        let mut end = [b'\n'; 2];
        for (path, header) in files.iter().zip(headers) {
            let mut file = File::open(path)?;
            if has_header {
                file.seek(SeekFrom::Start(header))?;
            }
            has_header |= header > 0;
            let mut separator = self.separator(end);
            loop {
                if cancelled() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let read = file.read(&mut block)?;
                let Some(bytes) = block.get(..read).filter(|bytes| !bytes.is_empty()) else {
                    break;
                };
                out.write_all(std::mem::take(&mut separator))?;
                out.write_all(bytes)?;
                end = match *bytes {
                    [.., before, last] => [before, last],
                    [last] => [end[1], last],
                    [] => end,
                };
            }
        }
        out.flush()
    }

    /// What is between a file that ends so and the next one.
    fn separator(self, end: [u8; 2]) -> &'static [u8] {
        match formats::records(self.format) {
            Some(records) => records.separator(end),
            None if end[1] == b'\n' || end[1] == b'\r' => b"",
            None => b"\n",
        }
    }

    /// Lengths of the headers of CSV files; 0 of an empty file and of other formats.
    ///
    /// # Errors
    /// A file that cannot be read, or whose columns are not those of the others.
    fn headers(self, files: &[PathBuf], options: &DiscoverOptions) -> io::Result<Vec<u64>> {
        let Some(records) = formats::records(self.format) else {
            return Ok(vec![0; files.len()]);
        };
        let (mut first, mut lengths) = (None, Vec::with_capacity(files.len()));
        for path in files {
            let file = InputFile {
                path: path.clone(),
                format: self.format,
                ..InputFile::in_memory("output")
            };
            debug_assert_eq!(file.compression, Compression::None);
            let header = records.header(0, &file, options).map_err(io::Error::other)?;
            lengths.push(header.as_ref().map_or(0, |header| header.raw.len() as u64));
            let Some(header) = header else { continue };
            let known = first.get_or_insert_with(|| header.names.clone());
            if *known != header.names {
                let words = "the inputs have different columns and cannot become one stream; name a \
                             directory with the setting output";
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
        }
        Ok(lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(format: Format, files: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let write = |(number, content): (usize, &&str)| {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, content).unwrap();
            path
        };
        let paths: Vec<PathBuf> = files.iter().enumerate().map(write).collect();
        let mut out = Vec::new();
        let options = DiscoverOptions::default();
        OneStream { format }.write(&paths, &options, &mut out, &|| false).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn files_become_one_file_of_their_format() {
        assert_eq!(stream(Format::JSONL, &["{}\n{}", "", "{}", "{}\n"]), "{}\n{}\n{}\n{}\n");
        let csv = ["id,text\r\n1,a", "", "id,text\n2,b\n", "id,text\n"];
        assert_eq!(stream(Format::CSV, &csv), "id,text\r\n1,a\n2,b\n");
        let mbox = ["From a\nX: y\n\na\n", "From b\nX: y\n\nb\n\n", "From c\n"];
        let expected = "From a\nX: y\n\na\n\nFrom b\nX: y\n\nb\n\nFrom c\n";
        assert_eq!(stream(Format::MBOX, &mbox), expected);
        assert_eq!(stream(Format::JSONL, &[]), "");
    }

    #[test]
    fn a_cancellation_ends_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "{}").unwrap();
        let (stream, mut out) = (OneStream { format: Format::JSONL }, Vec::new());
        let error =
            stream.write(&[path], &DiscoverOptions::default(), &mut out, &|| true).unwrap_err();
        assert_eq!((error.kind(), out.len()), (io::ErrorKind::Interrupted, 0));
    }
}
