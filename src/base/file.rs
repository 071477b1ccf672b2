//! Files that are either the old ones or the new ones, never half of each.

use std::{
    fs,
    io::{ErrorKind, Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use flate2::read::MultiGzDecoder;

use crate::disk;
use crate::error::{Error, Result};

/// How the names of temporary files begin.
pub const TEMPORARY: &str = ".canopy-";

/// Writes `bytes` to `path`: to a temporary file next to it, which is then renamed.
///
/// A symbolic link stays one; what it points to is replaced. An existing file keeps its permissions.
///
/// # Errors
/// If `path` exists and `overwrite` is false, or if writing fails; the existing file stays.
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8], overwrite: bool) -> Result<()> {
    let path = path.as_ref();
    let exists = || Error::Exists {
        path: path.to_owned(),
    };
    // A link that points nowhere counts as existing.
    let named = path.symlink_metadata().ok();
    if named.is_some() && !overwrite {
        return Err(exists());
    }
    let place = if named.as_ref().is_some_and(fs::Metadata::is_symlink) {
        path.canonicalize().map_err(Error::write(path))?
    } else {
        new_place(path)
    };
    let replaced = fs::metadata(&place).ok();
    if replaced.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(Error::write(path)(ErrorKind::IsADirectory.into()));
    }
    let is_other = |replaced: &fs::Metadata| !replaced.is_file();
    if named.is_some() && replaced.as_ref().is_some_and(is_other) {
        // A pipe or a device: a file in its place would not be one.
        let file = fs::OpenOptions::new().write(true).open(&place);
        let written = file.and_then(|mut file| file.write_all(bytes));
        return written.map_err(Error::write(path));
    }
    let mut file = new_file(folder_of(&place)).map_err(Error::write(path))?;
    disk::write_all(&mut file, bytes).map_err(Error::write(path))?;
    if let Some(replaced) = replaced {
        file.as_file()
            .set_permissions(replaced.permissions())
            .map_err(Error::write(path))?;
    }
    disk::sync(file.as_file()).map_err(Error::write(path))?;
    disk::before_naming().map_err(Error::write(path))?;
    if overwrite {
        persist(file, &place).map_err(Error::write(path))?;
    } else {
        // Another process may have created the file in the meantime.
        file.persist_noclobber(&place)
            .map_err(|error| match error.error.kind() {
                ErrorKind::AlreadyExists => exists(),
                _ => Error::write(path)(error.error),
            })?;
    }
    disk::sync_folder(&folder_of(&place)).map_err(Error::write(path))
}

/// Gives a temporary file its name, in place of a file that has it. On Windows that is refused while another program reads the old
/// file, as indexers and virus scanners do for a moment, so it is tried for half a second.
///
/// # Errors
/// If the system refuses.
pub fn persist(mut file: tempfile::NamedTempFile, place: &Path) -> std::io::Result<()> {
    let mut pauses = [10, 20, 40, 80, 160, 190].into_iter();
    loop {
        let Err(refused) = file.persist(place) else {
            return Ok(());
        };
        let may_pass = cfg!(windows) && refused.error.kind() == ErrorKind::PermissionDenied;
        match pauses.next() {
            Some(pause) if may_pass => std::thread::sleep(Duration::from_millis(pause)),
            _ => return Err(refused.error),
        }
        file = refused.file;
    }
}

/// Where a file that is no link is written. On Windows the path of its folder has the form that knows no greatest length.
fn new_place(path: &Path) -> PathBuf {
    let folder = folder_of(path).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) if cfg!(windows) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// The path of a file or folder without links, as people write it: on Windows `C:\a` and `\\server\a`, where the standard
/// library says `\\?\C:\a` and `\\?\UNC\server\a`.
///
/// # Errors
/// If the path does not exist.
pub fn canonicalize(path: &Path) -> std::io::Result<PathBuf> {
    let canonical = path.canonicalize()?;
    let plain = canonical.to_str().and_then(without_verbatim_prefix);
    Ok(plain.map_or(canonical, PathBuf::from))
}

/// `None` where Windows would read the plain path otherwise: a name of a device, or one that ends with a dot or a blank.
fn without_verbatim_prefix(path: &str) -> Option<String> {
    const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
    let is_odd = |name: &str| {
        let stem = name.split('.').next().unwrap_or_default();
        let stem = stem.trim_end().to_ascii_uppercase();
        let is_port = ["COM", "LPT"].iter().any(|port| {
            let number = stem.strip_prefix(port);
            number.is_some_and(|number| number.chars().count() == 1)
        });
        name.ends_with(['.', ' ']) || is_port || DEVICES.contains(&stem.as_str())
    };
    let rest = path.strip_prefix(r"\\?\")?;
    if rest.contains('/') || rest.split('\\').any(is_odd) {
        return None;
    }
    if let Some(share) = rest.strip_prefix(r"UNC\") {
        return Some(format!(r"\\{share}"));
    }
    let is_drive =
        matches!(rest.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
    is_drive.then(|| rest.to_owned())
}

/// The file that is locked to have something for oneself; an empty one is made where there is none.
///
/// # Errors
/// If it cannot be written.
pub fn lock_file(path: &Path) -> Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).open(path);
    file.map_err(Error::write(path))
}

/// Before long work whose outcome is to be written: whether [`write_atomically`] will find its place.
///
/// # Errors
/// If it is a folder, if the file exists and `overwrite` is false, or if its folder does not.
pub fn check_writable(path: &Path, overwrite: bool) -> Result<()> {
    if path.is_dir() {
        return Err(Error::write(path)(ErrorKind::IsADirectory.into()));
    }
    if path.symlink_metadata().is_ok() && !overwrite {
        return Err(Error::Exists {
            path: path.to_owned(),
        });
    }
    if folder_of(path).is_dir() {
        Ok(())
    } else {
        let cause = std::io::Error::new(ErrorKind::NotFound, "its folder does not exist");
        Err(Error::write(path)(cause))
    }
}

/// Whether two paths lead to one file or folder: by a link, by another spelling, or as two names of it. Pipes and
/// devices hold no work and are never the same.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let (Ok(first), Ok(second)) = (canonicalize(one), canonicalize(other)) else {
        return false;
    };
    let is_kept = |path: &Path| path.is_file() || path.is_dir();
    is_kept(&first) && (first == second || have_one_inode(&first, &second))
}

#[cfg(unix)]
fn have_one_inode(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path| fs::metadata(path).map(|it: fs::Metadata| (it.dev(), it.ino()));
    matches!((inode(one), inode(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(windows)]
fn have_one_inode(one: &Path, other: &Path) -> bool {
    same_file::is_same_file(one, other).unwrap_or(false)
}

/// Whether the name of a file ends so, in whatever case.
pub fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|it| it.eq_ignore_ascii_case(ending))
}

/// The place of a file, existing or not: the same for every spelling of its path.
pub fn canonical_path(path: &Path) -> PathBuf {
    let below = |folder: PathBuf| Some(canonicalize(&folder).ok()?.join(path.file_name()?));
    let place = canonicalize(path).ok();
    place
        .or_else(|| below(folder_of(path)))
        .unwrap_or_else(|| path.to_owned())
}

/// A temporary file with the permissions that any new file gets.
fn new_file(folder: PathBuf) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The bytes of a file, unpacked where gzip has packed it.
///
/// # Errors
/// If the file cannot be read, or its packed form is damaged.
pub fn read_unpacked(path: &Path) -> Result<Vec<u8>> {
    const GZIP: [u8; 2] = [0x1F, 0x8B];
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked);
    read.map_err(Error::read(path))?;
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    #[test]
    fn an_existing_file_stays_unless_it_may_be_replaced() {
        let folder = folder();
        let path = folder.path().join("a.txt");
        write_atomically(&path, b"one", false).expect("new");
        assert!(matches!(
            write_atomically(&path, b"two", false),
            Err(Error::Exists { .. })
        ));
        assert_eq!(fs::read(&path).expect("there"), b"one");
        write_atomically(&path, b"two", true).expect("replaced");
        assert_eq!(fs::read(&path).expect("there"), b"two");
        assert_eq!(
            fs::read_dir(folder.path()).expect("a folder").count(),
            1,
            "a temporary file was left behind"
        );
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let path = folder().path().join("missing/a.txt");
        let error = write_atomically(&path, b"", true).expect_err("no folder");
        assert!(error.to_string().contains("a.txt"), "{error}");
    }

    #[test]
    fn a_folder_is_not_replaced() {
        let folder = folder();
        assert!(matches!(
            write_atomically(folder.path(), b"", true),
            Err(Error::Write { .. })
        ));
        assert!(folder.path().is_dir());
        for overwrite in [false, true] {
            assert!(matches!(
                check_writable(folder.path(), overwrite),
                Err(Error::Write { .. })
            ));
        }
        check_writable(&folder.path().join("a.txt"), false).expect("a place");
    }

    #[test]
    fn a_file_is_the_same_under_every_name() {
        let folder = folder();
        let (path, other) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
        fs::create_dir(folder.path().join("more")).expect("a folder");
        let spelt = folder.path().join("more/../a.txt");
        assert!(!is_same_file(&path, &spelt), "there is none");
        assert_eq!(canonical_path(&path), canonical_path(&spelt));
        fs::write(&path, "one").expect("written");
        fs::write(&other, "one").expect("written");
        assert!(is_same_file(&path, &spelt));
        assert!(!is_same_file(&path, &other));
        assert_ne!(canonical_path(&path), canonical_path(&other));
        #[cfg(unix)]
        {
            let [link, name] = ["link.txt", "name.txt"].map(|name| folder.path().join(name));
            std::os::unix::fs::symlink("a.txt", &link).expect("linked");
            fs::hard_link(&path, &name).expect("linked");
            assert!(is_same_file(&link, &path) && is_same_file(&path, &name));
            assert!(!is_same_file(
                Path::new("/dev/null"),
                Path::new("/dev/null")
            ));
        }
    }

    #[test]
    fn paths_of_windows_are_as_people_write_them() {
        let plain = |path| without_verbatim_prefix(path);
        let is = |path, expected: &str| assert_eq!(plain(path).as_deref(), Some(expected));
        is(
            r"\\?\C:\Users\Jörg\My page.html",
            r"C:\Users\Jörg\My page.html",
        );
        is(r"\\?\c:\", r"c:\");
        is(r"\\?\UNC\server\share\page.txt", r"\\server\share\page.txt");
        for other in [
            r"C:\plain",
            "/usr/share",
            r"\\?\Volume{12}\page.txt",
            r"\\?\C:\dot.\page.txt",
            r"\\?\C:\blank ",
            r"\\?\C:\com1.txt",
            r"\\?\C:\Nul",
            r"\\?\C:\a/b",
        ] {
            assert_eq!(plain(other), None, "{other}");
        }
    }

    #[test]
    fn a_path_without_links_leads_to_its_file() {
        let folder = folder();
        let path = folder.path().join("a b.txt");
        assert!(canonicalize(&path).is_err(), "it is not there");
        fs::write(&path, "one").expect("written");
        let found = canonicalize(&path).expect("there");
        assert_eq!(fs::read(&found).expect("read"), b"one");
        assert_eq!(found, canonical_path(&path));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = folder();
        let (path, link) = (folder.path().join("a.txt"), folder.path().join("link.txt"));
        fs::write(&path, "one").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        symlink("a.txt", &link).expect("linked");
        write_atomically(&link, b"two", true).expect("replaced");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read(&path).expect("there"), b"two");
        assert_eq!(
            fs::metadata(&path).expect("there").permissions().mode() & 0o777,
            0o640
        );
    }
}
