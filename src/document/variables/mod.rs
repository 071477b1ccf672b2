//! Variables, code of templates, and tags in texts: what a translation must have as it is.
//!
//! The strings of programs are read in a [`Dialect`]; other texts have what no prose has ([`in_prose`]).

mod names;
mod percent;
mod tags;
mod templates;

use self::names::{between_marks, braced, colon, dollar, linked, underlined};
use self::percent::{conversion, printf, qt, unknown};
pub(crate) use self::tags::tag_name;
use self::tags::{reference, tag};
use self::templates::template;

/// How a format's strings are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub percent: Percent,
    /// Whether `{0}` and `{name}` are placeholders.
    pub braces: bool,
    /// Whether a percent sign that means itself is doubled.
    pub doubles_percent: bool,
    /// Whether a space may be between a percent sign and its letter: the file says that it is such a format.
    pub is_declared: bool,
}

/// The meaning of a percent sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Percent {
    /// `%s`, `%1$s`, `%@`, `%(name)s`, `%{name}`.
    Printf,
    /// `%1`, `%L1`, `%n`.
    Qt,
    /// Nothing.
    Literal,
    /// Nothing, in a text with commands of TeX.
    Tex,
}

impl Dialect {
    pub(crate) const PLAIN: Self = Self {
        percent: Percent::Printf,
        braces: true,
        doubles_percent: false,
        is_declared: false,
    };

    pub(crate) const QT: Self = Self {
        percent: Percent::Qt,
        ..Self::PLAIN
    };

    pub(crate) const TEX: Self = Self {
        percent: Percent::Tex,
        braces: false,
        ..Self::PLAIN
    };

    /// The dialect of one value: where something is formatted, percent signs that mean themselves are doubled.
    pub(crate) fn in_value(self, value: &str) -> Self {
        let is_format = |at: usize| {
            let found = self.find(value, at);
            matches!(found, Some((_, Found::Placeholder)))
                && conversion(&value[at..], self.is_declared).is_some()
        };
        let formats = self.is_declared || value.match_indices('%').any(|(at, _)| is_format(at));
        Self {
            doubles_percent: self.percent == Percent::Printf && formats,
            ..self
        }
    }

    /// Reads the placeholder at byte `at`: its length and kind.
    pub(crate) fn find(self, text: &str, at: usize) -> Option<(usize, Found)> {
        let rest = &text[at..];
        let placeholder = |length: usize| (length, Found::Placeholder);
        match rest.as_bytes().first()? {
            b'%' => self.percent(text, at),
            b'{' if self.braces => template(rest).or_else(|| braced(rest)).map(placeholder),
            b'$' if self.braces => dollar(rest).map(placeholder),
            b'#' | b'@' if self.braces && rest[1..].starts_with('{') => {
                braced(&rest[1..]).map(|length| placeholder(length + 1))
            }
            b'@' if self.braces => linked(rest).map(placeholder),
            b':' if self.braces && !self.is_declared => colon(text, at).map(placeholder),
            b'_' if self.braces => underlined(text, at).map(placeholder),
            b'[' | b'*' => between_marks(rest).map(placeholder),
            b'<' => template(rest).map(placeholder).or_else(|| tag(rest)),
            b'&' => reference(rest).map(placeholder),
            b'\\' if self.percent == Percent::Tex => command(rest).map(placeholder),
            _ => None,
        }
    }

    fn percent(self, text: &str, at: usize) -> Option<(usize, Found)> {
        let rest = &text[at..];
        match self.percent {
            Percent::Literal | Percent::Tex => None,
            Percent::Qt => qt(rest).map(|length| (length, Found::Placeholder)),
            Percent::Printf => {
                if rest.starts_with("%%") {
                    let found = if self.doubles_percent {
                        Found::PercentSign
                    } else {
                        Found::Placeholder
                    };
                    return Some((2, found));
                }
                let Some(length) = printf(rest, self.is_declared) else {
                    // Where other signs are doubled, one that is not stays as it is.
                    return self
                        .doubles_percent
                        .then(|| (unknown(rest), Found::Placeholder));
                };
                // As in "50%discount".
                let follows_digit = text[..at].ends_with(|c: char| c.is_ascii_digit());
                let goes_on = text[at + length..].starts_with(char::is_alphabetic);
                let is_time = length == 2 && conversion(rest, self.is_declared).is_none();
                let is_sure = self.is_declared || !(follows_digit && (goes_on || is_time));
                is_sure.then_some((length, Found::Placeholder))
            }
        }
    }
}

/// The length of a command of TeX: letters, or one other character.
fn command(rest: &str) -> Option<usize> {
    let name = &rest[1..];
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let length = name.chars().next()?.len_utf8().max(letters);
    Some(1 + length)
}

/// The length of the variable or code at byte `at` of a text that is no string of a program, and may be about anything.
pub(crate) fn in_prose(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    match rest.as_bytes().first()? {
        b'{' | b'<' => template(rest),
        b'$' | b'#' if rest[1..].starts_with('{') => {
            let name = template(&rest[1..]).or_else(|| plain_name(&rest[1..]))?;
            Some(name + 1)
        }
        b'[' | b'*' => between_marks(rest),
        _ => None,
    }
}

/// The braces of `${name}`.
fn plain_name(rest: &str) -> Option<usize> {
    let end = rest.find('}')?;
    let name = &rest[1..end];
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    (!name.is_empty() && name.chars().all(is_name)).then_some(end + 1)
}

/// A part of a string other than its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Placeholder,
    /// `%%`, which means `%`.
    PercentSign,
    Open,
    Close,
    /// `<br>`.
    Break,
    /// A tag without a partner.
    Point,
    /// A character that no translation may have.
    Control,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, dialect: Dialect) -> Vec<&str> {
        let dialect = dialect.in_value(text);
        let (mut found, mut place) = (Vec::new(), 0);
        while place < text.len() {
            if !text.is_char_boundary(place) {
                place += 1;
                continue;
            }
            match dialect.find(text, place) {
                Some((length, _)) => {
                    found.push(&text[place..place + length]);
                    place += length;
                }
                None => place += 1,
            }
        }
        found
    }

    #[test]
    fn placeholders_of_many_languages_are_found() {
        let cases = include_str!("cases.tsv").lines().skip(1);
        assert_eq!(cases.clone().count(), 21);
        for case in cases {
            let (text, expected) = case.split_once('\t').unwrap_or((case, ""));
            let expected: Vec<&str> = expected.split_terminator('\t').collect();
            assert_eq!(found(text, Dialect::PLAIN), expected, "{text}");
        }
    }

    #[test]
    fn qt_has_its_own_placeholders() {
        assert_eq!(
            found("%n file(s), %1 of %L2, %12, 50% s", Dialect::QT),
            ["%n", "%1", "%L2", "%12"]
        );
    }
}
