//! Where commands, groups and arguments of a LaTeX file begin and end.

use std::ops::Range;

use super::commands::{Command, command};
use super::reading::LatexReader;

impl LatexReader<'_, '_> {
    /// The place of a command outside of comments.
    pub(super) fn find(&self, command: &str, from: usize) -> Option<usize> {
        let goes_on = |place: usize| {
            command.ends_with(|c: char| c.is_ascii_alphabetic())
                && self.source[place + command.len()..]
                    .starts_with(|c: char| c.is_ascii_alphabetic())
        };
        self.source[from..]
            .match_indices(command)
            .map(|(place, _)| from + place)
            .find(|&place| !self.is_comment(place) && !goes_on(place))
    }

    pub(super) fn is_comment(&self, place: usize) -> bool {
        let line = &self.source[..place];
        let line = &line[line.rfind('\n').map_or(0, |end| end + 1)..];
        line.match_indices('%')
            .any(|(percent, _)| !line[..percent].ends_with('\\'))
    }

    pub(super) fn is_blank_line(&self, place: usize, end: usize) -> bool {
        let rest = self.source[place..end]
            .strip_prefix('\r')
            .unwrap_or(&self.source[place..end]);
        let rest = rest.strip_prefix('\n').unwrap_or(rest);
        rest.trim_start_matches([' ', '\t'])
            .starts_with(['\n', '\r'])
    }

    /// The end of the commands at the beginning of a group that set the style of its words.
    pub(super) fn declarations(&self, start: usize, end: usize) -> usize {
        let mut place = start;
        while self.source[place..end].starts_with('\\') {
            let name = self.name(place);
            if command(&self.source[place + 1..name]) != Command::Point {
                break;
            }
            let after = self.arguments(name, end);
            place = after + spaces(&self.source[after..end]);
        }
        place
    }

    /// The end of a command's name.
    pub(super) fn name(&self, place: usize) -> usize {
        let rest = &self.source[place + 1..];
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let length = match length {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        place + 1 + length
    }

    /// A group with its brackets.
    pub(super) fn group(&self, place: usize, open: u8, close: u8) -> Option<Range<usize>> {
        let bytes = self.source.as_bytes();
        if bytes.get(place) != Some(&open) {
            return None;
        }
        let (mut depth, mut braces, mut at) = (0_usize, 0_usize, place);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'%' => {
                    at = self.source[at..]
                        .find('\n')
                        .map_or(bytes.len(), |end| at + end);
                }
                b'{' if open != b'{' => braces += 1,
                b'}' if open != b'{' => {
                    if braces == 0 {
                        return None;
                    }
                    braces -= 1;
                }
                _ if byte == open && braces == 0 => depth += 1,
                _ if byte == close && braces == 0 => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(place..at + 1);
                    }
                }
                // No argument in brackets is that long.
                b'\n' if open == b'[' && at > place + 2_000 => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The place after a star and what is in brackets.
    pub(super) fn after_options(&self, place: usize) -> usize {
        let mut at = place;
        if self.source[at..].starts_with('*') {
            at += 1;
        }
        loop {
            let next = at + spaces(&self.source[at..]);
            match self.group(next, b'[', b']') {
                Some(group) => at = group.end,
                None if self.source[next..].starts_with('{') => return next,
                None => return at,
            }
        }
    }

    /// The group in braces that is an argument of the command whose name ends at `place`: space may be before it.
    pub(super) fn argument(&self, place: usize, end: usize) -> Option<Range<usize>> {
        let start = place + spaces(&self.source[place..end]);
        self.group(start, b'{', b'}')
            .filter(|group| group.end <= end)
    }

    /// The end of all arguments of a command that has some, after its name and the space that TeX skips.
    pub(super) fn spaced_arguments(&self, place: usize, end: usize) -> usize {
        let star = place + usize::from(self.source[place..end].starts_with('*'));
        let start = star + spaces(&self.source[star..end]);
        let mut at = start;
        while let Some(options) = self.group(at, b'[', b']').filter(|it| it.end <= end) {
            at = options.end + spaces(&self.source[options.end..end]);
        }
        if self.argument(at, end).is_some() {
            self.arguments(at, end)
        } else {
            self.arguments(place, end)
        }
    }

    /// The end of all arguments that are right after a name.
    pub(super) fn arguments(&self, place: usize, end: usize) -> usize {
        let mut at = place;
        if self.source[at..end].starts_with('*') {
            at += 1;
        }
        loop {
            let found = self
                .group(at, b'[', b']')
                .or_else(|| self.group(at, b'{', b'}'));
            match found {
                Some(group) if group.end <= end => at = group.end,
                _ => return at,
            }
        }
    }

    /// The place after a name and the space, or the empty group, that ends it.
    pub(super) fn after_name(&self, after: usize, end: usize) -> usize {
        let rest = &self.source[after..end];
        if rest.starts_with("{}") {
            return after + 2;
        }
        after + spaces(rest)
    }

    /// The end of a definition.
    pub(super) fn definition(&self, after: usize, end: usize) -> usize {
        let mut at = after;
        loop {
            let rest = &self.source[at..end];
            let found = self
                .group(at, b'{', b'}')
                .or_else(|| self.group(at, b'[', b']'));
            if let Some(group) = found.filter(|group| group.end <= end) {
                at = group.end;
            } else if rest.starts_with(['*', '#', '='])
                || rest.starts_with(|c: char| c.is_ascii_digit())
            {
                at += 1;
            } else if rest.starts_with('\\') && at < after + 2 {
                at = self.name(at).min(end);
            } else {
                return at;
            }
        }
    }
}

/// White space up to the next word, but no blank line.
pub(super) fn spaces(text: &str) -> usize {
    let space = text.len() - text.trim_start_matches([' ', '\t']).len();
    let rest = &text[space..];
    let line = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'));
    let Some(line) = line else {
        return space;
    };
    let inner = line.trim_start_matches([' ', '\t']);
    if inner.starts_with(['\n', '\r']) || inner.is_empty() {
        return space;
    }
    text.len() - inner.len()
}

/// How long mathematics between dollars is; 0 if it does not end in its paragraph.
pub(super) fn math_length(text: &str) -> usize {
    let mark = if text.starts_with("$$") { "$$" } else { "$" };
    let bytes = text.as_bytes();
    let mut at = mark.len();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'$' if text[at..].starts_with(mark) => return at + mark.len(),
            b'\n'
                if text[at + 1..]
                    .trim_start_matches([' ', '\t', '\r'])
                    .starts_with('\n') =>
            {
                return 0;
            }
            _ => {}
        }
        at += 1;
    }
    0
}
