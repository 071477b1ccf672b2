//! Inline markup of AsciiDoc.

use std::ops::Range;

use crate::escape::numbered;
use crate::formats::marked::MarkedDraft;
use crate::words::Words;

/// Reads inline markup into a paragraph.
pub(super) struct AsciiDocInline<'s> {
    source: &'s str,
    pub run: MarkedDraft,
    /// Contents of footnotes: paragraphs of their own.
    pub notes: Vec<Range<usize>>,
    /// Whether a bar needs a backslash.
    is_cell: bool,
}

/// Macros whose brackets hold text.
const TEXT_MACROS: [&str; 5] = ["link:", "xref:", "mailto:", "http://", "https://"];
/// Macros that are left alone.
const OTHER_MACROS: Words = Words(
    "image: kbd:[ btn:[ menu: stem:[ latexmath:[ asciimath:[ pass: icon: indexterm:[ indexterm2:[ anchor: audio: video:",
);

impl<'s> AsciiDocInline<'s> {
    pub(super) fn new(source: &'s str, is_cell: bool) -> Self {
        Self {
            source,
            is_cell,
            run: MarkedDraft::default(),
            notes: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, range: Range<usize>) {
        let (mut place, mut text) = (range.start, range.start);
        while place < range.end {
            let found = self.found(place, &range);
            let Some(found) = found else {
                place += self.source[place..]
                    .chars()
                    .next()
                    .map_or(1, char::len_utf8);
                continue;
            };
            if text < place {
                self.run.text(self.source, text..place);
            }
            place = self.put(place, found);
            text = place;
        }
        if text < range.end {
            self.run.text(self.source, text..range.end);
        }
    }

    fn put(&mut self, place: usize, found: Found) -> usize {
        match found {
            Found::Pair { name, open, close } => {
                let begun = self.run.open(name, place..open);
                self.add(open..close.start);
                self.run.close(begun, name, close.clone());
                close.end
            }
            Found::Opaque { name, shown, end } => {
                self.run.opaque(name, &self.source[shown], place..end);
                end
            }
            Found::Point { name, end } => {
                self.run.point(name, place..end);
                end
            }
            Found::Decoded { shown, end } => {
                self.run.decoded(&shown, place..end);
                end
            }
            Found::Note { text, end } => {
                self.run.point("footnote", place..end);
                self.notes.push(text);
                end
            }
            Found::LineBreak { end } => {
                self.run.line_break(place..end);
                end
            }
        }
    }

    /// Markup that begins at a byte of a paragraph.
    fn found(&self, place: usize, range: &Range<usize>) -> Option<Found> {
        let rest = &self.source[place..range.end];
        let before = self.source[range.start..place].chars().next_back();
        let first = rest.chars().next()?;
        let is_open = |open: &str, close: &str| {
            let before = &self.source[range.start..place];
            before.matches(open).count() > before.matches(close).count()
        };
        let after_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        match first {
            '*' | '_' | '#' => self.mark(place, range, after_word, first),
            // The end of what has begun with such marks.
            '`' if rest.starts_with("`\"") && is_open("\"`", "`\"") => Some(Found::Decoded {
                shown: "”".to_owned(),
                end: place + 2,
            }),
            '`' if rest.starts_with("`'") && is_open("'`", "`'") => Some(Found::Decoded {
                shown: "’".to_owned(),
                end: place + 2,
            }),
            '`' | '+' => {
                if first == '+' && before == Some(' ') {
                    // The end of the line is a part of it.
                    let ends = ["+\r\n", "+\n"].iter().find(|end| rest.starts_with(**end));
                    let length = ends.map(|end| end.len()).or((rest == "+").then_some(1));
                    if let Some(length) = length {
                        return Some(Found::LineBreak {
                            end: place + length,
                        });
                    }
                }
                let (open, close, end) = span(rest, first, after_word)?;
                Some(Found::Opaque {
                    name: "code",
                    shown: place + open..place + close,
                    end: place + end,
                })
            }
            '^' | '~' => {
                let close = rest[1..].find(first)? + 1;
                let is_word = close > 1 && !rest[1..close].contains(char::is_whitespace);
                is_word.then_some(Found::Pair {
                    name: if first == '^' { "sup" } else { "sub" },
                    open: place + 1,
                    close: place + close..place + close + 1,
                })
            }
            '{' => {
                let end = rest.find('}')?;
                let is_name = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
                let name = &rest[1..end];
                if let Some(link) = attribute_link(place, rest, end + 1) {
                    return Some(link);
                }
                (!name.is_empty() && name.chars().all(is_name)).then(|| Found::Opaque {
                    name: "attribute",
                    shown: place + 1..place + end,
                    end: place + end + 1,
                })
            }
            '<' if rest.starts_with("<<") => Self::reference(place, rest),
            '<' => {
                let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
                let end = digits + 2;
                (digits > 0 && rest[1 + digits..].starts_with('>')).then_some(Found::Point {
                    name: "callout",
                    end: place + end,
                })
            }
            '(' | '[' => self.bracket(place, range, after_word),
            '&' => reference(rest).map(|(shown, end)| Found::Decoded {
                shown,
                end: place + end,
            }),
            '\\' if self.is_cell && rest.starts_with("\\|") => Some(Found::Decoded {
                shown: "|".to_owned(),
                end: place + 2,
            }),
            '\\' => {
                let next = rest[1..].chars().next().filter(|c| {
                    "*_`#^~+{<[(\\'\"".contains(*c)
                        || c.is_ascii_lowercase() && is_macro(&rest[1..])
                })?;
                // The backslash goes with the mark that it turns into a sign.
                Some(Found::Decoded {
                    shown: next.to_string(),
                    end: place + 1 + next.len_utf8(),
                })
            }
            '"' if rest.starts_with("\"`") && rest[2..].contains("`\"") => Some(Found::Decoded {
                shown: "“".to_owned(),
                end: place + 2,
            }),
            '\'' if rest.starts_with("'`") && rest[2..].contains("`'") => Some(Found::Decoded {
                shown: "‘".to_owned(),
                end: place + 2,
            }),
            'f' if rest.starts_with("footnote") => Self::footnote(place, rest),
            c if c.is_ascii_lowercase() && !after_word => Self::macro_at(place, rest),
            _ => None,
        }
    }

    /// Entries of an index, anchors, and attributes of the words that follow.
    fn bracket(&self, place: usize, range: &Range<usize>, after_word: bool) -> Option<Found> {
        let rest = &self.source[place..range.end];
        match rest.as_bytes()[0] {
            b'(' if rest.starts_with("(((") => {
                let end = rest.find(")))")? + 3;
                Some(Found::Point {
                    name: "index",
                    end: place + end,
                })
            }
            b'(' if rest.starts_with("((") => {
                let close = rest.find("))")?;
                Some(Found::Pair {
                    name: "index",
                    open: place + 2,
                    close: place + close..place + close + 2,
                })
            }
            b'[' if rest.starts_with("[[") => {
                let end = rest.find("]]")? + 2;
                Some(Found::Point {
                    name: "anchor",
                    end: place + end,
                })
            }
            b'[' => {
                // Attributes of the words that follow.
                let end = rest.find(']')? + 1;
                let mark = rest[end..].chars().next().filter(|c| "*_#`".contains(*c))?;
                let is_role = rest[1..].starts_with(['.', '#']) || !rest[..end].contains(' ');
                if after_word || !is_role || mark == '`' {
                    return None;
                }
                match self.mark(place + end, range, false, mark)? {
                    Found::Pair { name, open, close } => Some(Found::Pair { name, open, close }),
                    other => Some(other),
                }
            }
            _ => None,
        }
    }

    fn mark(
        &self,
        place: usize,
        range: &Range<usize>,
        after_word: bool,
        mark: char,
    ) -> Option<Found> {
        let rest = &self.source[place..range.end];
        let (open, close, end) = span(rest, mark, after_word)?;
        let name = match mark {
            '*' => "strong",
            '_' => "em",
            _ => "mark",
        };
        Some(Found::Pair {
            name,
            open: place + open,
            close: place + close..place + end,
        })
    }

    /// `<<id>>` or `<<id,text>>`.
    fn reference(place: usize, rest: &str) -> Option<Found> {
        let close = rest.find(">>")?;
        match rest[..close].find(',') {
            Some(comma) => {
                let space =
                    rest[comma + 1..close].len() - rest[comma + 1..close].trim_start().len();
                Some(Found::Pair {
                    name: "a",
                    open: place + comma + 1 + space,
                    close: place + close..place + close + 2,
                })
            }
            None => Some(Found::Opaque {
                name: "a",
                shown: place + 2..place + close,
                end: place + close + 2,
            }),
        }
    }

    /// A footnote, also right after a word; where it names another one, it has no text.
    fn footnote(place: usize, rest: &str) -> Option<Found> {
        let is_id = |c: char| c.is_alphanumeric() || "-_".contains(c);
        let old = rest.strip_prefix("footnoteref:[");
        let new = rest.strip_prefix("footnote:");
        let open = match (old, new) {
            (Some(_), _) => "footnoteref:".len(),
            (_, Some(inner)) => rest.len() - inner.trim_start_matches(is_id).len(),
            _ => return None,
        };
        if !rest[open..].starts_with('[') {
            return None;
        }
        let close = bracket_end(rest, open)?;
        // The old form has its name in the brackets.
        let name = match old {
            Some(_) => rest[open..close]
                .find(',')
                .map_or(close, |comma| open + comma + 1),
            None => open + 1,
        };
        let end = place + close + 1;
        if rest[name..close].trim().is_empty() {
            return Some(Found::Point {
                name: "footnote",
                end,
            });
        }
        Some(Found::Note {
            text: place + name..place + close,
            end,
        })
    }

    fn macro_at(place: usize, rest: &str) -> Option<Found> {
        let is_text = TEXT_MACROS.iter().any(|name| rest.starts_with(name));
        if !is_text && !OTHER_MACROS.iter().any(|name| rest.starts_with(name)) {
            return None;
        }
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let open = rest.find('[').filter(|&open| open < word)?;
        let close = bracket_end(rest, open)?;
        let inner = &rest[open + 1..close];
        if !is_text || inner.is_empty() || inner.contains('=') && !inner.contains(' ') {
            return Some(Found::Opaque {
                name: "macro",
                shown: place + open + 1..place + close,
                end: place + close + 1,
            });
        }
        let end = words_end(inner);
        Some(Found::Pair {
            name: "a",
            open: place + open + 1,
            close: place + open + 1 + end..place + close + 1,
        })
    }
}

/// `{name}[text]`, `{name}/path[text]` or `{name}page.adoc[text]`: a link whose address begins with an attribute, whose name ends
/// at `end`.
fn attribute_link(place: usize, rest: &str, end: usize) -> Option<Found> {
    let path = rest[end..].find(|c: char| c.is_whitespace() || "[]<>\"|".contains(c))?;
    let open = end + path;
    let is_path = path == 0
        || rest[end..].starts_with(['/', '#', '?', ':', '.', '-', '_', '{'])
        || rest[end..open].contains(['/', '.', '#']);
    if !is_path || !rest[open..].starts_with('[') {
        return None;
    }
    let close = bracket_end(rest, open).filter(|&close| close > open + 1)?;
    let words = open + 1 + words_end(&rest[open + 1..close]);
    Some(Found::Pair {
        name: "a",
        open: place + open + 1,
        close: place + words..place + close + 1,
    })
}

/// The end of a link's words: after them there may be attributes, and a sign that opens another window.
fn words_end(inner: &str) -> usize {
    let attributes = inner.find(",role=").or_else(|| inner.find(",window="));
    let words = &inner[..attributes.unwrap_or(inner.len())];
    words.trim_end_matches('^').len()
}

/// Markup that was found, with its bytes.
enum Found {
    Pair {
        name: &'static str,
        open: usize,
        close: Range<usize>,
    },
    Opaque {
        name: &'static str,
        shown: Range<usize>,
        end: usize,
    },
    Point {
        name: &'static str,
        end: usize,
    },
    Decoded {
        shown: String,
        end: usize,
    },
    Note {
        text: Range<usize>,
        end: usize,
    },
    LineBreak {
        end: usize,
    },
}

/// The places at which a marked text begins and ends, and the end of its marks.
fn span(rest: &str, mark: char, after_word: bool) -> Option<(usize, usize, usize)> {
    let single = mark.to_string();
    let double = single.repeat(2);
    if rest.starts_with(&double) {
        let close = rest[2..].find(&double)? + 2;
        return (close > 2).then_some((2, close, close + 2));
    }
    if after_word || rest[1..].starts_with(char::is_whitespace) {
        return None;
    }
    let mut ends = rest[1..].match_indices(&single).map(|(place, _)| place + 1);
    let close = ends.find(|&close| {
        let next = rest[close + 1..].chars().next();
        let before = rest[..close].chars().next_back();
        close > 1
            && before.is_some_and(|c| !c.is_whitespace())
            && next.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != mark)
    })?;
    Some((1, close, close + 1))
}

/// The bracket that closes the one at `open`.
fn bracket_end(rest: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (place, byte) in rest.bytes().enumerate().skip(open) {
        match byte {
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(place);
                }
            }
            _ => {}
        }
    }
    None
}

fn is_macro(text: &str) -> bool {
    let mut names = TEXT_MACROS.into_iter().chain(OTHER_MACROS.iter());
    names.any(|name| text.starts_with(name))
}

/// A character reference.
fn reference(rest: &str) -> Option<(String, usize)> {
    const LONGEST: usize = 12;
    let end = rest.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let shown = match &rest[1..end] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => '\u{A0}',
        "quot" => '"',
        other => numbered(other.strip_prefix('#')?).filter(|c| !c.is_control())?,
    };
    // What keeps a mark from its word shows nothing.
    let shown = if shown == '\u{200B}' {
        String::new()
    } else {
        shown.to_string()
    };
    Some((shown, end + 1))
}
