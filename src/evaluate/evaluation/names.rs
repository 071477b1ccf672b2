//! Names of systems side by side.

use std::collections::HashMap;
use std::path::PathBuf;

/// The names of systems at these paths; systems of the same name are named by their paths.
pub fn unique_names(named: &[(String, PathBuf)]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (name, _) in named {
        *counts.entry(name).or_default() += 1;
    }
    let unique = named.iter().map(|(name, path)| {
        if counts[name.as_str()] > 1 {
            path.display().to_string()
        } else {
            name.clone()
        }
    });
    unique.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_of_one_name_are_distinguished_by_their_paths() {
        let named = [("tree", "runs/a"), ("flat", "runs/b"), ("tree", "runs/c")];
        let named = named.map(|(name, path)| (name.to_owned(), PathBuf::from(path)));
        assert_eq!(unique_names(&named), ["runs/a", "flat", "runs/c"]);
    }
}
