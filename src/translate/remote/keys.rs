//! Keys of other machines: those of this session, those that the user has kept, and the variable `CANOPY_REMOTE_KEY`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::host::RemoteHost;
use crate::error::{Error, Result};
use canopy_base::file::write_atomically;

/// A place for a key that lists of processes do not show.
const KEY_VARIABLE: &str = "CANOPY_REMOTE_KEY";

static KEYS: Mutex<BTreeMap<RemoteHost, String>> = Mutex::new(BTreeMap::new());

/// Where a user's keys are, in the folder of his settings.
pub fn keys_file(config: &Path) -> PathBuf {
    config.join("remote-keys.json")
}

/// Takes this key for a machine, until the program ends.
pub fn set_key(host: RemoteHost, key: &str) {
    let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    keys.insert(host, key.trim().to_owned());
}

/// The key for a machine, if one is known.
pub fn key_of(host: RemoteHost) -> Option<String> {
    let keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = keys.get(&host).cloned();
    let key = key.or_else(|| std::env::var(KEY_VARIABLE).ok());
    key.filter(|key| !key.is_empty())
}

/// Takes the keys that the user has kept, but those that are known already; none where there is no file.
pub fn read_keys(path: &Path) {
    for (host, key) in kept(path) {
        if let Ok(host) = host.parse() {
            let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
            keys.entry(host).or_insert(key);
        }
    }
}

/// Keeps a key for the next session, in a file that only the user may read.
///
/// # Errors
/// If it cannot be written.
pub fn save_key(path: &Path, host: RemoteHost, key: &str) -> Result<()> {
    set_key(host, key);
    let mut keys = kept(path);
    keys.insert(host.to_string(), key.trim().to_owned());
    let bytes = serde_json::to_vec_pretty(&keys).unwrap_or_default();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
    }
    private(path)?;
    write_atomically(path, &bytes, true)?;
    private(path)
}

fn kept(path: &Path) -> BTreeMap<String, String> {
    let bytes = std::fs::read(path).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Makes the file the user's alone; it exists before anything is in it.
fn private(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(Error::write(path))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let only_mine = std::fs::Permissions::from_mode(0o600);
        file.set_permissions(only_mine)
            .map_err(Error::write(path))?;
    }
    #[cfg(not(unix))]
    drop(file);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_keys_are_found_again_and_are_the_users_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = keys_file(&folder.path().join("canopy"));
        let [one, other] = ["keys-a:1", "keys-b:2"].map(|host| host.parse().expect("a host"));
        save_key(&path, one, "first\n").expect("written");
        save_key(&path, other, "second").expect("written");
        assert_eq!(kept(&path).len(), 2);
        assert_eq!(key_of(one).as_deref(), Some("first"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = path.metadata().expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        set_key(one, "third");
        read_keys(&path);
        assert_eq!(key_of(one).as_deref(), Some("third"), "requested now");
    }
}
