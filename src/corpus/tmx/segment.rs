//! The text of a `<seg>`: inline elements become placeholders.
//!
//! `bpt` and `ept` with the same `i` are a pair, and so is `hi`; `ph`, `it` and `ut` are points. What is inside of
//! these (but for `hi`) is code of the original file and not for readers, a `sub` in it included. Pairs that overlap
//! become points, since placeholders nest.

use crate::markup::{MAX_MARKS, Mark, Side};
use crate::unit::folded;
use canopy_document::placeholder::{self, Placeholder};
use canopy_document::tags::{StartTag, Tags};

/// Attributes of an inline element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Inline {
    pub name: String,
    /// Pairs `bpt` and `ept` of one text.
    pub i: Option<String>,
    /// Number of the element, equal in all languages.
    pub x: Option<String>,
    /// The `pos` of `it`: `begin` or `end`.
    pub pos: Option<String>,
}

/// A text under construction.
#[derive(Debug, Default)]
pub(super) struct Segment {
    text: String,
    markup: Vec<Mark>,
    open: Vec<Open>,
    code: Option<Code>,
    /// Elements that say nothing to us, and `hi`.
    others: Vec<bool>,
}

/// A pair that is not closed yet.
#[derive(Debug)]
struct Open {
    number: usize,
    /// Byte of its placeholder.
    place: usize,
    /// `None` for `hi`.
    i: Option<String>,
}

/// An element whose content is code.
#[derive(Debug)]
struct Code {
    element: Inline,
    content: String,
    /// Elements open inside of it.
    depth: usize,
}

impl Segment {
    pub(super) fn start(&mut self, element: Inline) {
        if let Some(code) = &mut self.code {
            code.depth += 1;
            return;
        }
        match element.name.as_str() {
            "bpt" | "ept" | "ph" | "it" | "ut" => {
                self.code = Some(Code {
                    element,
                    content: String::new(),
                    depth: 0,
                });
            }
            name => {
                self.others.push(name == "hi");
                if name == "hi" {
                    self.open(None, mark(&element, "", true));
                }
            }
        }
    }

    pub(super) fn end(&mut self) {
        match self.code.take() {
            Some(mut code) if code.depth > 0 => {
                code.depth -= 1;
                self.code = Some(code);
            }
            Some(code) => self.end_code(code),
            None => {
                if self.others.pop() == Some(true) {
                    self.close(None);
                }
            }
        }
    }

    /// Text, or code of the original file if it is in an element for that.
    pub(super) fn text(&mut self, text: &str) {
        let usable = |c: &char| {
            Placeholder::from_char(*c).is_none() && (!c.is_control() || c.is_whitespace())
        };
        match &mut self.code {
            Some(code) if code.depth > 0 => {}
            Some(code) => code.content.extend(text.chars().filter(usable)),
            None => self.text.extend(text.chars().filter(usable)),
        }
    }

    pub(super) fn finish(mut self) -> Side {
        self.demote(0);
        Side {
            text: folded(&self.text),
            markup: self.markup,
        }
    }

    fn end_code(&mut self, code: Code) {
        let Code {
            element, content, ..
        } = code;
        match element.name.as_str() {
            "bpt" => self.open(
                Some(element.i.clone().unwrap_or_default()),
                mark(&element, &content, true),
            ),
            "ept" if self.close(Some(element.i.clone().unwrap_or_default())) => {}
            _ => {
                let number = self.markup.len();
                if number < MAX_MARKS {
                    self.text.push(placeholder::point(number));
                    self.markup.push(mark(&element, &content, false));
                }
            }
        }
    }

    fn open(&mut self, i: Option<String>, mark: Mark) {
        let number = self.markup.len();
        if number < MAX_MARKS {
            self.open.push(Open {
                number,
                place: self.text.len(),
                i,
            });
            self.text.push(placeholder::open(number));
            self.markup.push(mark);
        }
    }

    /// Closes the innermost pair with that `i`, if there is one.
    fn close(&mut self, i: Option<String>) -> bool {
        let Some(at) = self.open.iter().rposition(|open| open.i == i) else {
            return false;
        };
        self.demote(at + 1);
        self.open.pop();
        self.text.push(placeholder::CLOSE);
        true
    }

    /// Makes points of the pairs that are open from number `from` on.
    fn demote(&mut self, from: usize) {
        for open in self.open.drain(from.min(self.open.len())..) {
            let length = placeholder::open(open.number).len_utf8();
            let point = placeholder::point(open.number).to_string();
            self.text
                .replace_range(open.place..open.place + length, &point);
            self.markup[open.number].is_pair = false;
        }
    }
}

/// `x` says which element of the other language is the same; without it the code does.
fn mark(element: &Inline, content: &str, is_pair: bool) -> Mark {
    let identity = match &element.x {
        Some(x) => ("x", x.clone()),
        None => ("code", folded(content)),
    };
    let name = [
        element.name.as_str(),
        element.pos.as_deref().unwrap_or_default(),
    ]
    .concat();
    Mark {
        is_pair,
        tags: Tags {
            starts: vec![StartTag {
                name,
                attributes: vec![(identity.0.to_owned(), identity.1)],
            }],
            text: if is_pair {
                String::new()
            } else {
                shown(content)
            },
        },
    }
}

/// Visible text of code: nothing of tags and RTF, but a variable such as `{0}`.
fn shown(code: &str) -> String {
    let is_rtf = code.starts_with('\\') || code.starts_with("{\\");
    if code.contains('<') {
        Tags::from_html(code).text
    } else if is_rtf {
        String::new()
    } else {
        folded(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str, i: &str) -> Inline {
        Inline {
            name: name.to_owned(),
            i: (!i.is_empty()).then(|| i.to_owned()),
            ..Inline::default()
        }
    }

    /// `parts`: text, or an element as `<name i code`.
    fn segment(parts: &[&str]) -> Side {
        let mut segment = Segment::default();
        for part in parts {
            let Some(tag) = part.strip_prefix('<') else {
                segment.text(part);
                continue;
            };
            if tag == "/" {
                segment.end();
                continue;
            }
            let mut words = tag.splitn(3, ' ');
            let mut word = || words.next().unwrap_or_default();
            let started = element(word(), word());
            let is_code = started.name != "hi";
            segment.start(started);
            if is_code {
                segment.text(word());
                segment.end();
            }
        }
        segment.finish()
    }

    #[test]
    fn elements_become_pairs_and_points() {
        let side = segment(&[
            "Click ",
            "<bpt 1 <b>",
            "OK",
            "<ept 1 </b>",
            "  or\n",
            "<ph  {0}",
            ", ",
            "<hi",
            "now",
            "</",
            "<it  <i>",
            ".",
        ]);
        assert_eq!(
            side.text,
            "Click \u{E000}OK\u{E200} or \u{E101}, \u{E002}now\u{E200}\u{E103}."
        );
        let shown: Vec<&str> = side
            .markup
            .iter()
            .map(|mark| mark.tags.text.as_str())
            .collect();
        assert_eq!(shown, ["", "{0}", "", ""]);
    }

    #[test]
    fn overlapping_and_lone_tags_become_points() {
        let side = segment(&[
            "<bpt 1 a", "x", "<bpt 2 b", "y", "<ept 1 c", "z", "<ept 2 d", "<bpt 3 e",
        ]);
        assert_eq!(side.text, "\u{E000}x\u{E101}y\u{E200}z\u{E102}\u{E103}");
        assert_eq!(
            side.markup
                .iter()
                .map(|mark| mark.is_pair)
                .collect::<Vec<_>>(),
            [true, false, false, false]
        );
    }

    #[test]
    fn more_elements_than_numbers_are_left_out() {
        let side = segment(&["<ph  x"; 300]);
        assert_eq!(
            (side.text.chars().count(), side.markup.len()),
            (MAX_MARKS, MAX_MARKS)
        );
    }
}
