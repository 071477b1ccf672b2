//! Regular expressions as ICU spells them, for the engine that is here.

use std::fmt::{Arguments, Write};
use std::iter::Peekable;
use std::str::Chars;

/// A translated expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub text: String,
    /// How many groups it captures.
    pub groups: usize,
}

/// Spells `pattern` for [`fancy_regex`]; `groups` of an expression before it count along.
///
/// # Errors
/// The name of what that engine has nothing for.
pub(super) fn translated(pattern: &str, groups: usize) -> Result<Pattern, String> {
    let mut translator = Translator {
        rest: pattern.chars().peekable(),
        text: String::with_capacity(pattern.len() + 8),
        groups_before: groups,
        groups: 0,
        classes: 0,
        ends_class: false,
    };
    while let Some(character) = translator.rest.next() {
        if translator.classes > 0 {
            translator.in_class(character)?;
        } else {
            translator.outside(character)?;
        }
    }
    Ok(Pattern {
        text: translator.text,
        groups: translator.groups,
    })
}

struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    text: String,
    groups_before: usize,
    groups: usize,
    /// How many classes are open, one in the other.
    classes: usize,
    /// Whether the last item of a class was several characters, after which `-` is no range.
    ends_class: bool,
}

impl Translator<'_> {
    fn outside(&mut self, character: char) -> Result<(), String> {
        match character {
            '\\' => return self.escape(),
            '[' => self.open_class(),
            '(' if self.rest.peek() == Some(&'?') => return self.special_group(),
            '(' => {
                self.groups += 1;
                self.text.push('(');
            }
            _ => self.text.push(character),
        }
        Ok(())
    }

    /// A group or option that begins with `(?`.
    fn special_group(&mut self) -> Result<(), String> {
        self.rest.next();
        match self.rest.peek().copied() {
            Some('#') => while self.rest.next().is_some_and(|character| character != ')') {},
            Some('<') => {
                self.rest.next();
                self.text.push_str("(?<");
                let is_look_behind = matches!(self.rest.peek(), Some('=' | '!'));
                self.groups += usize::from(!is_look_behind);
            }
            Some(':' | '=' | '!' | '>') => self.text.push_str("(?"),
            _ => return self.flags(),
        }
        Ok(())
    }

    fn flags(&mut self) -> Result<(), String> {
        let mut flags = String::new();
        while let Some(flag) = self.rest.next() {
            match flag {
                'i' | 'm' | 's' | 'x' | '-' => flags.push(flag),
                // Characters are those of Unicode anyway.
                'u' | 'U' => {}
                ')' if matches!(flags.trim_end_matches('-'), "") => return Ok(()),
                ')' | ':' => {
                    let kept = flags.trim_end_matches('-');
                    self.spell(format_args!("(?{kept}{flag}"));
                    return Ok(());
                }
                _ => return Err(format!("the flag (?{flag})")),
            }
        }
        Err("a ( that is not closed".to_owned())
    }

    fn open_class(&mut self) {
        self.classes += 1;
        self.text.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.text.push('^');
        }
        self.ends_class = true;
    }

    fn in_class(&mut self, character: char) -> Result<(), String> {
        match character {
            '\\' => return self.escape(),
            '[' if self.rest.peek() == Some(&':') => return self.posix_class(),
            '[' => self.open_class(),
            ']' => {
                self.classes -= 1;
                self.text.push(']');
                self.ends_class = true;
            }
            '&' if self.rest.next_if_eq(&'&').is_some() => {
                self.text.push_str("&&");
                self.ends_class = true;
            }
            '-' => self.minus(),
            '~' | '^' | '&' => {
                self.text.push('\\');
                self.literal(character);
            }
            _ => self.literal(character),
        }
        Ok(())
    }

    fn literal(&mut self, character: char) {
        self.text.push(character);
        self.ends_class = false;
    }

    /// A range, a difference, or the sign itself.
    fn minus(&mut self) {
        let next = self.rest.peek().copied();
        if next == Some('[') || self.rest.next_if_eq(&'-').is_some() {
            self.text.push_str("--");
            self.ends_class = true;
            return;
        }
        let mut ahead = self.rest.clone();
        let is_set = next == Some('\\')
            && matches!(
                ahead.nth(1),
                Some('s' | 'S' | 'd' | 'D' | 'w' | 'W' | 'p' | 'P' | 'h' | 'H' | 'v' | 'V')
            );
        if self.ends_class || is_set || next == Some(']') {
            self.text.push('\\');
        }
        self.text.push('-');
        // After `a-z` another one stands for itself, and so it does first in a class.
        self.ends_class = false;
    }

    /// `[:alpha:]`
    fn posix_class(&mut self) -> Result<(), String> {
        self.rest.next();
        let is_negated = self.rest.next_if_eq(&'^').is_some();
        let mut name = String::new();
        while let Some(character) = self.rest.next_if(|character| *character != ':') {
            name.push(character);
        }
        self.rest.next();
        if self.rest.next() != Some(']') {
            return Err(format!("[:{name}"));
        }
        self.property(&name, is_negated)
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(escaped) = self.rest.next() else {
            return Err("a \\ at the end".to_owned());
        };
        let in_class = self.classes > 0;
        match escaped {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => self.set(&format!("\\{escaped}")),
            'h' => self.set("[\\t\\p{Zs}]"),
            'H' => self.set("[^\\t\\p{Zs}]"),
            'v' => self.set("[\\n\\x0B\\f\\r\\x{85}\\x{2028}\\x{2029}]"),
            'V' => self.set("[^\\n\\x0B\\f\\r\\x{85}\\x{2028}\\x{2029}]"),
            'p' | 'P' => return self.named_property(escaped == 'P'),
            'u' => return self.code_point(4),
            'U' => return self.code_point(8),
            'x' if self.rest.next_if_eq(&'{').is_some() => return self.braced_code_point(),
            'x' => return self.code_point(2),
            '0' => return self.octal(),
            'c' => {
                let control = self.rest.next().filter(char::is_ascii);
                let control = control.ok_or("\\c without a letter")?;
                self.character(u32::from(control) & 0x1F)?;
            }
            'a' | 'f' | 'n' | 'r' | 't' | 'e' => {
                self.text.push('\\');
                self.literal(escaped);
            }
            'b' | 'B' | 'A' | 'z' | 'k' if !in_class => {
                self.text.push('\\');
                self.text.push(escaped);
            }
            'Z' if !in_class => self.text.push_str("(?=\\n?\\z)"),
            'R' if !in_class => self
                .text
                .push_str("(?:\\r\\n|[\\n\\x0B\\f\\r\\x{85}\\x{2028}\\x{2029}])"),
            'Q' => self.quoted(),
            '1'..='9' if !in_class => {
                let mut number = escaped.to_digit(10).unwrap_or_default() as usize;
                while let Some(digit) = self.rest.peek().and_then(|digit| digit.to_digit(10)) {
                    self.rest.next();
                    number = number.saturating_mul(10).saturating_add(digit as usize);
                }
                let number = number.saturating_add(self.groups_before);
                self.spell(format_args!("\\{number}"));
            }
            _ if escaped.is_ascii_alphanumeric() => return Err(format!("\\{escaped}")),
            _ => self.plain(escaped),
        }
        Ok(())
    }

    fn spell(&mut self, text: Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(text);
    }

    /// Several characters as one item.
    fn set(&mut self, set: &str) {
        self.text.push_str(set);
        self.ends_class = true;
    }

    /// A character that means itself.
    fn plain(&mut self, character: char) {
        if character.is_ascii_punctuation() && !matches!(character, '<' | '>') {
            self.text.push('\\');
        }
        self.literal(character);
    }

    /// Literal text between `\Q` and `\E`.
    fn quoted(&mut self) {
        while let Some(character) = self.rest.next() {
            if character == '\\' && self.rest.next_if_eq(&'E').is_some() {
                return;
            }
            self.plain(character);
        }
    }

    fn code_point(&mut self, digits: usize) -> Result<(), String> {
        let mut code = self.hexadecimal(digits)?;
        if (0xD800..0xDC00).contains(&code) {
            // As Java spells characters outside the first plane.
            let has_second =
                self.rest.next_if_eq(&'\\').is_some() && self.rest.next_if_eq(&'u').is_some();
            let second = if has_second { self.hexadecimal(4)? } else { 0 };
            code = 0x10000 + ((code - 0xD800) << 10) + second.wrapping_sub(0xDC00) % 0x400;
        }
        self.character(code)
    }

    fn hexadecimal(&mut self, digits: usize) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..digits {
            let digit = self.rest.next().and_then(|digit| digit.to_digit(16));
            code = code << 4 | digit.ok_or("a code point that is cut off")?;
        }
        Ok(code)
    }

    fn braced_code_point(&mut self) -> Result<(), String> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next().filter(|digit| *digit != '}') {
            digits.push(digit);
        }
        let code = u32::from_str_radix(&digits, 16);
        self.character(code.unwrap_or(u32::MAX))
    }

    fn octal(&mut self) -> Result<(), String> {
        let mut code = 0;
        for _ in 0..3 {
            let Some(digit) = self.rest.peek().and_then(|digit| digit.to_digit(8)) else {
                break;
            };
            self.rest.next();
            code = code << 3 | digit;
        }
        self.character(code)
    }

    fn character(&mut self, code: u32) -> Result<(), String> {
        let character = char::from_u32(code).ok_or_else(|| format!("the code point {code:X}"))?;
        self.spell(format_args!("\\x{{{:X}}}", u32::from(character)));
        self.ends_class = false;
        Ok(())
    }

    fn named_property(&mut self, is_negated: bool) -> Result<(), String> {
        let mut name = String::new();
        match self.rest.next() {
            Some('{') => {
                while let Some(character) = self.rest.next().filter(|it| *it != '}') {
                    name.push(character);
                }
            }
            Some(letter) => name.push(letter),
            None => return Err("\\p without a name".to_owned()),
        }
        match name.strip_prefix('^') {
            Some(name) => self.property(name, !is_negated),
            None => self.property(&name, is_negated),
        }
    }

    fn property(&mut self, name: &str, is_negated: bool) -> Result<(), String> {
        let (name, is_negated) = match name.strip_prefix("Is").unwrap_or(name) {
            "javaLowerCase" => ("Lowercase", is_negated),
            "javaUpperCase" => ("Uppercase", is_negated),
            "javaLetter" => ("L", is_negated),
            // Blocks are no properties here.
            block if block.starts_with("In") && block.len() > 4 || block.starts_with("java") => {
                return Err(format!("\\p{{{block}}}"));
            }
            name => (name, is_negated),
        };
        let members = match name.to_ascii_lowercase().as_str() {
            "alnum" => "\\p{Alphabetic}\\p{Nd}",
            "blank" => "\\t\\p{Zs}",
            "xdigit" => "0-9A-Fa-f",
            "cntrl" => "\\p{Cc}",
            "word" => "\\w",
            "graph" => "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}",
            "print" => "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}\\p{Zs}",
            _ => {
                let sign = if is_negated { 'P' } else { 'p' };
                self.set(&format!("\\{sign}{{{name}}}"));
                return Ok(());
            }
        };
        let not = if is_negated { "^" } else { "" };
        self.set(&format!("[{not}{members}]"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fancy_regex::Regex;

    use super::*;

    fn found<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
        let spelt = translated(pattern, 0).expect("a pattern").text;
        let regex =
            Regex::new(&spelt).unwrap_or_else(|error| panic!("{pattern} as {spelt}: {error}"));
        let found = regex.find(text).expect("an answer");
        found.map(|found| found.as_str())
    }

    #[test]
    fn what_other_engines_spell_differently_is_found() {
        for (pattern, text, expected) in [
            (r"\u0041\x42\x{43}", "ABC", "ABC"),
            (r"\uD83D\uDE00", "a😀", "😀"),
            (r"a\hb", "a\u{A0}b", "a\u{A0}b"),
            (r"[\h]+x", "0 x", " x"),
            (r"\Qe.g.\E", "eg e.g.", "e.g."),
            (r"[\w-.]+", "a-b.c d", "a-b.c"),
            (r"[.-]+", "a.-b", ".-"),
            (r"[-a]+", "-ab", "-a"),
            (r"[\p{L}-[aeiou]]+", "aexyz", "xyz"),
            (r"[\p{L}&&[^x]]+", "xab", "ab"),
            (r"[[:Lu:]]+", "abC", "C"),
            (r"[^~^]+", "~^a", "a"),
            (r"\p{IsLatin}+", "жab", "ab"),
            (r"\p{Punct}", "a.", "."),
            (r"(?iu)ABC", "abc", "abc"),
            (r"(?<!\p{L})b", "ab b", "b"),
            (r"(?#note)a++b", "aab", "aab"),
            (r"a\ b", "a b", "a b"),
            (r"\<\-\>", "<->", "<->"),
            (r"(a)\1", "aa", "aa"),
            (r"\0101", "A", "A"),
        ] {
            assert_eq!(found(pattern, text), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn what_the_engine_lacks_is_named() {
        for (pattern, name) in [
            (r"a\Xb", "\\X"),
            (r"\N{DIGIT ONE}", "\\N"),
            (r"\G", "\\G"),
            (r"\p{InGreek}", "\\p{InGreek}"),
            (r"(?w)a", "the flag (?w)"),
        ] {
            assert_eq!(translated(pattern, 0), Err(name.to_owned()), "{pattern}");
        }
    }

    #[test]
    fn groups_before_count_along() {
        let pattern = translated(r"(a)(?:b)(?<c>d)\2[(]", 3).expect("a pattern");
        assert_eq!(pattern.text, r"(a)(?:b)(?<c>d)\5[(]");
        assert_eq!(pattern.groups, 2);
    }
}
