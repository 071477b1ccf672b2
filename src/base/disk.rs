//! The steps by which files are kept. All saves go through them, so that tests can let any one of them fail.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps until one fails; none does without this.
static LEFT: AtomicUsize = AtomicUsize::new(NEVER);
const NEVER: usize = usize::MAX;

/// Makes the step after `steps` others fail, in the whole process, as on a full disk. For tests.
#[doc(hidden)]
pub fn fail_after(steps: usize) {
    LEFT.store(steps, Ordering::SeqCst);
}

/// Lets no step fail any more; true if one has failed.
#[doc(hidden)]
pub fn has_failed() -> bool {
    LEFT.swap(NEVER, Ordering::SeqCst) == NEVER
}

fn step() -> io::Result<()> {
    let count = |left| (left != NEVER).then(|| usize::wrapping_sub(left, 1));
    match LEFT.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count) {
        Ok(0) => Err(ErrorKind::StorageFull.into()),
        _ => Ok(()),
    }
}

/// Writes all of `bytes`.
///
/// # Errors
/// If the disk refuses; some of them may be written then.
pub fn write_all(file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    if let Err(failed) = step() {
        file.write_all(&bytes[..bytes.len() / 2])?;
        return Err(failed);
    }
    file.write_all(bytes)
}

/// Waits until a file is on the disk.
///
/// # Errors
/// If the disk refuses.
pub fn sync(file: &File) -> io::Result<()> {
    step()?;
    file.sync_all()
}

/// Waits until the names in a folder are on the disk, where the system lets a folder be opened.
///
/// # Errors
/// If the disk refuses.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    step()?;
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Gives a file or a folder another name, in place of a file that has it.
///
/// # Errors
/// If the disk refuses; both are as they were.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    fs::rename(from, to)
}

/// Before a temporary file takes its name by other means.
pub(crate) fn before_naming() -> io::Result<()> {
    step()
}
