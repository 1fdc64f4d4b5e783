use super::*;

type Piece = (Vec<u8>, [Vec<u64>; 2]);

fn piece(number: u8) -> Piece {
    let words = |count: u8| (0..count).map(|n| u64::from(n) << 60 | u64::from(number)).collect();
    (vec![number; 50 + number as usize], [words(number), words(2 * number)])
}

fn written(path: &Path, pieces: u8) -> Vec<Frame> {
    let mut file = SpillFile::reopen(path).unwrap().file;
    let append = |n| {
        let (head, [front, back]) = piece(n);
        file.append(&head, &front, &back).unwrap()
    };
    (0..pieces).map(append).collect()
}

#[test]
fn frames_round_trip_and_more_can_be_appended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames");
    let frames = written(&path, 9);
    let Reopened { mut file, frames: found, dropped } = SpillFile::reopen(&path).unwrap();
    assert_eq!((found, dropped), (frames, 0));
    let last = file.append(b"more", &[1, 2], &[]).unwrap();
    let found = SpillFile::reopen(&path).unwrap();
    assert_eq!(found.frames[9], last);
    assert_eq!(found.file.bytes(), file.bytes());
    for (number, &frame) in found.frames[..9].iter().enumerate() {
        let (head, [front, back]) = piece(number as u8);
        assert_eq!(found.file.head(frame).unwrap(), head);
        let mut read = vec![77];
        found.file.front(frame, &mut read).unwrap();
        assert_eq!(read, front);
        found.file.back(frame, &mut read).unwrap();
        assert_eq!(read, back);
        for (at, (one, other)) in (0u64..).zip(front.iter().zip(&back)) {
            let mut word = [0];
            found.file.read_front(frame, at, &mut word).unwrap();
            assert_eq!(word, [*one]);
            found.file.read_back(frame, at, &mut word).unwrap();
            assert_eq!(word, [*other]);
        }
        assert!(found.file.read_front(frame, 1, &mut vec![0; front.len()]).is_err());
    }
}

/// On Windows, a read at an offset moves the file's position; here, something else does.
#[test]
fn append_is_independent_of_the_file_position() {
    use std::io::{Seek, SeekFrom};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames");
    let mut file = SpillFile::reopen(&path).unwrap().file;
    let mut frames = Vec::new();
    for number in 0..9 {
        let (head, [front, back]) = piece(number);
        frames.push(file.append(&head, &front, &back).unwrap());
        file.file.seek(SeekFrom::Start(u64::from(number) * 7)).unwrap();
    }
    let mut reopened = SpillFile::reopen(&path).unwrap();
    assert_eq!(reopened.frames, frames);
    reopened.file.file.rewind().unwrap();
    frames.push(reopened.file.append(b"more", &[1, 2], &[3]).unwrap());
    assert_eq!(SpillFile::reopen(&path).unwrap().frames, frames);
}

#[test]
fn pieces_are_written_like_one_array() {
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, parts: bool| {
        let path = folder.path().join(name);
        let mut file = SpillFile::reopen(&path).unwrap().file;
        match parts {
            false => file.append(b"head", &[1, 2, 3], &[4, 5]),
            true => file.append_pieces(b"head", [&[1], &[2, 3]], [&[4, 5], &[]]),
        }
        .unwrap();
        std::fs::read(path).unwrap()
    };
    assert_eq!(written("whole", false), written("parts", true));
}

/// Truncated anywhere, or with any byte changed: exactly the frames before that byte are kept.
#[test]
fn incomplete_frames_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames");
    let frames = written(&path, 4);
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let whole = frames.iter().take_while(|frame| frame.end() <= at as u64).count();
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        for content in [&bytes[..at], &damaged] {
            std::fs::write(&path, content).unwrap();
            let found = SpillFile::reopen(&path).unwrap();
            assert_eq!(found.frames, frames[..whole], "byte {at}");
            assert_eq!(found.file.bytes() + found.dropped, content.len() as u64);
        }
    }
}

/// Complete frames in another order: the frames before the first moved one are kept.
#[test]
fn moved_frames_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames");
    let frames = written(&path, 4);
    let bytes = std::fs::read(&path).unwrap();
    let piece = |n: usize| &bytes[frames[n].start as usize..frames[n].end() as usize];
    for (order, whole) in [
        (&[0, 2, 3][..], 1),
        (&[1, 2, 3], 0),
        (&[0, 0, 1, 2, 3], 1),
        (&[0, 2, 1, 3], 1),
        (&[0, 1, 3], 2),
        (&[0, 1, 2, 3, 3], 4),
    ] {
        let moved: Vec<u8> = order.iter().flat_map(|&n| piece(n)).copied().collect();
        std::fs::write(&path, moved).unwrap();
        assert_eq!(SpillFile::reopen(&path).unwrap().frames, frames[..whole], "{order:?}");
    }
}

#[test]
fn changed_bytes_are_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames");
    let frame = written(&path, 3)[2];
    let file = SpillFile::reopen(&path).unwrap().file;
    let bytes = std::fs::read(&path).unwrap();
    let places = [frame.start + HEADER as u64 + 3, frame.front_start(), frame.back_start()];
    for (changed, at) in places.into_iter().enumerate() {
        let mut damaged = bytes.clone();
        damaged[at as usize] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        let mut words = Vec::new();
        let reads = [
            file.head(frame).is_ok(),
            file.front(frame, &mut words).is_ok(),
            file.back(frame, &mut words).is_ok(),
        ];
        assert_eq!(reads, [0, 1, 2].map(|part| part != changed));
    }
}
