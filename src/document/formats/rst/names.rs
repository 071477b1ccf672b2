//! Names of titles, by which the text refers to them.

/// The references of a file.
#[derive(Debug)]
pub(super) struct RstNames {
    /// The file without differences that names do not make.
    text: String,
}

impl RstNames {
    pub(super) fn new(text: &str) -> Self {
        Self { text: folded(text) }
    }

    /// The target that a title needs to be found by the name that it had; none if it is not referred to.
    pub(super) fn target(&self, title: &str) -> Option<String> {
        let name = folded(title);
        if name.is_empty() || name.contains(['`', '*', '|', '\\']) {
            return None;
        }
        let is_there = |text: String| self.text.contains(&text);
        let has_target = is_there(format!(".. _{name}:")) || is_there(format!(".. _`{name}`:"));
        let is_meant = is_there(format!("`{name}`_"))
            || is_there(format!("<{name}_>"))
            || is_there(format!(":ref:`{name}`"))
            || is_there(format!(" <{name}>`"))
            || self.refers_simply(&name);
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let quote = if title.contains(':') { "`" } else { "" };
        (is_meant && !has_target).then(|| format!(".. _{quote}{title}{quote}:\n\n"))
    }

    /// Whether `name_` is in the text.
    fn refers_simply(&self, name: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '`';
        let reference = format!("{name}_");
        let mut found = self.text.match_indices(&reference);
        !name.contains(' ')
            && found.any(|(place, _)| {
                let after = self.text[place + reference.len()..].chars().next();
                let before = self.text[..place].chars().next_back();
                !before.is_some_and(is_word) && !after.is_some_and(is_word)
            })
    }
}

/// A text in small letters with single spaces.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}
