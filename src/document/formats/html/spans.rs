//! HTML tokens with the bytes they come from.
//!
//! html5ever's tokenizer reports no byte offsets. It is therefore fed in pieces: each `<`, each `&`, each name of a
//! character reference, and what is between, up to and including a `>`. Then every token ends where a piece ends,
//! and what a token consists of is all that was fed since the one before. `<` and `&` alone never end a token, but may
//! prove that what was pending before them is text.

use std::{
    cell::{Cell, RefCell},
    ops::Range,
};

use html5ever::{
    Attribute, LocalName,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
};

use super::elements;

/// One token; its bytes are passed with it.
#[derive(Debug)]
pub(super) enum Span {
    Start {
        name: LocalName,
        attributes: Vec<Attribute>,
        self_closing: bool,
    },
    End {
        name: LocalName,
    },
    /// Text that means itself.
    Text,
    /// A character reference, decoded.
    Reference(String),
    /// A comment, doctype or unfinished tag.
    Other,
}

/// The receiver of a page's spans.
pub(super) trait Receiver {
    type Failure;

    fn span(&mut self, span: Span, range: Range<usize>) -> Result<(), Self::Failure>;

    /// Whether the next token is in `svg` or `math`.
    fn is_foreign(&self) -> bool;
}

/// Reads `source` from byte `start` on and hands every span to `receiver`, in order and without gaps.
pub(super) fn read<R: Receiver>(
    source: &str,
    start: usize,
    is_xml: bool,
    receiver: &mut R,
) -> Result<(), R::Failure> {
    let options = TokenizerOpts {
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let sink = Sink {
        is_xml,
        ..Sink::default()
    };
    let tokenizer = Tokenizer::new(sink, options);
    let queue = BufferQueue::default();
    let mut pending = start;
    let mut place = start;
    let mut after_ampersand = false;
    while place < source.len() {
        let piece = Piece::from_text(&source[place..], after_ampersand);
        let end = place + piece.length;
        queue.push_back(StrTendril::from_slice(&source[place..end]));
        let _ = tokenizer.feed(&queue);
        let text = tokenizer.sink.text.take();
        if !text.is_empty() {
            let resolved = if piece.is_opener { place } else { end };
            emit_text(source, &text, pending..place, place..resolved, receiver)?;
            pending = resolved;
        }
        if let Some(span) = tokenizer.sink.span.take() {
            receiver.span(span, pending..end)?;
            pending = end;
            tokenizer.sink.foreign.set(receiver.is_foreign());
        }
        after_ampersand = piece.is_ampersand;
        place = end;
    }
    tokenizer.end();
    let text = tokenizer.sink.text.take();
    if !text.is_empty() {
        emit_text(source, &text, pending..place, place..place, receiver)?;
        pending = place;
    }
    if pending < place {
        receiver.span(Span::Other, pending..place)?;
    }
    Ok(())
}

/// Hands over `text`, which the tokenizer made of the bytes that were pending and of those just fed.
fn emit_text<R: Receiver>(
    source: &str,
    text: &str,
    mut pending: Range<usize>,
    mut fed: Range<usize>,
    receiver: &mut R,
) -> Result<(), R::Failure> {
    if source[pending.clone()].starts_with('&') && text != &source[pending.start..fed.end] {
        let is_name = source[fed.clone()]
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b';'));
        if pending.len() == 1 && is_name {
            pending.end = fed.end;
            fed.start = fed.end;
        }
        // What was just fed means itself, except that the tokenizer turns CR LF into LF.
        let literal = &source[fed.clone()];
        let literal_length = literal.chars().count() - literal.matches("\r\n").count();
        let length = text.chars().count().saturating_sub(literal_length);
        let decoded = text.chars().take(length).collect();
        receiver.span(Span::Reference(decoded), pending)?;
    } else {
        fed.start = pending.start;
    }
    if fed.is_empty() {
        Ok(())
    } else {
        receiver.span(Span::Text, fed)
    }
}

/// A piece of a page that is fed to the tokenizer at once.
struct Piece {
    length: usize,
    is_ampersand: bool,
    /// `<` or `&`.
    is_opener: bool,
}

impl Piece {
    fn from_text(rest: &str, after_ampersand: bool) -> Self {
        let bytes = rest.as_bytes();
        let is_opener = matches!(bytes[0], b'<' | b'&');
        let name = bytes
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#')
            .count();
        let length = if is_opener {
            1
        } else if after_ampersand && (name > 0 || bytes[0] == b';') {
            name + usize::from(bytes.get(name) == Some(&b';'))
        } else {
            let stop = bytes
                .iter()
                .position(|byte| matches!(byte, b'<' | b'&' | b'>'))
                .unwrap_or(bytes.len());
            stop + usize::from(bytes.get(stop) == Some(&b'>'))
        };
        Self {
            length,
            is_ampersand: bytes[0] == b'&',
            is_opener,
        }
    }
}

/// Keeps what one piece produced: text, then at most one tag, comment or doctype.
#[derive(Default)]
struct Sink {
    text: RefCell<String>,
    span: RefCell<Option<Span>>,
    foreign: Cell<bool>,
    is_xml: bool,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let span = match token {
            Token::CharacterTokens(text) => {
                self.text.borrow_mut().push_str(&text);
                return TokenSinkResult::Continue;
            }
            Token::NullCharacterToken => {
                self.text.borrow_mut().push('\0');
                return TokenSinkResult::Continue;
            }
            Token::ParseError(_) | Token::EOFToken => return TokenSinkResult::Continue,
            Token::CommentToken(_) | Token::DoctypeToken(_) => Span::Other,
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => Span::End { name: tag.name },
            Token::TagToken(tag) => Span::Start {
                name: tag.name,
                attributes: tag.attrs,
                self_closing: tag.self_closing,
            },
        };
        let result = match &span {
            Span::Start {
                self_closing: true, ..
            } if self.is_xml => TokenSinkResult::Continue,
            Span::Start { name, .. } if !self.foreign.get() && &**name == "plaintext" => {
                TokenSinkResult::Plaintext
            }
            Span::Start { name, .. } if !self.foreign.get() => {
                elements::raw_kind(name).map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
            }
            _ => TokenSinkResult::Continue,
        };
        self.span.replace(Some(span));
        result
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.foreign.get()
    }
}
