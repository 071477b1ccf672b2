//! Fonts of the system, which are looked for: to go through hundreds of files takes longer than a frame.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::pool::{Answerer, EventSender, Lane, Pool};
use canopy_chart::typesetting::{FontKey, SystemFont, SystemFonts, covers, font_script};

/// The fonts that were found so far; the lane adds to them.
#[derive(Debug, Default)]
pub struct FoundFonts {
    found: Mutex<Vec<(FontKey, SystemFont)>>,
    /// Grows with every font.
    revision: AtomicU64,
}

impl FoundFonts {
    /// A font for a character, if one like it was found before.
    pub fn get(&self, key: FontKey) -> Option<SystemFont> {
        let found = self.lock();
        let mut alike = found.iter().filter(|(known, _)| is_alike(*known, key));
        let has =
            |(_, font): &&(FontKey, SystemFont)| covers(&font.data, font.index, key.character);
        alike.find(has).map(|(_, font)| font.clone())
    }

    /// Number of changes so far: another number means that other fonts are found.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    fn add(&self, key: FontKey, font: SystemFont) {
        self.lock().push((key, font));
        self.revision.fetch_add(1, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(FontKey, SystemFont)>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_alike(known: FontKey, key: FontKey) -> bool {
    let script = |key: FontKey| font_script(key.character);
    (known.weight, known.han, script(known)) == (key.weight, key.han, script(key))
}

/// Looks for fonts on a lane of a pool.
#[derive(Debug)]
pub struct FontFinder {
    lane: Lane<FontKey>,
    requested: Mutex<HashSet<FontKey>>,
    found: Arc<FoundFonts>,
}

impl FontFinder {
    /// Does nothing until a font is wanted; the window is woken after every font that is found.
    pub fn new(pool: &Pool) -> Self {
        let found = Arc::new(FoundFonts::default());
        Self {
            lane: pool.lane(Finder {
                events: pool.events().clone(),
                fonts: None,
                found: Arc::clone(&found),
            }),
            requested: Mutex::default(),
            found,
        }
    }

    /// A font that has the character, if it is here; otherwise it is looked for, once.
    pub fn font(&self, key: FontKey) -> Option<SystemFont> {
        if let Some(font) = self.found.get(key) {
            return Some(font);
        }
        let mut requested = self
            .requested
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if requested.insert(key) {
            self.lane.send(key);
        }
        None
    }

    /// Changes whenever there are more fonts.
    pub fn revision(&self) -> u64 {
        self.found.revision()
    }
}

struct Finder {
    events: EventSender,
    /// None until the first font is wanted: a scan takes a while.
    fonts: Option<SystemFonts>,
    found: Arc<FoundFonts>,
}

impl Answerer for Finder {
    type Request = FontKey;

    fn answer(&mut self, key: FontKey) {
        // The first character of a page of text has brought the font of all.
        if self.found.get(key).is_some() {
            return;
        }
        let fonts = self.fonts.get_or_insert_with(SystemFonts::scan);
        if let Some(font) = fonts.find(key) {
            self.found.add(key, font);
            self.events.wake();
        }
    }
}
