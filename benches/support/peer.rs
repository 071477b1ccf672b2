//! Measurements of a peer in Python.

use std::io::Write;
use std::process::Command;

use serde_json::Value;

/// The JSON that a script of `benches` prints for these batches; none if it fails, as where `CANOPY_PYTHON` (or `python3`)
/// lacks what it imports.
pub fn measured(script: &str, batches: &[Value], more: Option<&str>) -> Option<Value> {
    let mut file = tempfile::NamedTempFile::new().ok()?;
    let text = serde_json::to_string(batches).ok()?;
    file.write_all(text.as_bytes()).ok()?;
    let python = std::env::var("CANOPY_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches");
    let output = Command::new(python)
        .arg(format!("{folder}/{script}"))
        .arg(file.path())
        .args(more)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    serde_json::from_slice(&output.stdout).ok()
}
