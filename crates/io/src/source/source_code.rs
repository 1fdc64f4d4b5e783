//! Which inputs are source code: by the ending of a file's name, or by a field of its first records
//! that names a programming language or a source file.

use super::VisitScratch;
use crate::input::compression;
use crate::{InputFile, Inputs, Item, ReadFailure};
use std::path::Path;

/// Endings of the names of source files.
const ENDINGS: &[&str] = &[
    "ada", "adb", "ads", "asm", "awk", "bash", "bat", "c", "cbl", "cc", "cl", "clj", "cljs",
    "cmake", "cob", "coffee", "cpp", "cs", "csh", "cu", "cuh", "cxx", "d", "dart", "el", "elm",
    "erl", "ex", "exs", "f", "f03", "f08", "f77", "f90", "f95", "fish", "for", "frag", "fs", "fsx",
    "glsl", "go", "gradle", "groovy", "h", "hcl", "hh", "hpp", "hrl", "hs", "hxx", "ino", "java",
    "jl", "js", "jsx", "kt", "kts", "ksh", "lean", "lhs", "lisp", "lua", "m", "mjs", "ml", "mli",
    "mm", "nim", "nix", "pas", "php", "pl", "pm", "pro", "proto", "ps1", "py", "pyi", "pyx", "r",
    "rb", "rkt", "rs", "s", "sas", "sass", "scala", "scm", "scss", "sh", "sol", "sql", "sty", "sv",
    "svelte", "swift", "tcl", "tex", "tf", "thy", "ts", "tsx", "v", "vb", "vert", "vhd", "vhdl",
    "vim", "vue", "zig", "zsh",
];

/// Names of programming languages, in lower case. None is the code or name of a natural language.
const LANGUAGES: &[&str] = &[
    "ada",
    "agda",
    "apl",
    "applescript",
    "asm",
    "assembly",
    "awk",
    "bash",
    "c",
    "c#",
    "c++",
    "c-sharp",
    "clojure",
    "cmake",
    "cobol",
    "coffeescript",
    "common lisp",
    "common-lisp",
    "coq",
    "cpp",
    "crystal",
    "csharp",
    "cuda",
    "cython",
    "dart",
    "delphi",
    "dockerfile",
    "elixir",
    "elm",
    "emacs lisp",
    "erlang",
    "f#",
    "fortran",
    "fsharp",
    "glsl",
    "go",
    "golang",
    "groovy",
    "haskell",
    "haxe",
    "hcl",
    "idris",
    "java",
    "javascript",
    "js",
    "jsx",
    "julia",
    "jupyter notebook",
    "jupyter-notebook",
    "kotlin",
    "latex",
    "lean",
    "lisp",
    "literate haskell",
    "lua",
    "makefile",
    "maple",
    "mathematica",
    "matlab",
    "nim",
    "nix",
    "objective-c",
    "objective-c++",
    "objectivec",
    "ocaml",
    "octave",
    "pascal",
    "perl",
    "php",
    "plpgsql",
    "plsql",
    "powershell",
    "prolog",
    "protocol buffer",
    "python",
    "python2",
    "python3",
    "r",
    "racket",
    "ruby",
    "rust",
    "sas",
    "scala",
    "scheme",
    "scss",
    "shell",
    "solidity",
    "sparql",
    "sql",
    "stan",
    "standard ml",
    "standard-ml",
    "stata",
    "swift",
    "systemverilog",
    "tcl",
    "tcsh",
    "tex",
    "thrift",
    "tsql",
    "tsx",
    "typescript",
    "vb.net",
    "vba",
    "verilog",
    "vhdl",
    "visual basic",
    "visual-basic",
    "vue",
    "wolfram",
    "yacc",
    "zig",
];

/// Fields that may name a programming language.
const LANGUAGE_FIELDS: [&str; 6] =
    ["lang", "language", "programming_language", "code_language", "language_name", "main_language"];

/// Fields that may name a source file.
const NAME_FIELDS: [&str; 8] = [
    "path",
    "file",
    "filename",
    "file_name",
    "filepath",
    "file_path",
    "max_stars_repo_path",
    "repo_path",
];

/// Endings that are those of web pages as well, where a field names a path.
const PAGES: [&str; 2] = ["php", "pl"];

/// Records of a file that are looked at, all in its first part.
const RECORDS: usize = 100;

/// Bytes of that part.
const CHUNK_BYTES: usize = 64 << 10;

impl InputFile {
    /// Whether the file is source code by its name: it is one document, and its name, without the
    /// ending of a compression, ends as those of source files do.
    #[must_use]
    pub fn is_source_code(&self) -> bool {
        self.format.is_document() && ending(&self.name, ENDINGS).is_some()
    }
}

impl Inputs {
    /// Whether all inputs are source code: each file by its name ([`InputFile::is_source_code`]), or
    /// because each of its first 100 records has a field that names a programming language (`lang`,
    /// `language`, …) or a source file (`path`, `filename`, …). Stops at the first file that is not.
    ///
    /// # Errors
    /// A file that cannot be read; with `skip_unreadable` the others decide.
    pub fn are_source_code(&self, skip_unreadable: bool) -> Result<bool, ReadFailure> {
        let mut is_any = false;
        for file in &self.files {
            if file.is_source_code() {
                is_any = true;
                continue;
            }
            match self.has_source_code(file) {
                Ok(true) => is_any = true,
                Ok(false) => return Ok(false),
                Err(_) if skip_unreadable => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(is_any)
    }

    /// Whether the first records of a file say that they are source code.
    fn has_source_code(&self, file: &InputFile) -> Result<bool, ReadFailure> {
        if file.format.is_document() || file.is_in_memory() {
            return Ok(false);
        }
        let mut one = Self::from_files(vec![file.clone()], self.options.clone());
        let is_known = |name: &String| {
            LANGUAGE_FIELDS.contains(&name.as_str()) || NAME_FIELDS.contains(&name.as_str())
        };
        let mut fields = Vec::new();
        one.add_names(file, &mut fields)?;
        fields.retain(is_known);
        if fields.is_empty() {
            return Ok(false);
        }
        let is_language = |name: &String| LANGUAGE_FIELDS.contains(&name.as_str());
        let says_code = |field: usize, value: &str| match is_language(&fields[field]) {
            true => LANGUAGES.contains(&value.to_lowercase().as_str()),
            false => ending(value, ENDINGS).is_some_and(|found| !PAGES.contains(&found)),
        };
        one.options.fields.given.clone_from(&fields);
        let (mut seen, mut are_code) = (0, true);
        let Some(chunk) = one.first_chunk(Some(CHUNK_BYTES))? else { return Ok(false) };
        chunk.visit(&one, &mut VisitScratch::default(), &mut |item| {
            if let (Item::Record(record), true) = (item, seen < RECORDS) {
                let given = record.given;
                let mut all = (0..fields.len())
                    .flat_map(|field| given.of(field).map(move |value| (field, value)));
                are_code &= all.any(|(field, value)| says_code(field, value));
                seen += 1;
            }
        });
        Ok(seen > 0 && are_code)
    }
}

/// The ending of a name that is in the table, whatever its case and without that of a compression.
fn ending(name: &str, table: &[&'static str]) -> Option<&'static str> {
    let (_, path) = compression::of_name(Path::new(name));
    let ending = path.extension()?.to_str()?;
    table.iter().find(|known| known.eq_ignore_ascii_case(ending)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DiscoverOptions, Format};

    fn are_code(files: &[(&str, &str)], format: Option<Format>) -> bool {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let options = DiscoverOptions { format, ..DiscoverOptions::default() };
        let arguments = [folder.path().display().to_string()];
        Inputs::discover(&arguments, options).unwrap().are_source_code(false).unwrap()
    }

    #[test]
    fn files_are_source_code_by_their_endings() {
        let text = Some(Format::TEXT);
        assert!(are_code(&[("a.py", "x"), ("b.CPP", "y"), ("c.tex", "z")], text));
        assert!(!are_code(&[("a.py", "x"), ("notes.txt", "y")], text));
        assert!(!are_code(&[("a.txt", "a.py"), ("b.md", "b.rs")], None));
    }

    #[test]
    fn records_are_source_code_by_their_fields() {
        let lines = |lines: &[&str]| are_code(&[("a.jsonl", &lines.join("\n"))], None);
        assert!(lines(&[r#"{"text":"a<b","lang":"Python"}"#, r#"{"text":"b","lang":"c++"}"#]));
        assert!(lines(&[r#"{"text":"a","path":"src/main.rs"}"#]));
        assert!(lines(&[r#"{"text":"a","lang":"en","path":"src/main.rs"}"#]));
        assert!(!lines(&[r#"{"text":"a","lang":"Python"}"#, r#"{"text":"b","lang":"en"}"#]));
        assert!(!lines(&[r#"{"text":"a","lang":"cs"}"#]));
        assert!(!lines(&[r#"{"text":"a","path":"/index.php"}"#]));
        assert!(!lines(&[r#"{"text":"a","title":"main.rs"}"#]));
        assert!(are_code(&[("a.csv", "id,text,language\n1,a < b,SQL\n")], None));
        let mixed = [("a.jsonl", r#"{"text":"a","lang":"C"}"#), ("b.txt", "b")];
        assert!(!are_code(&mixed, None));
    }

    #[test]
    fn the_tables_are_in_order_and_name_no_natural_language() {
        let lower = |table: &[&str]| table.iter().all(|name| **name == name.to_lowercase());
        assert!(lower(ENDINGS) && lower(LANGUAGES));
        for code in ["cs", "ml", "pl", "ts", "en", "de", "la", "latin", "sh", "rs"] {
            assert!(!LANGUAGES.contains(&code), "{code}");
        }
        for ending in PAGES {
            assert!(ENDINGS.contains(&ending));
        }
    }
}
