//! Environments of a LaTeX file.

use std::ops::Range;

use super::commands::{Environment, environment};
use super::definitions::Shorthand;
use super::reading::LatexReader;
use super::scanning::spaces;
use crate::builder::Failure;
use crate::document::ParagraphKind;

impl LatexReader<'_, '_> {
    pub(super) fn begin(
        &mut self,
        place: usize,
        after: usize,
        end: usize,
    ) -> Result<usize, Failure> {
        let Some(group) = self.argument(after, end) else {
            return Ok(after);
        };
        let name = &self.source[group.start + 1..group.end - 1];
        let kind = self.environment(name);
        if matches!(kind, Environment::Verbatim | Environment::Math) {
            let Some(next) = self.end_of(name, group.end, end) else {
                let line = self.source[..place].split('\n').count();
                return Err(Failure::Damaged {
                    part: format!("line {line}"),
                    reason: format!("\\end{{{name}}} is missing"),
                });
            };
            if kind == Environment::Math {
                self.run
                    .opaque("math", &self.source[place..next], place..next);
            } else {
                self.boundary()?;
            }
            return Ok(next);
        }
        self.boundary()?;
        self.environments.push(kind);
        let next = self.arguments(group.end, end);
        if kind == Environment::Titled {
            let mut at = group.end;
            while at < next {
                let argument = self
                    .group(at, b'{', b'}')
                    .or_else(|| self.group(at, b'[', b']'));
                let Some(argument) = argument else { break };
                let inner = argument.start + 1..argument.end - 1;
                // Options of a slide are no text.
                if !self.source[inner.clone()].contains('=')
                    && self.source[inner.clone()].trim() != "fragile"
                {
                    self.nested(inner, ParagraphKind::Text, None)?;
                }
                at = argument.end;
            }
        }
        Ok(next)
    }

    /// The kind of an environment, also of one that the file defines.
    fn environment(&self, name: &str) -> Environment {
        let name = name.trim();
        let defined = self.definitions.environment(name);
        defined.unwrap_or_else(|| environment(name.trim_end_matches('*')))
    }

    /// The place after the end of an environment.
    fn end_of(&self, name: &str, from: usize, end: usize) -> Option<usize> {
        let ends = self.source[from..end].match_indices("\\end");
        let mut groups = ends.filter_map(|(place, found)| {
            let group = self.argument(from + place + found.len(), end)?;
            let inner = &self.source[group.start + 1..group.end - 1];
            (inner.trim() == name.trim()).then_some(group.end)
        });
        groups.next()
    }

    /// A command that the file defines as the beginning or the end of an environment, or as a whole one; none if it is no
    /// such.
    pub(super) fn shorthand(
        &mut self,
        name: &str,
        place: usize,
        after: usize,
        end: usize,
    ) -> Result<Option<usize>, Failure> {
        let source = self.source;
        match self.definitions.shorthand(name) {
            Some(Shorthand::Whole) => {
                let next = self.spaced_arguments(after, end);
                self.run.opaque("math", &source[place..next], place..next);
                Ok(Some(next))
            }
            Some(Shorthand::Begin(environment_name)) => {
                let kind = self.environment(&environment_name);
                if matches!(kind, Environment::Math | Environment::Verbatim) {
                    let Some(next) = self.shorthand_end(name, &environment_name, after, end) else {
                        return Ok(None);
                    };
                    self.run.opaque("math", &source[place..next], place..next);
                    return Ok(Some(next));
                }
                self.boundary()?;
                self.environments.push(kind);
                Ok(Some(self.arguments(after, end)))
            }
            Some(Shorthand::End(_)) => {
                self.boundary()?;
                self.environments.pop();
                Ok(Some(self.after_name(after, end)))
            }
            None => Ok(None),
        }
    }

    /// The place after what ends the formula that a command of the file's own has begun.
    fn shorthand_end(&self, begun: &str, name: &str, from: usize, end: usize) -> Option<usize> {
        let spelt = self.end_of(name, from, end);
        let own = self.definitions.ends_of(begun, name).filter_map(|close| {
            let place = self.find(&format!("\\{close}"), from)?;
            Some(place + 1 + close.len()).filter(|&place| place <= end)
        });
        own.chain(spelt).min()
    }

    /// Arguments that are paragraphs: also a short form in brackets.
    pub(super) fn block(
        &mut self,
        after: usize,
        end: usize,
        kind: ParagraphKind,
        level: Option<u8>,
    ) -> Result<usize, Failure> {
        self.boundary()?;
        let mut at = after;
        if self.source[at..end].starts_with('*') {
            at += 1;
        }
        let bracket = at + spaces(&self.source[at..end]);
        if let Some(short) = self
            .group(bracket, b'[', b']')
            .filter(|short| short.end <= end)
        {
            self.nested(short.start + 1..short.end - 1, ParagraphKind::Text, None)?;
            at = short.end;
        }
        let brace = at + spaces(&self.source[at..end]);
        let Some(group) = self
            .group(brace, b'{', b'}')
            .filter(|group| group.end <= end)
        else {
            return Ok(at);
        };
        self.nested(group.start + 1..group.end - 1, kind, level)?;
        Ok(group.end)
    }

    /// A note: it has paragraphs of its own, and moves with the sentence.
    pub(super) fn anchor(&mut self, place: usize, after: usize, end: usize) -> usize {
        let start = self.after_options(after);
        let Some(group) = self
            .group(start, b'{', b'}')
            .filter(|group| group.end <= end)
        else {
            self.run.point("note", place..after);
            return after;
        };
        self.run.point("note", place..group.end);
        self.notes.push(group.start + 1..group.end - 1);
        group.end
    }

    pub(super) fn marks(
        &mut self,
        name: &str,
        place: usize,
        after: usize,
        count: usize,
        end: usize,
    ) -> Result<usize, Failure> {
        let mut at = self.after_options(after);
        for _ in 0..count {
            match self.group(at, b'{', b'}') {
                Some(group) => at = self.after_options(group.end),
                None => break,
            }
        }
        let Some(group) = self.group(at, b'{', b'}').filter(|group| group.end <= end) else {
            self.run.point(name, place..at.min(end));
            return Ok(at.min(end));
        };
        self.pair(name, place..group.start + 1, group.end - 1..group.end)
    }

    /// Passes over `count` arguments, of which `texts` are paragraphs that follow; says where they end.
    pub(super) fn elsewhere(
        &mut self,
        after: usize,
        count: usize,
        texts: &[usize],
        end: usize,
    ) -> usize {
        let mut at = self.after_options(after).min(end);
        for number in 0..count {
            let Some(group) = self.next_argument(at, end) else {
                break;
            };
            if texts.contains(&number) {
                self.notes.push(group.start + 1..group.end - 1);
            }
            at = group.end;
        }
        at
    }

    /// The next argument in braces, after space and comments.
    pub(super) fn next_argument(&self, after: usize, end: usize) -> Option<Range<usize>> {
        let mut at = after;
        loop {
            at += spaces(&self.source[at..end]);
            match self.source[at..end].strip_prefix('%') {
                Some(comment) => at = end - comment.split_once('\n')?.1.len(),
                None => break,
            }
        }
        let group = self.group(at, b'{', b'}');
        group.filter(|group| group.end <= end)
    }

    pub(super) fn verbatim(&mut self, place: usize, after: usize, end: usize) -> usize {
        let source = self.source;
        let mut at = after;
        if source[at..end].starts_with('*') {
            at += 1;
        }
        if let Some(options) = self.group(at, b'[', b']').filter(|it| it.end <= end) {
            at = options.end;
        }
        if source[place..after].ends_with("mintinline")
            && let Some(language) = self.group(at, b'{', b'}').filter(|it| it.end <= end)
        {
            at = language.end;
        }
        let Some(mark) = source[at..end].chars().next() else {
            return after;
        };
        let close = if mark == '{' { '}' } else { mark };
        let start = at + mark.len_utf8();
        let Some(found) = source[start..end].find(close) else {
            return after;
        };
        let next = start + found + close.len_utf8();
        self.run
            .opaque("verb", &source[start..start + found], place..next);
        next
    }
}
