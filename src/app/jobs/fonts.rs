//! The thread that looks for fonts of the system: to go through hundreds of files takes longer than a frame.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::error::{BaseError, Error, Result};
use canopy_chart::typesetting::{FontKey, SystemFont, SystemFonts, covers, font_script};

/// The fonts that were found so far; the thread adds to them.
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

/// The window's end of the thread.
#[derive(Debug)]
pub struct FontThread {
    requests: Sender<FontKey>,
    requested: Mutex<HashSet<FontKey>>,
    found: Arc<FoundFonts>,
    _thread: JoinHandle<()>,
}

impl FontThread {
    /// Starts the thread, which does nothing until a font is wanted; `wake` is called after every font that is found.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(wake: impl Fn() + Send + 'static) -> Result<Self> {
        let (requests, inbox) = channel();
        let found = Arc::new(FoundFonts::default());
        let shared = found.clone();
        let thread = std::thread::Builder::new()
            .name("canopy-fonts".to_owned())
            .spawn(move || find_all(&inbox, &shared, &wake))
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self {
            requests,
            requested: Mutex::default(),
            found,
            _thread: thread,
        })
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
            // Fails only after the thread has ended, which it does when the window closes.
            let _ = self.requests.send(key);
        }
        None
    }

    /// Changes whenever there are more fonts.
    pub fn revision(&self) -> u64 {
        self.found.revision()
    }
}

fn find_all(inbox: &Receiver<FontKey>, found: &FoundFonts, wake: &impl Fn()) {
    let mut fonts: Option<SystemFonts> = None;
    while let Ok(key) = inbox.recv() {
        // The first character of a page of text has brought the font of all.
        if found.get(key).is_some() {
            continue;
        }
        let fonts = fonts.get_or_insert_with(SystemFonts::scan);
        if let Some(font) = fonts.find(key) {
            found.add(key, font);
            wake();
        }
    }
}
