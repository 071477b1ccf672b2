//! Texts of a list, which may stay where they are in a file.

use std::sync::Arc;

use memmap2::Mmap;

/// The texts of a list. A vocabulary has hundreds of thousands, so that copies of them would weigh as much as many layers.
#[derive(Clone)]
pub struct Texts(Place);

/// Where texts are.
#[derive(Clone)]
enum Place {
    /// In a file, each behind its length in 64 bits.
    File {
        bytes: Arc<Mmap>,
        /// Where each length begins.
        starts: Arc<[usize]>,
    },
    Memory(Arc<[Box<str>]>),
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} texts", self.len())
    }
}

impl FromIterator<Box<str>> for Texts {
    fn from_iter<I: IntoIterator<Item = Box<str>>>(texts: I) -> Self {
        Self(Place::Memory(texts.into_iter().collect()))
    }
}

impl Texts {
    /// The texts of a file that begin at these places with their lengths.
    pub(super) fn new(bytes: &Arc<Mmap>, starts: &Arc<[usize]>) -> Self {
        Self(Place::File {
            bytes: Arc::clone(bytes),
            starts: Arc::clone(starts),
        })
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::File { starts, .. } => starts.len(),
            Place::Memory(texts) => texts.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of this number. From a file it is read anew each time: empty if somebody has damaged that meanwhile.
    pub fn get(&self, number: usize) -> Option<&str> {
        let (bytes, starts) = match &self.0 {
            Place::File { bytes, starts } => (bytes, starts),
            Place::Memory(texts) => return texts.get(number).map(AsRef::as_ref),
        };
        let start = *starts.get(number)?;
        let (length, rest) = bytes.get(start..)?.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let text = rest.get(..length).unwrap_or_default();
        Some(std::str::from_utf8(text).unwrap_or_default())
    }

    /// All texts in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|number| self.get(number).unwrap_or_default())
    }
}
