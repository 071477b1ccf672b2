//! Versions of descriptions.

use serde::Deserialize;

#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Refuses a description of another version before the rest of it is read, which may be of another form.
pub(super) fn check_version(text: &str, known: u32) -> Result<(), String> {
    let read: Versioned = toml::from_str(text).map_err(|cause| cause.to_string())?;
    let found = read.version;
    if found == known {
        Ok(())
    } else {
        Err(format!(
            "format version {found}, this program reads {known}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_newer_says_so_whatever_else_it_holds() {
        let checked = |text: &str| check_version(text, 1);
        assert_eq!(checked("version = 1\nname = 3"), Ok(()));
        let newer = checked("version = 2\n[model]\nnovel = true\n").expect_err("newer");
        assert!(newer.contains("version 2"), "{newer}");
        assert!(checked("name = 3").is_err() && checked("version = {").is_err());
    }
}
