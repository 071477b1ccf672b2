//! Tar files, as translateLocally's models come in.

use tar::EntryType;

use super::bytes::Bytes;

/// Where the mark of a tar file is, and the mark.
const MARK: (u64, &[u8; 5]) = (257, b"ustar");

/// Whether bytes begin as a tar file does.
pub(super) fn is_tar(bytes: &Bytes) -> bool {
    let (at, mark) = MARK;
    let part = bytes.part(at..at + mark.len() as u64);
    part.is_some_and(|part| part.read().is_ok_and(|found| found == mark))
}

/// The files in a tar file by their names in it; their bytes stay where they are.
pub(super) fn files_of(bytes: &Bytes) -> Result<Vec<(String, Bytes)>, String> {
    let broken = |error: &std::io::Error| format!("it is cut off or damaged ({error})");
    let mut archive = tar::Archive::new(bytes.reader());
    let mut files = Vec::new();
    for entry in archive.entries().map_err(|error| broken(&error))? {
        let entry = entry.map_err(|error| broken(&error))?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory | EntryType::XGlobalHeader => continue,
            EntryType::Symlink | EntryType::Link => return Err(link(&name)),
            _ => {
                return Err(format!(
                    "{name} in it is not an ordinary file; pack the model's files alone"
                ));
            }
        }
        let first = entry.raw_file_position();
        let part = first.checked_add(entry.size());
        let part = part.and_then(|end| bytes.part(first..end));
        files.push((name, part.ok_or("it is cut off")?));
    }
    Ok(files)
}

/// The reason to refuse an archive that holds a link.
pub(super) fn link(name: &str) -> String {
    format!("{name} in it is a link to another file; pack the files themselves")
}
