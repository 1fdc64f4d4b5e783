//! The lines of a request's body, as they arrive.

use crate::problem::Problem;
use axum::body::Body;
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::sync::watch;

/// How long a stream may pause; a blank line keeps it open.
pub(crate) const PAUSE: Duration = Duration::from_secs(60);

/// The lines of a body.
pub(crate) struct Lines {
    /// `None` behind its end.
    body: Option<Body>,
    most: usize,
    pause: Duration,
    stopping: watch::Receiver<bool>,
    /// What has arrived, from `start` on.
    arrived: Vec<u8>,
    start: usize,
    /// Up to where there is no end of a line.
    searched: usize,
    /// A line that is too long: the rest of it is skipped.
    skipping: bool,
    /// Number of the last line.
    number: u64,
}

impl Lines {
    /// Lines of at most `most` bytes, until the service is stopped.
    pub(crate) fn new(body: Body, most: usize, stopping: watch::Receiver<bool>) -> Self {
        Self {
            body: Some(body),
            most,
            pause: PAUSE,
            stopping,
            arrived: Vec::new(),
            start: 0,
            searched: 0,
            skipping: false,
            number: 0,
        }
    }

    /// Lines without a limit on the pause before each.
    pub(crate) fn however_late(self) -> Self {
        Self { pause: Duration::MAX, ..self }
    }

    /// The number of the next line that is not blank, from 1, and the line without its end.
    pub(crate) async fn next(&mut self) -> Option<(u64, Result<String, Problem>)> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.arrived[self.searched..]) {
                let end = self.searched + at;
                let line = self.take(end);
                (self.start, self.searched) = (end + 1, end + 1);
                match line {
                    Some(line) => return Some((self.number, line)),
                    None => continue,
                }
            }
            if self.arrived.len() - self.start > self.most {
                // The rest of it need not be kept.
                self.skipping = true;
                self.start = self.arrived.len();
            }
            self.searched = self.arrived.len();
            if self.start > 0 {
                self.arrived.drain(..self.start);
                self.searched -= self.start;
                self.start = 0;
            }
            let Some(body) = &mut self.body else {
                if self.arrived.is_empty() && !self.skipping {
                    return None;
                }
                let line = self.take(self.arrived.len());
                self.arrived.clear();
                self.searched = 0;
                return line.map(|line| (self.number, line));
            };
            let stopped = tokio::select! {
                frame = tokio::time::timeout(self.pause, body.frame()) => {
                    frame.map_err(|_| "nothing came for a minute: the stream is ended")
                }
                _ = self.stopping.wait_for(|stopping| *stopping) => {
                    Err("the service is being stopped")
                }
            };
            let frame = match stopped {
                Ok(frame) => frame,
                Err(why) => {
                    let detail = format!("{why}; send the lines from this one on again");
                    return Some(self.end(&detail));
                }
            };
            match frame {
                None => self.body = None,
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.arrived.extend_from_slice(&data);
                    }
                }
                Some(Err(error)) => {
                    return Some(self.end(&format!("the stream broke off: {error}")));
                }
            }
        }
    }

    /// The line that ends here, counted; `None` if it is blank.
    fn take(&mut self, end: usize) -> Option<Result<String, Problem>> {
        self.number += 1;
        if std::mem::take(&mut self.skipping) || end - self.start > self.most {
            let detail = format!("a line has at most {} bytes here", self.most);
            return Some(Err(Problem::bad_request(detail)));
        }
        let line = &self.arrived[self.start..end];
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        let wrong = |error: std::str::Utf8Error| {
            let at = error.valid_up_to() + 1;
            Problem::bad_request(format!("invalid UTF-8 at byte {at} of the line"))
        };
        (!is_blank).then(|| std::str::from_utf8(line).map(str::to_owned).map_err(wrong))
    }

    /// Ends the lines with a problem.
    fn end(&mut self, detail: &str) -> (u64, Result<String, Problem>) {
        self.body = None;
        self.arrived.clear();
        (self.start, self.searched, self.skipping) = (0, 0, false);
        (self.number + 1, Err(Problem::busy("stream_ended", detail)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// The lines of a body that arrives in these parts; `!` for a problem.
    fn lines(parts: &[&str], most: usize) -> Vec<(u64, String)> {
        let parts: Vec<_> =
            parts.iter().map(|part| Ok::<_, Infallible>(part.to_string())).collect();
        let body = Body::from_stream(futures_util::stream::iter(parts));
        let (_stop, stopping) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (mut lines, mut all) = (Lines::new(body, most, stopping), Vec::new());
            while let Some((number, line)) = lines.next().await {
                let line = line.unwrap_or("!".to_owned());
                all.push((number, line));
            }
            all
        })
    }

    /// What `str::lines` gives, with the numbers that an editor shows.
    fn expected(text: &str, most: usize) -> Vec<(u64, String)> {
        let lines = (1..).zip(text.split_inclusive('\n'));
        let lines = lines.map(|(number, line)| (number, line.strip_suffix('\n').unwrap_or(line)));
        let long = |line: &str| if line.len() > most { "!".to_owned() } else { line.to_owned() };
        let lines = lines.filter(|(_, line)| line.len() > most || !line.trim().is_empty());
        lines.map(|(number, line)| (number, long(line))).collect()
    }

    #[test]
    fn lines_do_not_depend_on_how_they_arrive() {
        for text in
            ["", "\n", "a", "a\n", "a\nbc\n\n def", "\n\nabcdefgh\nx\n", "abcdefghi", " \nb\r\n"]
        {
            for most in [1, 3, 8, 100] {
                for size in 1..=text.len().max(1) {
                    let bytes: Vec<String> = text
                        .as_bytes()
                        .chunks(size)
                        .map(|part| String::from_utf8(part.to_vec()).unwrap())
                        .collect();
                    let parts: Vec<&str> = bytes.iter().map(String::as_str).collect();
                    assert_eq!(lines(&parts, most), expected(text, most), "{text:?} {most} {size}");
                }
            }
        }
    }

    #[test]
    fn a_service_that_stops_ends_the_lines_with_a_problem() {
        let body = Body::from_stream(futures_util::stream::pending::<Result<String, Infallible>>());
        let (stop, stopping) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut lines = Lines::new(body, 100, stopping);
            stop.send(true).unwrap();
            let (number, line) = lines.next().await.unwrap();
            assert_eq!((number, &*line.unwrap_err().code), (1, "stream_ended"));
            assert!(lines.next().await.is_none());
        });
    }
}
