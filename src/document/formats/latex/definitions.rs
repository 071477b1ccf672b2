//! Commands and environments that a LaTeX file defines for environments that it uses.

use std::collections::HashMap;

use super::commands::{Environment, environment};

/// A command that stands for an environment, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shorthand {
    /// Begins the environment of this name.
    Begin(String),
    End(String),
    /// Is a formula with its arguments.
    Whole,
}

/// Whatever a file defines so.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    commands: HashMap<String, Shorthand>,
    environments: HashMap<String, Environment>,
}

/// Pairs that many authors define in a file of their own.
const USUAL: [(&str, &str); 4] = [
    ("be", "ee"),
    ("bea", "eea"),
    ("beq", "eeq"),
    ("beqa", "eeqa"),
];
/// The name of a formula that no environment encloses.
const DISPLAY: &str = "displaymath";

impl Definitions {
    pub(super) fn new(source: &str) -> Self {
        let mut definitions = Self::default();
        for (place, _) in source.match_indices('\\') {
            let rest = &source[place + 1..];
            let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            let after = rest[length..].trim_start_matches('*').trim_start();
            match &rest[..length] {
                "def" | "gdef" | "newcommand" | "renewcommand" | "providecommand" => {
                    definitions.command(after);
                }
                "newenvironment" | "renewenvironment" => definitions.new_environment(after),
                "newtheorem" => {
                    if let Some((name, _)) = group(after) {
                        definitions.add(name, Environment::Titled);
                    }
                }
                _ => {}
            }
        }
        for (begin, end) in USUAL {
            let is_used = |name: &str| source.contains(&format!("\\{name}\n"));
            let is_free = |name: &str| !source.contains(&format!("def\\{name}"));
            if !definitions.commands.contains_key(begin)
                && is_free(begin)
                && !source.contains(&format!("command{{\\{begin}}}"))
                && is_used(begin)
                && is_used(end)
            {
                let mut add = |name: &str, shorthand| {
                    definitions.commands.insert(name.to_owned(), shorthand);
                };
                add(begin, Shorthand::Begin(DISPLAY.to_owned()));
                add(end, Shorthand::End(DISPLAY.to_owned()));
            }
        }
        definitions
    }

    /// Returns what a command stands for.
    pub(super) fn shorthand(&self, name: &str) -> Option<Shorthand> {
        self.commands.get(name).cloned()
    }

    /// Returns the kind of an environment.
    pub(super) fn environment(&self, name: &str) -> Option<Environment> {
        self.environments.get(name).copied()
    }

    /// Returns the commands that end what the command `begun` began, an environment of this name.
    pub(super) fn ends_of<'d>(
        &'d self,
        begun: &'d str,
        name: &'d str,
    ) -> impl Iterator<Item = &'d str> {
        let ends = move |shorthand: &Shorthand| match shorthand {
            Shorthand::End(ended) => ended == name,
            _ => false,
        };
        let found = self.commands.iter().filter(move |(_, it)| ends(it));
        found
            .map(|(command, _)| command.as_str())
            .filter(move |command| *command != begun)
    }

    fn add(&mut self, name: &str, kind: Environment) {
        self.environments.insert(name.trim().to_owned(), kind);
    }

    /// A definition, from its name on: `\be{…}`, `{\be}[1]{…}`, `\be#1{…}`.
    fn command(&mut self, text: &str) {
        let named = match group(text) {
            Some((inner, rest)) => inner.trim().strip_prefix('\\').map(|name| (name, rest)),
            None => text.strip_prefix('\\').map(|inner| {
                let length = inner.bytes().take_while(u8::is_ascii_alphabetic).count();
                inner.split_at(length)
            }),
        };
        let Some((name, rest)) = named.filter(|(name, _)| !name.is_empty()) else {
            return;
        };
        let body = rest.find('{').filter(|&open| !rest[..open].contains('\n'));
        let Some((body, _)) = body.and_then(|open| group(&rest[open..])) else {
            return;
        };
        if let Some(shorthand) = shorthand(body.trim()) {
            self.commands.insert(name.to_owned(), shorthand);
        }
    }

    fn new_environment(&mut self, text: &str) {
        let Some((name, rest)) = group(text) else {
            return;
        };
        let body = rest.find('{').and_then(|open| group(&rest[open..]));
        let begun = body.and_then(|(body, _)| match shorthand(body.trim()) {
            Some(Shorthand::Begin(begun)) => Some(begun),
            _ => None,
        });
        if let Some(begun) = begun {
            let kind = self.environment(&begun);
            self.add(
                name,
                kind.unwrap_or_else(|| environment(begun.trim_end_matches('*'))),
            );
        }
    }
}

/// The meaning of a command that is defined so.
fn shorthand(body: &str) -> Option<Shorthand> {
    let begins = named(body, "\\begin");
    let ends = body
        .rfind("\\end")
        .and_then(|end| named(&body[end..], "\\end"));
    let is_math = |name: &str| environment(name.trim_end_matches('*')) == Environment::Math;
    match (begins, ends) {
        (Some(begun), Some(_)) => is_math(&begun).then_some(Shorthand::Whole),
        (Some(begun), None) => Some(Shorthand::Begin(begun)),
        (None, Some(ended)) => Some(Shorthand::End(ended)),
        (None, None) => match body {
            "\\[" => Some(Shorthand::Begin(DISPLAY.to_owned())),
            "\\]" => Some(Shorthand::End(DISPLAY.to_owned())),
            _ => None,
        },
    }
}

/// The argument of a command at the beginning of a text.
fn named(text: &str, command: &str) -> Option<String> {
    let (name, _) = group(text.strip_prefix(command)?.trim_start())?;
    Some(name.trim().to_owned())
}

/// The content of the group at the beginning of a text, and what follows it.
fn group(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{')?;
    let (mut depth, mut is_escaped) = (1, false);
    for (place, byte) in inner.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&inner[..place], &inner[place + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_of_environments_are_understood() {
        let source = "\\def\\be{\\begin{equation}}\n\\newcommand{\\ee}{\\end{equation}}\n\
                      \\newcommand\\eq[1]{\\begin{align*}#1\\end{align*}}\\def\\bd{\\[}\n\
                      \\newenvironment{own}{\\begin{gather}}{\\end{gather}}\n\
                      \\newtheorem{thm}{Theorem}\\newcommand{\\ie}{\\textit{i.e.}}\n";
        let definitions = Definitions::new(source);
        let begin = |name: &str| Some(Shorthand::Begin(name.to_owned()));
        assert_eq!(definitions.shorthand("be"), begin("equation"));
        assert_eq!(definitions.shorthand("eq"), Some(Shorthand::Whole));
        assert_eq!(definitions.shorthand("bd"), begin(DISPLAY));
        assert_eq!(definitions.shorthand("ie"), None);
        assert_eq!(definitions.environment("own"), Some(Environment::Math));
        assert_eq!(definitions.environment("thm"), Some(Environment::Titled));
        assert!(definitions.ends_of("be", "equation").eq(["ee"]));
    }
}
