//! A snippet of HTML as what it shows and which tags it has: to compare the markup of two languages.

use std::cell::RefCell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::unit::folded;

/// What a piece of markup is, apart from its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tags {
    /// Start tags in order.
    pub starts: Vec<StartTag>,
    /// Text outside of tags, white space folded; a line break shows as a space.
    pub text: String,
}

/// A start tag by what it says in any language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StartTag {
    pub name: String,
    /// `class`, `href`, `src`, `name` and `id` in the order in which they stand; language folders cut off addresses.
    pub attributes: Vec<(String, String)>,
}

impl Tags {
    pub fn of(html: &str) -> Self {
        let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from_slice(html));
        // No script can ask for anything in between: the sink never does.
        let _ = tokenizer.feed(&queue);
        tokenizer.end();
        let mut tags = tokenizer.sink.0.into_inner();
        let shows_space = tags.text.ends_with(' ') && tags.text.trim().is_empty();
        tags.text = if shows_space {
            " ".to_owned()
        } else {
            folded(&tags.text)
        };
        tags
    }

    /// The marks of Markdown, named by their signs; `close` is empty for a point.
    pub fn of_markdown(open: &str, close: &str) -> Self {
        if open.starts_with('<') && !open.contains(':') {
            return Self::of(open);
        }
        let (name, address, text) = if close.is_empty() {
            match open.rsplit_once("](") {
                Some((_, address)) => ("![".to_owned(), address, ""),
                None => ("`".to_owned(), "", open.trim_matches(['`', '<', '>'])),
            }
        } else {
            let address = close.strip_prefix("](").unwrap_or_default();
            (open.replace('_', "*"), address, "")
        };
        let address = address.trim_end_matches(')');
        let attributes = match address {
            "" => Vec::new(),
            _ => vec![("href".to_owned(), address.to_owned())],
        };
        Self {
            starts: vec![StartTag { name, attributes }],
            text: folded(text),
        }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.starts.iter().map(|start| start.name.as_str())
    }
}

#[derive(Default)]
struct Sink(RefCell<Tags>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut tags = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => tags.text += &text,
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                if &*tag.name == "br" {
                    tags.text.push(' ');
                }
                tags.starts.push(StartTag::of(&tag));
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl StartTag {
    fn of(tag: &Tag) -> Self {
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
            Tags::of(&format!(
                "<a href=\"{language}/text/x.html\" title=\"{language}\"><span class=\"emph\">"
            ))
        });
        assert_eq!(english, german);
        assert_eq!(english.names().collect::<Vec<_>>(), ["a", "span"]);
    }

    #[test]
    fn marks_of_markdown_have_signs_for_names() {
        assert_eq!(Tags::of_markdown("**", "**"), Tags::of_markdown("__", "__"));
        let link = Tags::of_markdown("[", "](a.html)");
        assert_eq!(
            link.starts[0].attributes,
            [("href".to_owned(), "a.html".to_owned())]
        );
        assert_eq!(Tags::of_markdown("`a b`", "").text, "a b");
        assert_eq!(Tags::of_markdown("![a](b.png)", "").text, "");
        assert_eq!(Tags::of_markdown("<br>", ""), Tags::of("<br>"));
    }

    #[test]
    fn code_shows_its_text_and_a_break_a_space() {
        assert_eq!(Tags::of("<code>a &lt;\n b</code>").text, "a < b");
        assert_eq!(Tags::of("<br>").text, " ");
        assert_eq!(Tags::of("<a name=\"x\"></a>").text, "");
    }
}
