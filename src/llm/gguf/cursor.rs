//! Reads numbers and texts from bytes, never past their end.

/// Fewer bytes were left than a field needs.
pub(super) type Read<T> = Result<T, String>;

/// Little-endian numbers one after the other.
pub(super) struct Cursor<'b> {
    bytes: &'b [u8],
    place: usize,
}

impl<'b> Cursor<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, place: 0 }
    }

    /// Offset of the next byte from the beginning.
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.place
    }

    pub(crate) fn take(&mut self, count: usize) -> Read<&'b [u8]> {
        if count > self.left() {
            return Err(format!(
                "the file ends {} bytes after byte {}, where {count} are needed",
                self.left(),
                self.place
            ));
        }
        let taken = &self.bytes[self.place..self.place + count];
        self.place += count;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u32(&mut self) -> Read<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Read<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A count of things that take at least `size` bytes each, so that no list is longer than the file allows.
    pub(crate) fn count(&mut self, size: usize) -> Read<usize> {
        let count = self.u64()?;
        let most = self.left() / size;
        usize::try_from(count)
            .ok()
            .filter(|count| *count <= most)
            .ok_or_else(|| format!("{count} entries are declared, the file has room for {most}"))
    }

    /// A text after its length.
    pub(crate) fn text(&mut self) -> Read<&'b str> {
        let length = self.count(1)?;
        let start = self.place;
        std::str::from_utf8(self.take(length)?)
            .map_err(|error| format!("the text at byte {start} is not UTF-8: {error}"))
    }
}
