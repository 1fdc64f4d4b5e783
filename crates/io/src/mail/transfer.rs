//! Transfer encodings (RFC 2045, section 6), decoded as far as they can be.

/// Transfer encoding of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    /// 7bit, 8bit, binary, or unknown: as it is.
    Identity,
    Base64,
    QuotedPrintable,
}

impl Transfer {
    /// The encoding that a `Content-Transfer-Encoding` field names.
    pub(super) fn of(value: Option<&[u8]>) -> Self {
        let value = value.unwrap_or_default().trim_ascii();
        // A comment or parameter may follow.
        let end = value.iter().position(|byte| b"; \t(\r\n".contains(byte)).unwrap_or(value.len());
        match &value[..end] {
            name if name.eq_ignore_ascii_case(b"base64") => Self::Base64,
            name if name.eq_ignore_ascii_case(b"quoted-printable") => Self::QuotedPrintable,
            _ => Self::Identity,
        }
    }
}

impl Transfer {
    /// Appends the decoded bytes.
    pub(super) fn decode(self, encoded: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Identity => out.extend_from_slice(encoded),
            Self::Base64 => base64(encoded, out),
            Self::QuotedPrintable => quoted_printable(encoded, out),
        }
    }
}

/// Appends the decoded bytes. Bytes outside of the alphabet are skipped; padding ends a quantum, as
/// parts that were joined have it in the middle.
pub(super) fn base64(encoded: &[u8], out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0u32, 0u32);
    for byte in encoded {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                push_rest(bits, count, out);
                (bits, count) = (0, 0);
                continue;
            }
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 1;
        if count == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    push_rest(bits, count, out);
}

/// Appends the whole bytes of an incomplete quantum.
fn push_rest(bits: u32, count: u32, out: &mut Vec<u8>) {
    match count {
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    }
}

/// Appends the decoded bytes. An equals sign that is not an escape stays as it is; white space at
/// the end of a line was added on the way and is dropped.
pub(super) fn quoted_printable(encoded: &[u8], out: &mut Vec<u8>) {
    for line in encoded.split_inclusive(|byte| *byte == b'\n') {
        let content = line.trim_ascii_end();
        let (mut rest, soft) = match content.strip_suffix(b"=") {
            Some(content) => (content, true),
            None => (content, false),
        };
        while let Some(at) = memchr::memchr(b'=', rest) {
            out.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            match rest {
                [high, low, ..] => match (hex(*high), hex(*low)) {
                    (Some(high), Some(low)) => {
                        out.push(high << 4 | low);
                        rest = &rest[2..];
                    }
                    _ => out.push(b'='),
                },
                _ => out.push(b'='),
            }
        }
        out.extend_from_slice(rest);
        if !soft && line.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(decode: fn(&[u8], &mut Vec<u8>), encoded: &[u8]) -> String {
        let mut out = Vec::new();
        decode(encoded, &mut out);
        out.escape_ascii().to_string()
    }

    #[test]
    fn base64_is_decoded_as_far_as_it_goes() {
        for (encoded, expected) in [
            (&b"aGVsbG8="[..], "hello"),
            (b"aGVs\r\nbG8=\r\n", "hello"),
            (b"aGVsbG8", "hello"),
            (b"aGVsbG8=aGVsbG8=", "hellohello"),
            (b"aG!!Vs*bG8=", "hello"),
            (b"aGVsbG8h", "hello!"),
            (b"a", ""),
            (b"====", ""),
            (b"", ""),
        ] {
            assert_eq!(decoded(base64, encoded), expected, "{}", encoded.escape_ascii());
        }
    }

    #[test]
    fn quoted_printable_is_decoded_as_far_as_it_goes() {
        for (encoded, expected) in [
            (&b"caf=C3=a9"[..], r"caf\xc3\xa9"),
            (b"soft=\r\nbreak=  \nhere", "softbreakhere"),
            (b"a  \r\nb", r"a\nb"),
            (b"a =3D b", "a = b"),
            (b"a = b =zz =4", "a = b =zz =4"),
            (b"end=", "end"),
            (b"=20\n", r" \n"),
            (b"", ""),
        ] {
            assert_eq!(decoded(quoted_printable, encoded), expected, "{}", encoded.escape_ascii());
        }
    }

    #[test]
    fn the_encoding_is_found_by_name() {
        assert_eq!(Transfer::of(Some(b" Base64\r\n")), Transfer::Base64);
        assert_eq!(Transfer::of(Some(b"quoted-printable (why not)")), Transfer::QuotedPrintable);
        assert_eq!(Transfer::of(Some(b"8bit")), Transfer::Identity);
        assert_eq!(Transfer::of(None), Transfer::Identity);
    }
}
