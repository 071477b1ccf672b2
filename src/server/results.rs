//! Translated files that wait to be fetched, in memory: few, not for long, under names that cannot be guessed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::access::new_key;
use crate::error::Result;

/// A translated file.
#[derive(Debug)]
pub(super) struct TranslatedFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Files by their names, and when they were made.
type Kept = VecDeque<(String, Instant, Arc<TranslatedFile>)>;

/// Kept results, the oldest first.
#[derive(Debug)]
pub(super) struct Results {
    kept: Mutex<Kept>,
    most_bytes: usize,
    longest: Duration,
}

impl Results {
    pub(crate) fn new(most_bytes: usize, longest: Duration) -> Self {
        Self {
            kept: Mutex::default(),
            most_bytes,
            longest,
        }
    }

    /// Keeps a file, and returns the name by which it can be fetched. The oldest ones make room.
    ///
    /// # Errors
    /// If the system's random number generator fails.
    pub(crate) fn keep(&self, file: TranslatedFile) -> Result<String> {
        let id = new_key()?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((id.clone(), Instant::now(), Arc::new(file)));
        while kept.len() > 1 && bytes(&kept) > self.most_bytes {
            kept.pop_front();
        }
        drop_old(&mut kept, self.longest);
        Ok(id)
    }

    /// The file of this name, unless it is gone.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<TranslatedFile>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        drop_old(&mut kept, self.longest);
        let found = kept.iter().find(|(own, ..)| own == id);
        found.map(|(_, _, file)| Arc::clone(file))
    }
}

fn bytes(kept: &Kept) -> usize {
    kept.iter().map(|(_, _, file)| file.bytes.len()).sum()
}

fn drop_old(kept: &mut Kept, longest: Duration) {
    kept.retain(|(_, made, _)| made.elapsed() <= longest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: usize) -> TranslatedFile {
        TranslatedFile {
            name: "page.html".to_owned(),
            bytes: vec![0; bytes],
        }
    }

    #[test]
    fn old_files_make_room_and_time_runs_out() {
        let results = Results::new(100, Duration::from_mins(1));
        let [first, second, third] =
            [40, 50, 60].map(|size| results.keep(file(size)).expect("kept"));
        assert!(results.get(&first).is_none() && results.get(&second).is_none());
        assert_eq!(results.get(&third).expect("kept").bytes.len(), 60);
        // One that is larger than all the room is kept all the same: a client waits for it.
        let large = results.keep(file(1_000)).expect("kept");
        assert!(results.get(&large).is_some() && results.get("x").is_none());
        let short = Results::new(100, Duration::ZERO);
        let id = short.keep(file(1)).expect("kept");
        std::thread::sleep(Duration::from_millis(2));
        assert!(short.get(&id).is_none());
    }
}
