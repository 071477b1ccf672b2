//! A piece of markup as what it shows and which tags it has: for readers, and to compare the markup of two languages.

use std::{cell::RefCell, ops::Range};

use html5ever::LocalName;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::{
    document::{Document, Markup, Syntax},
    formats::is_hidden,
    placeholder::{folded, stripped},
};

/// The text of each of a sentence's points, by number; nothing of tags.
pub(super) fn points(markup: &[Markup], original: &str, syntax: Syntax) -> Vec<String> {
    let shown = markup.iter().map(|markup| match markup {
        Markup::Pair { .. } => String::new(),
        // A character that means a placeholder to us shows nothing.
        Markup::Point { .. } => stripped(&Tags::from_markup(markup, original, syntax).text),
    });
    shown.collect()
}

/// The kind of a piece of markup, apart from its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    /// Start tags in order.
    pub starts: Vec<StartTag>,
    /// Text outside of tags, white space folded; a line break shows as a space, a tabulator as itself.
    pub text: String,
}

/// A start tag by what it says in any language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartTag {
    /// Name of the element.
    pub name: String,
    /// `class`, `href`, `src`, `name` and `id` in order; language folders cut off addresses.
    pub attributes: Vec<(String, String)>,
}

impl Document {
    /// A piece of markup of one of the sentences.
    pub fn tags_of(&self, markup: &Markup) -> Tags {
        Tags::from_markup(markup, &self.original, self.syntax)
    }

    /// Whether [`Document::original`] is spelt as HTML.
    pub fn is_html(&self) -> bool {
        matches!(self.syntax, Syntax::Html { .. })
    }
}

impl Tags {
    /// Tags of a sentence's markup, which is in `original`.
    fn from_markup(markup: &Markup, original: &str, syntax: Syntax) -> Self {
        let text = |range: &Range<usize>| &original[range.clone()];
        match (markup, syntax) {
            (_, Syntax::Subtitles) => Self::from_subtitles(text(match markup {
                Markup::Pair { open: range, .. } | Markup::Point { range } => range,
            })),
            (Markup::Pair { open, close }, Syntax::Markdown) if !text(open).starts_with('<') => {
                Self::from_markdown(text(open), text(close))
            }
            (Markup::Point { range }, Syntax::Markdown) => Self::from_markdown(text(range), ""),
            (Markup::Pair { open: range, .. } | Markup::Point { range }, _) => {
                Self::from_html(text(range))
            }
        }
    }

    /// A tag of subtitles, named by itself.
    fn from_subtitles(tag: &str) -> Self {
        Self {
            starts: vec![StartTag {
                name: tag.to_owned(),
                attributes: Vec::new(),
            }],
            text: String::new(),
        }
    }

    /// Reads the tags of a piece of HTML.
    pub fn from_html(html: &str) -> Self {
        let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from_slice(html));
        // No script can insert anything in between: the sink never does.
        let _ = tokenizer.feed(&queue);
        tokenizer.end();
        let mut tags = tokenizer.sink.tags.into_inner();
        tags.text = match folded(&tags.text) {
            shown if shown.is_empty() && tags.text.contains('\t') => "\t".to_owned(),
            shown if shown.is_empty() && !tags.text.is_empty() => " ".to_owned(),
            shown => shown,
        };
        tags
    }

    /// The marks of Markdown, named by their signs; `close` is empty for a point.
    pub fn from_markdown(open: &str, close: &str) -> Self {
        let (name, address, text) = if !close.is_empty() {
            let address = close.strip_prefix("](").unwrap_or_default();
            (open.replace('_', "*"), address, "")
        } else if let Some(address) = autolink(open) {
            ("`".to_owned(), "", address)
        } else if open.starts_with('`') {
            ("`".to_owned(), "", open.trim_matches('`'))
        } else if open.starts_with(['!', '[', ']']) {
            let named = || open.rsplit_once("][");
            let (_, address) = open.rsplit_once("](").or_else(named).unwrap_or_default();
            (open.chars().take(2).collect(), address, "")
        } else {
            return Self::from_marks(open);
        };
        let address = address.trim_end_matches([')', ']']);
        let attributes = match address {
            "" => Vec::new(),
            _ => vec![("href".to_owned(), address.to_owned())],
        };
        Self {
            starts: vec![StartTag { name, attributes }],
            text: folded(text),
        }
    }

    /// Tags of inline HTML, addresses and hard breaks in Markdown, and of marks whose partner is in another sentence.
    fn from_marks(marks: &str) -> Self {
        if marks.contains('\n') {
            return Self::from_html(&marks.replace('\\', " "));
        }
        let mut tags = Self::from_html(marks);
        let is_mark = |c: char| !c.is_alphanumeric() && c != ' ';
        if !tags.text.is_empty() && tags.text.chars().all(is_mark) {
            let name = std::mem::take(&mut tags.text).replace('_', "*");
            let attributes = Vec::new();
            tags.starts.push(StartTag { name, attributes });
        }
        tags
    }

    /// Iterates over the names of the start tags.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.starts.iter().map(|start| start.name.as_str())
    }
}

/// The address of `<https://example.org>` or `<me@example.org>`.
fn autolink(mark: &str) -> Option<&str> {
    let address = mark.strip_prefix('<')?.strip_suffix('>')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-');
    let is_link = match (address.split_once(':'), address.split_once('@')) {
        (Some((scheme, _)), _) => {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part)
        }
        (None, Some((_, domain))) => {
            domain.ends_with(|c: char| c.is_ascii_alphanumeric()) && domain.chars().all(is_part)
        }
        (None, None) => false,
    };
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '<' | '>');
    (is_link && !address.contains(is_sign)).then_some(address)
}

#[derive(Default)]
struct Sink {
    tags: RefCell<Tags>,
    /// The open element whose text is invisible.
    hidden: RefCell<Option<LocalName>>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut tags = self.tags.borrow_mut();
        let mut hidden = self.hidden.borrow_mut();
        match token {
            Token::CharacterTokens(text) if hidden.is_none() => tags.text += &text,
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                let space = match &*tag.name {
                    "br" | "page-break" => Some(' '),
                    "tab" => Some('\t'),
                    _ => None,
                };
                tags.text.extend(space.filter(|_| hidden.is_none()));
                tags.starts.push(StartTag::from_tag(&tag));
                if hidden.is_none() && is_hidden(&tag.name) && !tag.self_closing {
                    *hidden = Some(tag.name);
                }
            }
            Token::TagToken(tag) if hidden.as_ref() == Some(&tag.name) => *hidden = None,
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl StartTag {
    fn from_tag(tag: &Tag) -> Self {
        let attributes = tag.attrs.iter().filter_map(|attribute| {
            let name = &*attribute.name.local;
            let value = match name {
                "href" | "src" => without_language(&attribute.value),
                "class" | "name" | "id" => &attribute.value,
                _ => return None,
            };
            Some((name.to_owned(), value.to_owned()))
        });
        Self {
            name: tag.name.to_string(),
            attributes: attributes.collect(),
        }
    }
}

/// `de/text/swriter/main.html` names the same page as `en-US/text/swriter/main.html`.
fn without_language(address: &str) -> &str {
    match address.split_once("/text/") {
        Some((language, page)) if !language.contains('/') => page,
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_link_is_the_same_in_every_language() {
        let [english, german] = ["en-US", "de"].map(|language| {
            Tags::from_html(&format!(
                "<a href=\"{language}/text/x.html\" title=\"{language}\"><span class=\"emph\">"
            ))
        });
        assert_eq!(english, german);
        assert_eq!(english.names().collect::<Vec<_>>(), ["a", "span"]);
    }

    #[test]
    fn marks_of_markdown_have_signs_for_names() {
        assert_eq!(
            Tags::from_markdown("**", "**"),
            Tags::from_markdown("__", "__")
        );
        let link = Tags::from_markdown("[", "](a.html)");
        assert_eq!(
            link.starts[0].attributes,
            [("href".to_owned(), "a.html".to_owned())]
        );
        assert_eq!(Tags::from_markdown("`a b`", "").text, "a b");
        assert_eq!(Tags::from_markdown("`Vec<u8>`", "").text, "Vec<u8>");
        let unseen = [
            "![a](b.png)",
            "![a][b]",
            "![a][]",
            "[^1]",
            "](a.html)",
            "**",
        ];
        for mark in unseen {
            assert_eq!(Tags::from_markdown(mark, "").text, "", "{mark}");
        }
        let by_name = Tags::from_markdown("![a][b]", "");
        assert_eq!(by_name, Tags::from_markdown("![c][b]", ""));
        assert_eq!(by_name, Tags::from_markdown("![c](b)", ""));
        for line_break in ["<br>", "  \n", "\\\r\n<b>", "</b>  \n"] {
            assert_eq!(Tags::from_markdown(line_break, "").text, " ");
        }
    }

    #[test]
    fn an_address_in_angle_brackets_is_shown_and_a_tag_is_not() {
        for address in ["https://x.org/a?b=c", "mailto:me@x.org", "me@x.org"] {
            let link = format!("<{address}>");
            assert_eq!(Tags::from_markdown(&link, "").text, address);
        }
        for tag in [
            "<a href=\"https://x.org\">",
            "<a/title='me@x.org'>",
            "<b></b>",
            "<!-- a: me@x.org -->",
        ] {
            assert_eq!(Tags::from_markdown(tag, ""), Tags::from_html(tag), "{tag}");
        }
    }

    #[test]
    fn code_shows_its_text_and_a_break_a_space() {
        assert_eq!(Tags::from_html("<code>a &lt;\n b</code>").text, "a < b");
        assert_eq!(Tags::from_html("<br>").text, " ");
        assert_eq!(Tags::from_html("<a name=\"x\"></a>").text, "");
        assert_eq!(Tags::from_html("<script>f()</script><i>a").text, "a");
    }
}
