//! Files that are compressed one by one: gzip and Zstandard.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::bytes::Bytes;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstandard,
}

/// Models are numbers that hardly shrink, and vocabularies that shrink to a third.
const MOST_GROWTH: u64 = 50;

/// The size that any file may unpack to, in bytes.
const ALWAYS_ALLOWED: u64 = 256 << 20;

/// The most bytes that a model's archive of `packed` bytes may unpack to; a larger one is made to fill a disk.
pub(super) fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(MOST_GROWTH).max(ALWAYS_ALLOWED)
}

impl Compression {
    /// By the bytes at the beginning of a file.
    pub(super) fn from_bytes(bytes: &Bytes) -> Option<Self> {
        match bytes.fields().array::<4>().ok()? {
            [0x1f, 0x8b, _, _] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd] => Some(Self::Zstandard),
            _ => None,
        }
    }

    /// By the ending of a name, and the name without it.
    pub(super) fn from_name(name: &str) -> Option<(Self, &str)> {
        let endings = [(".gz", Self::Gzip), (".zst", Self::Zstandard)];
        let mut found = endings.into_iter().filter_map(|(ending, kind)| {
            let at = name.len().checked_sub(ending.len())?;
            let is_it = name.get(at..)?.eq_ignore_ascii_case(ending);
            (is_it && at > 0).then(|| (kind, &name[..at]))
        });
        found.next()
    }

    pub(super) fn reader<'a>(self, packed: impl Read + 'a) -> Box<dyn Read + 'a> {
        let packed = BufReader::with_capacity(1 << 16, packed);
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Self::Zstandard => Box::new(Frames {
                waiting: Some(packed),
                open: None,
            }),
        }
    }

    /// All bytes of a compressed file, if they are no more than `most`.
    pub(super) fn unpack(self, packed: &Bytes, most: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut reader = self.reader(packed.reader()).take(most.saturating_add(1));
        let read = reader.read_to_end(&mut bytes);
        read.map_err(|error| self.damage(&error))?;
        if bytes.len() as u64 > most {
            return Err(format!(
                "it unpacks to more than {most} bytes, more than any model has"
            ));
        }
        Ok(bytes)
    }

    pub(super) fn damage(self, error: &io::Error) -> String {
        let name = match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "Zstandard",
        };
        format!("it is cut off or damaged, and cannot be unpacked ({name}: {error})")
    }
}

/// The frames of a file in Zstandard, one after the other.
struct Frames<R: Read> {
    /// Between two frames.
    waiting: Option<R>,
    open: Option<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            if let Some(frame) = &mut self.open {
                let read = frame.read(buffer)?;
                if read > 0 {
                    return Ok(read);
                }
                self.waiting = self.open.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut packed) = self.waiting.take() else {
                break;
            };
            if packed.fill_buf()?.is_empty() {
                break;
            }
            let frame = StreamingDecoder::new(packed).map_err(io::Error::other)?;
            self.open = Some(frame);
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn packed(kind: Compression, bytes: &[u8]) -> Vec<u8> {
        match kind {
            Compression::Gzip => {
                let mut writer = GzEncoder::new(Vec::new(), flate2::Compression::fast());
                writer.write_all(bytes).expect("packed");
                writer.finish().expect("whole")
            }
            Compression::Zstandard => compress_to_vec(bytes, CompressionLevel::Fastest),
        }
    }

    #[test]
    fn files_in_parts_are_unpacked_and_bombs_and_cut_off_ones_are_not() {
        let bytes: Vec<u8> = (0..10_000_u32).flat_map(u32::to_le_bytes).collect();
        for kind in [Compression::Gzip, Compression::Zstandard] {
            let one = packed(kind, &bytes);
            assert_eq!(Compression::from_bytes(&one.clone().into()), Some(kind));
            let unpacked = kind.unpack(&one.clone().into(), 40_000);
            assert_eq!(unpacked.as_ref(), Ok(&bytes));
            let twice = [one.as_slice(), &one].concat();
            let unpacked = kind.unpack(&twice.into(), u64::MAX).expect("whole");
            assert_eq!(unpacked.len(), 80_000);
            let bomb = kind.unpack(&one.clone().into(), 39_999);
            assert!(bomb.is_err_and(|message| message.contains("39999 bytes")));
            for length in [5, one.len() / 2, one.len() - 1] {
                let cut = kind.unpack(&one[..length].to_vec().into(), u64::MAX);
                assert!(
                    cut.is_err_and(|message| message.contains("cut off")),
                    "{length}"
                );
            }
        }
    }

    #[test]
    fn endings_are_taken_off() {
        let name = Compression::from_name("vocab.enpt.spm.gz");
        assert_eq!(name, Some((Compression::Gzip, "vocab.enpt.spm")));
        let name = Compression::from_name("lex.bin.ZST");
        assert_eq!(name, Some((Compression::Zstandard, "lex.bin")));
        assert_eq!(Compression::from_name("é.bin"), None);
        assert_eq!(Compression::from_name(".gz"), None);
    }
}
