//! Packets of the milter protocol: a length of four bytes (big-endian), a command, and its data.

use super::options::MilterLimits;
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Bytes of a packet at most, command included: libmilter's largest. Postfix sends 64 KiB of a body,
/// and header fields of up to 100 KB.
const LONGEST: u32 = (1 << 20) + 1;

/// A packet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) command: u8,
    pub(super) data: Vec<u8>,
}

/// The next packet; `None` at the end of the connection.
///
/// # Errors
/// A packet that is too long or comes too slowly, a connection that ends inside of one, or is idle for
/// too long.
pub(super) async fn next(
    from: &mut (impl AsyncBufRead + Unpin),
    limits: &MilterLimits,
) -> io::Result<Option<Packet>> {
    let begun = tokio::time::timeout(limits.idle, from.fill_buf());
    if begun.await??.is_empty() {
        return Ok(None);
    }
    tokio::time::timeout(limits.packet, whole(from)).await?.map(Some)
}

async fn whole(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Packet> {
    let length = from.read_u32().await?;
    if !(1..=LONGEST).contains(&length) {
        let message = format!("a packet of {length} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let command = from.read_u8().await?;
    // Memory grows with what arrives, and not with what was announced.
    let mut data = Vec::new();
    from.take(u64::from(length) - 1).read_to_end(&mut data).await?;
    match data.len() + 1 == length as usize {
        true => Ok(Packet { command, data }),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Appends a packet.
pub(super) fn append(out: &mut Vec<u8>, command: u8, data: &[&[u8]]) {
    let length: usize = 1 + data.iter().map(|part| part.len()).sum::<usize>();
    out.extend_from_slice(&(length as u32).to_be_bytes());
    out.push(command);
    data.iter().for_each(|part| out.extend_from_slice(part));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Option<Packet>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(next(&mut &bytes[..], &MilterLimits::default()))
    }

    #[test]
    fn packets_are_read_as_they_are_written() {
        let mut bytes = Vec::new();
        append(&mut bytes, b'L', &[b"Subject\0", b"hello\0"]);
        let packet = Packet { command: b'L', data: b"Subject\0hello\0".to_vec() };
        assert_eq!(read(&bytes).unwrap(), Some(packet));
        assert_eq!(read(&[]).unwrap(), None);
        for end in 1..bytes.len() {
            let error = read(&bytes[..end]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{end}");
        }
    }

    #[test]
    fn no_packet_is_longer_than_the_longest() {
        for length in [0, LONGEST + 1, u32::MAX] {
            let error = read(&length.to_be_bytes()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{length}");
        }
    }
}
