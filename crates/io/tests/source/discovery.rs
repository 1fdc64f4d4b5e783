//! Arguments in, files out.

use std::fs;
use std::path::Path;

use lookalike_io::input::InputError;
use lookalike_io::{DiscoverOptions, Format, Inputs};

use crate::help::read;
use lookalike_testing::data;

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn discover(args: &[String]) -> Result<Inputs, InputError> {
    Inputs::discover(args, DiscoverOptions::default())
}

fn names(inputs: &Inputs) -> Vec<&str> {
    inputs.files.iter().map(|file| file.path.file_name().unwrap().to_str().unwrap()).collect()
}

fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("b/c")).unwrap();
    fs::create_dir_all(root.join(".git")).unwrap();
    for name in ["z.txt", "a.md", "b/x.jsonl", "b/c/y.csv", ".hidden.txt", ".git/z.txt", "b/x.log"]
    {
        fs::write(root.join(name), "id,text\n").unwrap();
    }
    folder
}

#[test]
fn directories_are_read_with_all_below_them_but_what_is_hidden_or_unknown() {
    let folder = tree();
    let inputs = discover(&[text(folder.path())]).unwrap();
    assert_eq!(names(&inputs), ["a.md", "y.csv", "x.jsonl", "z.txt"]);
    assert_eq!(inputs.skipped, [folder.path().join("b/x.log")]);
    let relative: Vec<_> = inputs.files.iter().map(|file| text(&file.relative)).collect();
    assert_eq!(relative, ["a.md", "b/c/y.csv", "b/x.jsonl", "z.txt"]);
}

#[test]
fn a_file_named_in_several_ways_is_read_once_whatever_their_order() {
    let folder = tree();
    let root = text(folder.path());
    let mut args = [
        format!("{root}/b/../b/x.jsonl"),
        root.clone(),
        format!("{root}/./b/x.jsonl"),
        format!("{root}/b/*.jsonl"),
    ];
    let first = discover(&args).unwrap();
    assert_eq!(first.files.len(), 4);
    args.reverse();
    let second = discover(&args).unwrap();
    let all =
        |inputs: &Inputs| -> Vec<_> { inputs.files.iter().map(|file| file.name.clone()).collect() };
    assert_eq!(all(&first), all(&second));
}

#[test]
fn patterns_match_where_no_file_has_that_name() {
    let folder = tree();
    let root = folder.path();
    let inputs = discover(&[text(&root.join("*/**/*.csv"))]).unwrap();
    assert_eq!(text(&inputs.files[0].relative), "b/c/y.csv");
    assert_eq!(inputs.files.len(), 1);
    assert_eq!(names(&discover(&[text(&root.join("b/*"))]).unwrap()), ["y.csv", "x.jsonl"]);
    assert!(matches!(discover(&[text(&root.join("*.nope"))]), Err(InputError::NoMatch { .. })));
    fs::write(root.join("[1].txt"), "x").unwrap();
    fs::write(root.join("1.txt"), "x").unwrap();
    assert_eq!(names(&discover(&[text(&root.join("[1].txt"))]).unwrap()), ["[1].txt"]);
}

#[test]
fn what_cannot_be_read_is_an_error_that_says_what_to_do() {
    let folder = tree();
    let root = folder.path();
    let message = |arg: &Path| discover(&[text(arg)]).unwrap_err().to_string();
    assert!(message(&root.join("none.txt")).contains("none.txt: no such file"));
    assert!(message(&root.join("b/x.log")).contains("the setting input_format"));
    for (name, words) in [
        ("a.pst", "a.pst: this mail format is not supported; convert it to mbox or eml"),
        ("a.arc.gz", "a.arc.gz: ARC files are not supported; convert it to WARC"),
        ("a.zip", "unpack it and give the directory"),
        ("a.jsonl.gz.gz", "is compressed twice; unpack it once"),
    ] {
        fs::write(root.join(name), "x").unwrap();
        assert!(message(&root.join(name)).contains(words), "{}", message(&root.join(name)));
    }
    fs::create_dir_all(root.join("mails")).unwrap();
    fs::write(root.join("mails/a.msg"), "x").unwrap();
    let said = message(&root.join("mails"));
    let words = "mails: nothing to read (1 file skipped, the first is ";
    assert!(said.contains(words) && said.contains("a.msg: this mail format"), "{said}");
    fs::create_dir(root.join("empty")).unwrap();
    assert!(message(&root.join("empty")).contains("nothing to read"));
    assert!(discover(&[]).unwrap_err().to_string().contains("nothing to read"));
    #[cfg(unix)]
    assert!(message(Path::new("/dev/null")).contains("not a regular file or a pipe"));
}

#[test]
fn a_format_given_counts_for_every_name() {
    let folder = tree();
    let options = || DiscoverOptions { format: Some(Format::TEXT), ..DiscoverOptions::default() };
    let inputs = Inputs::discover(&[text(&folder.path().join("b"))], options()).unwrap();
    assert_eq!(names(&inputs), ["y.csv", "x.jsonl", "x.log"]);
    assert!(inputs.files.iter().all(|file| file.format == Format::TEXT));
}

#[test]
fn the_directory_of_the_result_is_not_an_input() {
    let folder = tree();
    let exclude = vec![folder.path().join("b/./c")];
    let options = DiscoverOptions { exclude, ..DiscoverOptions::default() };
    let inputs = Inputs::discover(&[text(folder.path())], options).unwrap();
    assert_eq!(names(&inputs), ["a.md", "x.jsonl", "z.txt"]);
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_and_links_to_directories_are_not() {
    use std::os::unix::fs::symlink;
    let folder = tree();
    let root = folder.path();
    symlink(".", root.join("loop")).unwrap();
    symlink("/nonexistent/x", root.join("dangling.txt")).unwrap();
    symlink("z.txt", root.join("link.txt")).unwrap();
    let inputs = discover(&[text(root)]).unwrap();
    // `link.txt` and `z.txt` are one file.
    assert_eq!(names(&inputs), ["a.md", "y.csv", "x.jsonl", "link.txt"]);
    let skipped: Vec<_> = inputs.skipped.iter().map(|path| path.file_name().unwrap()).collect();
    assert_eq!(skipped, ["x.log", "dangling.txt", "loop"]);
    assert_eq!(discover(&[text(&root.join("loop"))]).unwrap().files.len(), 4);
}

#[test]
fn odd_names_become_readable_unique_and_one_line() {
    let Some(folder) = data::folder("hostile/files/names") else { return };
    let inputs = discover(&[text(&folder)]).unwrap();
    let mut names: Vec<&str> = inputs.files.iter().map(|file| file.name.as_str()).collect();
    assert!(names.iter().all(|name| !name.contains(char::is_control)));
    names.dedup();
    assert_eq!(names.len(), inputs.files.len());
    let found = read(&inputs);
    assert_eq!((found.records.len(), found.problems.len()), (inputs.files.len(), 0));
}

#[test]
fn a_file_that_was_changed_is_refused() {
    let folder = tree();
    let inputs = discover(&[text(folder.path())]).unwrap();
    inputs.verify_unchanged().unwrap();
    fs::write(folder.path().join("z.txt"), "longer than before").unwrap();
    let error = inputs.verify_unchanged().unwrap_err();
    assert!(error.to_string().contains("z.txt: changed while it was read"), "{error}");
    fs::remove_file(folder.path().join("a.md")).unwrap();
    assert!(inputs.verify_unchanged().unwrap_err().to_string().contains("a.md"));
}

#[test]
fn other_inputs_are_put_behind_unless_they_are_the_same() {
    let folder = tree();
    let root = folder.path();
    let mut inputs = discover(&[text(&root.join("z.txt"))]).unwrap();
    inputs.append(discover(&[text(&root.join("b"))]).unwrap()).unwrap();
    assert_eq!(names(&inputs), ["z.txt", "y.csv", "x.jsonl"]);
    let same = discover(&[text(&root.join("b/../z.txt"))]).unwrap();
    assert!(matches!(inputs.append(same), Err(InputError::Twice { .. })));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_opened_is_a_problem_and_the_others_are_read() {
    let folder = tree();
    let inputs = discover(&[text(folder.path())]).unwrap();
    fs::remove_file(folder.path().join("b/x.jsonl")).unwrap();
    let found = read(&inputs);
    assert_eq!(found.records.len(), 2);
    assert!(found.messages()[0].contains("cannot be opened"), "{:?}", found.messages());
}

#[test]
fn names_from_a_base_are_those_with_it_as_the_current_directory() {
    let folder = tree();
    let root = folder.path();
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(4);
    tar.append_data(&mut header, "mail/a.txt", &b"text"[..]).unwrap();
    fs::write(root.join("m.tar"), tar.into_inner().unwrap()).unwrap();
    let names = |base: &Path, args: &[&str]| -> Vec<String> {
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let inputs = Inputs::discover_in(base, &args, DiscoverOptions::default()).unwrap();
        inputs.files.into_iter().map(|file| file.name).collect()
    };
    assert_eq!(names(root, &["m.tar", "./b/c", "*.md"]), ["a.md", "b/c/y.csv", "m.tar!mail/a.txt"]);
    assert_eq!(names(&root.join("b"), &["../m.tar"]), ["../m.tar!mail/a.txt"]);
    // An absolute argument gives whole names.
    let [archive, below] = ["m.tar", "b/*/*"].map(|name| text(&root.join(name)));
    let whole = [format!("{}/b/c/y.csv", text(root)), format!("{archive}!mail/a.txt")];
    assert_eq!(names(root, &[&archive, &below]), whole);
    // Brackets in the name of the base are no pattern.
    fs::create_dir(root.join("[x]*")).unwrap();
    fs::write(root.join("[x]*/q.txt"), "x").unwrap();
    assert_eq!(names(&root.join("[x]*"), &["*.txt"]), ["q.txt"]);
}

#[cfg(unix)]
#[test]
fn a_pattern_finds_names_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in [&b"l\xe9.jsonl"[..], b"l\xe8.log"] {
        // Some systems have no such names.
        if fs::write(root.join(std::ffi::OsStr::from_bytes(name)), "{\"text\":\"x\"}\n").is_err() {
            return;
        }
    }
    let inputs = discover(&[text(&root.join("*"))]).unwrap();
    assert_eq!(inputs.files[0].name, format!(r"{}/l\xe9.jsonl", text(root)));
    assert_eq!((inputs.files.len(), inputs.skipped.len()), (1, 1));
    assert_eq!(read(&inputs).records.len(), 1);
}
