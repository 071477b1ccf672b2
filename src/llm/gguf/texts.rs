//! Texts of a list, which stay where they are in the file.

use std::sync::Arc;

use memmap2::Mmap;

/// The texts of a list. A vocabulary has hundreds of thousands, so that copies of them would weigh as much as many layers.
#[derive(Clone)]
pub struct Texts {
    bytes: Arc<Mmap>,
    /// Where each begins, which is its length in 64 bits.
    starts: Arc<[usize]>,
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} texts", self.len())
    }
}

impl Texts {
    pub(super) fn new(bytes: &Arc<Mmap>, starts: &Arc<[usize]>) -> Self {
        Self {
            bytes: Arc::clone(bytes),
            starts: Arc::clone(starts),
        }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The text of this number. It is read anew each time: empty if somebody has damaged the file meanwhile.
    pub fn get(&self, number: usize) -> Option<&str> {
        let start = *self.starts.get(number)?;
        let (length, rest) = self.bytes.get(start..)?.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let text = rest.get(..length).unwrap_or_default();
        Some(std::str::from_utf8(text).unwrap_or_default())
    }

    /// All texts in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number).unwrap_or_default())
    }
}
