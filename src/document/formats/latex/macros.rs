//! Commands and signs within a paragraph of a LaTeX file.

use std::ops::Range;

use super::commands::{Command, Environment, command, has_arguments};
use super::reading::LatexReader;
use super::scanning::spaces;
use super::symbols::{accented, bare_accent, is_accent, symbol};
use crate::builder::Failure;
use crate::document::ParagraphKind;

impl LatexReader<'_, '_> {
    pub(super) fn command(&mut self, place: usize, end: usize) -> Result<usize, Failure> {
        let source = self.source;
        let after = self.name(place).min(end);
        let name = &source[place + 1..after];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.sign(place, after, end);
        }
        if let Some(shown) = symbol(name) {
            let range = place..self.after_name(after, end);
            self.run.decoded(shown, range.clone());
            return Ok(range.end);
        }
        if name.len() == 1
            && is_accent(name.chars().next().unwrap_or_default())
            && let Some(next) = self.accent(place, after, end)
        {
            return Ok(next);
        }
        if let Some(next) = self.environment_command(name, place, after, end)? {
            return Ok(next);
        }
        let arguments = |reader: &Self| {
            if has_arguments(name) {
                reader.spaced_arguments(after, end)
            } else {
                reader.arguments(after, end)
            }
        };
        match (name, command(name)) {
            ("char", _) if source[after..end].starts_with("34{}") => {
                self.run.decoded("\"", place..after + 4);
                Ok(after + 4)
            }
            (_, Command::Heading(level)) => {
                self.block(after, end, ParagraphKind::Heading, Some(level))
            }
            (_, Command::Block) => {
                // The first argument of this one is no text.
                let skipped = if name == "captionof" {
                    self.group(after, b'{', b'}').filter(|it| it.end <= end)
                } else {
                    None
                };
                self.block(
                    skipped.map_or(after, |group| group.end),
                    end,
                    ParagraphKind::Text,
                    None,
                )
            }
            (_, Command::Anchor) => Ok(self.anchor(place, after, end)),
            (_, Command::Elsewhere(count, texts)) => {
                let next = self.elsewhere(after, count, texts, end);
                self.run.point(name, place..next);
                Ok(next)
            }
            (_, Command::Marks(count)) => self.marks(name, place, after, count, end),
            (_, Command::Opaque) => {
                let next = arguments(self);
                let shown = shown(&source[place..next]);
                self.run.opaque(name, shown, place..next);
                Ok(next)
            }
            (_, Command::Point) => {
                let next = arguments(self);
                let next = if next == after {
                    next + spaces(&source[next..end])
                } else {
                    next
                };
                self.run.point(name, place..next);
                Ok(next)
            }
            (_, Command::Boundary) => {
                self.boundary()?;
                Ok(arguments(self))
            }
            (_, Command::Verbatim) => Ok(self.verbatim(place, after, end)),
            (_, Command::Item) => {
                self.boundary()?;
                let after = after + spaces(&source[after..end]);
                if let Some(label) = self
                    .group(after, b'[', b']')
                    .filter(|label| label.end <= end)
                {
                    self.nested(
                        label.start + 1..label.end - 1,
                        ParagraphKind::ListItem,
                        None,
                    )?;
                    return Ok(label.end);
                }
                Ok(after)
            }
            (_, Command::Definition) => {
                self.boundary()?;
                Ok(self.definition(after, end))
            }
            (_, Command::Unknown) => self.unknown(name, place, after, end),
        }
    }

    /// A command that begins or ends an environment, or changes how lines are read; none if it is no such.
    fn environment_command(
        &mut self,
        name: &str,
        place: usize,
        after: usize,
        end: usize,
    ) -> Result<Option<usize>, Failure> {
        match name {
            "begin" => self.begin(place, after, end).map(Some),
            "end" => {
                let name = self.argument(after, end);
                let next = name.as_ref().map_or(after, |group| group.end);
                let is_last = |group: Range<usize>| {
                    self.source[group.start + 1..group.end - 1].trim() == "document"
                };
                if name.is_some_and(is_last) {
                    // What follows is no part of the document.
                    return Ok(Some(end));
                }
                self.boundary()?;
                self.environments.pop();
                Ok(Some(next))
            }
            "obeylines" => {
                self.boundary()?;
                self.obeys_lines = true;
                Ok(Some(self.after_name(after, end)))
            }
            _ => self.shorthand(name, place, after, end),
        }
    }

    /// A command of one sign.
    pub(super) fn sign(
        &mut self,
        place: usize,
        after: usize,
        end: usize,
    ) -> Result<usize, Failure> {
        let source = self.source;
        let sign = source[place + 1..after].chars().next().unwrap_or_default();
        match sign {
            '\\' => {
                let next = self.arguments(after, end);
                // A group after it is no argument.
                let next = if source[after..next].contains('{') {
                    after
                } else {
                    next
                };
                if self.environments.last() == Some(&Environment::Table) {
                    self.boundary()?;
                } else {
                    self.run.line_break(place..next);
                }
                return Ok(next);
            }
            '%' | '&' | '#' | '_' | '$' | '{' | '}' => {
                self.run.decoded(&source[place + 1..after], place..after);
            }
            ' ' | '\n' | '\t' => self.run.decoded(" ", place..after),
            ',' => self.run.decoded("\u{202F}", place..after),
            '-' | '/' | '@' => self.run.decoded("", place..after),
            '(' | '[' => {
                let close = if sign == '(' { "\\)" } else { "\\]" };
                if let Some(found) = source[after..end].find(close) {
                    let next = after + found + close.len();
                    self.run.opaque("math", &source[place..next], place..next);
                    return Ok(next);
                }
                self.run.point("math", place..after);
            }
            accent if is_accent(accent) => {
                if let Some(next) = self.accent(place, after, end) {
                    return Ok(next);
                }
                self.run.point("accent", place..after);
            }
            _ => {
                self.run.point("space", place..after);
            }
        }
        Ok(after)
    }

    /// A letter with an accent; none if it is no such letter.
    pub(super) fn accent(&mut self, place: usize, after: usize, end: usize) -> Option<usize> {
        let source = self.source;
        let accent = source[place + 1..after].chars().next()?;
        let start = after + spaces(&source[after..end]);
        let rest = &source[start..end];
        let (inner, next) = match self.group(start, b'{', b'}') {
            Some(group) if group.end <= end => (&source[group.start + 1..group.end - 1], group.end),
            _ if rest.starts_with("\\i") || rest.starts_with("\\j") => {
                let name = self.name(start);
                (&source[start..name], self.after_name(name, end))
            }
            // A name such as `\c` needs a space or a brace before the letter.
            _ if accent.is_ascii_alphabetic() && start == after => return None,
            _ => {
                let length = rest.chars().next()?.len_utf8();
                (&rest[..length], start + length)
            }
        };
        let letter = match inner.trim() {
            "\\i" => 'i',
            "\\j" => 'j',
            // Over nothing it is a sign by itself.
            "" => {
                let shown = bare_accent(accent)?;
                self.run.decoded(shown, place..next);
                return Some(next);
            }
            other => {
                let mut characters = other.chars();
                characters.next().filter(|_| characters.next().is_none())?
            }
        };
        let shown = accented(accent, letter)?;
        self.run
            .decoded(shown.encode_utf8(&mut [0; 4]), place..next);
        Some(next)
    }

    /// A command of the author's own: what reads like a sentence in its last argument is one.
    pub(super) fn unknown(
        &mut self,
        name: &str,
        place: usize,
        after: usize,
        end: usize,
    ) -> Result<usize, Failure> {
        // A reader sees the first argument here, the second one in bookmarks.
        if name == "texorpdfstring"
            && let Some(seen) = self.next_argument(after, end)
        {
            let next = self.elsewhere(seen.end, 1, &[0], end);
            return self.pair(name, place..seen.start + 1, seen.end - 1..next);
        }
        let source = self.source;
        let next = self.arguments(after, end);
        if next == after {
            // Without arguments it may show anything.
            self.run.opaque(name, "", place..after);
            return Ok(after);
        }
        let mut last = None;
        let mut at = after;
        while at < next {
            let group = self
                .group(at, b'{', b'}')
                .or_else(|| self.group(at, b'[', b']'));
            let Some(group) = group else { break };
            at = group.end;
            last = Some(group);
        }
        let is_prose = |text: &str| {
            let words = text
                .split_whitespace()
                .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1);
            words.count() > 1 && !text.contains('=')
        };
        match last {
            Some(group)
                if source[group.clone()].starts_with('{') && is_prose(&source[group.clone()]) =>
            {
                self.pair(name, place..group.start + 1, group.end - 1..group.end)
            }
            _ => {
                self.run
                    .opaque(name, shown(&source[place..next]), place..next);
                Ok(next)
            }
        }
    }
}

/// Returns the part of a command that a reader may see: its last argument.
fn shown(command: &str) -> &str {
    let inner = command.trim_end_matches('}');
    inner.rsplit_once('{').map_or("", |(_, argument)| argument)
}
