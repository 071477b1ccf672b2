//! Cues, the turns in them, and which of them share a sentence.

use std::ops::Range;

use super::CueFormat;
use crate::document::CueTime;
use crate::inline::Run;

/// Longer pauses end a sentence, in milliseconds.
const MAX_PAUSE: i64 = 3_000;
/// Cues may overlap a little.
const MAX_OVERLAP: i64 = 100;
/// Texts without any punctuation would never end.
const MAX_CHAIN: usize = 12;

/// A text that is shown for a time.
#[derive(Debug)]
pub(super) struct Cue {
    pub start: i64,
    pub end: i64,
    /// Bytes of its text.
    pub body: Range<usize>,
    /// Style, speaker and position: cues that differ in it share no sentence.
    pub key: String,
}

/// A piece of a cue's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Characters that stand for themselves.
    Text,
    /// Characters that are spelt otherwise.
    Decoded(String),
    Open(String),
    Close(String),
    /// A tag that shows nothing and has no partner.
    Tag,
    LineBreak,
}

/// Lines that belong together: a whole cue, or one turn of a dialogue in it.
#[derive(Debug)]
pub(super) struct Block {
    pub cue: usize,
    /// Bytes of the text without what stays around it.
    pub range: Range<usize>,
    pub tokens: Vec<(Range<usize>, Token)>,
    /// Whether it is sung: a line of a song ends with its cue.
    is_song: bool,
    /// The tag that gives all of it a colour, a class or a voice: each speaker has one.
    colour: Option<String>,
}

/// Blocks whose sentences may continue from one to the next.
#[derive(Debug)]
pub(super) struct Chain {
    pub blocks: Vec<Block>,
}

impl Chain {
    /// When its cues are shown.
    pub(super) fn time(&self, cues: &[Cue]) -> Option<CueTime> {
        let mut numbers: Vec<usize> = self.blocks.iter().map(|block| block.cue).collect();
        numbers.dedup();
        let shown = |number: &usize| (cues[*number].end - cues[*number].start).max(0);
        Some(CueTime {
            start_ms: cues[*numbers.first()?].start,
            end_ms: cues[*numbers.last()?].end,
            shown_ms: numbers.iter().map(shown).sum(),
            num_cues: numbers.len(),
        })
    }

    /// The text of all blocks.
    pub(super) fn run(&self, text: &str) -> Run {
        let mut run = Run::default();
        let mut last: Option<(char, usize)> = None;
        for block in &self.blocks {
            if let Some((before, end)) = last
                && let Some(next) = block.first(text)
                && !is_unspaced(before, next)
            {
                run.decoded(" ", end..block.range.start);
            }
            for (index, (range, token)) in block.tokens.iter().enumerate() {
                match token {
                    Token::Text => run.text(&text[range.clone()], range.start),
                    Token::Decoded(shown) => run.decoded(shown, range.clone()),
                    Token::Open(name) => run.open(name, range.clone()),
                    Token::Close(name) => run.close(name, range.clone()),
                    Token::Tag => run.tag(range.clone()),
                    Token::LineBreak if block.breaks_word(text, index) => {}
                    Token::LineBreak => run.decoded(" ", range.clone()),
                }
            }
            last = block.last(text).map(|last| (last, block.range.end));
        }
        run
    }
}

impl Block {
    /// Its text as it is shown.
    pub(super) fn shown(&self, text: &str) -> String {
        let shown = self.tokens.iter().map(|(range, token)| match token {
            Token::Text => &text[range.clone()],
            Token::Decoded(shown) => shown,
            Token::LineBreak => " ",
            _ => "",
        });
        shown.collect()
    }

    fn first(&self, text: &str) -> Option<char> {
        self.shown(text).trim_start().chars().next()
    }

    fn last(&self, text: &str) -> Option<char> {
        self.shown(text).trim_end().chars().next_back()
    }

    /// Whether a line ends within a text that has no spaces between its words.
    pub(super) fn breaks_word<'a>(&'a self, text: &'a str, index: usize) -> bool {
        let shown = |(range, token): &'a (Range<usize>, Token)| match token {
            Token::Text => &text[range.clone()],
            Token::Decoded(shown) => shown,
            _ => "",
        };
        let before = self.tokens[..index].iter().map(shown).rev();
        let mut before = before.flat_map(|shown| shown.chars().rev());
        let after = self.tokens[index + 1..].iter().map(shown);
        let mut after = after.flat_map(str::chars);
        let is_letter = |letter: &char| !letter.is_whitespace();
        match (before.find(is_letter), after.find(is_letter)) {
            (Some(before), Some(after)) => is_unspaced(before, after),
            _ => false,
        }
    }
}

/// Whether no space is between two letters of a text.
fn is_unspaced(before: char, after: char) -> bool {
    is_ideographic(before) && is_ideographic(after)
}

fn is_ideographic(character: char) -> bool {
    matches!(character, '\u{3000}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
}

/// The texts of all cues, with those that share sentences together.
pub(super) fn chains(text: &str, cues: &[Cue], format: &dyn CueFormat) -> Vec<Chain> {
    let turns: Vec<Vec<Turn>> = (0..)
        .zip(cues)
        .map(|(number, cue)| turns(text, number, cue, format))
        .collect();
    let ends: Vec<String> = turns
        .iter()
        .filter_map(|turns| turns.last())
        .map(|turn| turn.block.shown(text))
        .collect();
    let num_punctuated = ends
        .iter()
        .filter(|shown| {
            shown
                .trim_end()
                .ends_with(|c: char| is_final(c) || c == ',')
        })
        .count();
    let is_punctuated = 3 * num_punctuated >= ends.len();
    let mut chains: Vec<Chain> = Vec::new();
    for turn in turns.into_iter().flatten() {
        if let Some(chain) = chains.last_mut()
            && chain.blocks.len() < MAX_CHAIN
            && let Some(last) = chain.blocks.last()
            && last.cue + 1 == turn.block.cue
            && !turn.is_new
            && last.colour == turn.block.colour
            && !last.is_song
            && !turn.block.is_song
            && are_close(&cues[last.cue], &cues[turn.block.cue])
            && goes_on(&last.shown(text), &turn.block.shown(text), is_punctuated)
        {
            chain.blocks.push(turn.block);
        } else {
            chains.push(Chain {
                blocks: vec![turn.block],
            });
        }
    }
    chains
}

fn are_close(cue: &Cue, next: &Cue) -> bool {
    let pause = next.start - cue.end;
    cue.key == next.key && (-MAX_OVERLAP..=MAX_PAUSE).contains(&pause)
}

/// Whether the sentence at the end of a text continues in the next one.
fn goes_on(text: &str, next: &str, is_punctuated: bool) -> bool {
    const CLOSING: [char; 10] = ['"', '\'', ')', ']', '”', '“', '’', '»', '«', '」'];
    const OPENING: [char; 12] = ['"', '\'', '(', '“', '„', '‘', '«', '»', '「', '¿', '¡', '…'];
    let is_aside = |text: &str| text.starts_with(['[', '(']) && text.ends_with([']', ')']);
    let (text, next) = (text.trim(), next.trim());
    if !text.contains(char::is_alphanumeric) || !next.contains(char::is_alphanumeric) {
        return false;
    }
    let core = text.trim_end_matches(CLOSING);
    let first = next
        .trim_start_matches(OPENING)
        .trim_start_matches('.')
        .trim_start();
    let (Some(last), Some(first)) = (core.chars().next_back(), first.chars().next()) else {
        return false;
    };
    if is_aside(text) || is_aside(next) {
        return false;
    }
    if core.ends_with("...") || matches!(last, '…' | '-' | '–' | '—') {
        return first.is_lowercase();
    }
    if is_final(last) {
        return false;
    }
    if matches!(last, ',' | ';' | '、' | '，' | '،') || first.is_lowercase() {
        return true;
    }
    let has_case = |c: char| c.is_lowercase() || c.is_uppercase();
    let is_loud = |text: &str| !text.contains(char::is_lowercase);
    is_punctuated
        && has_case(first)
        && core.split_whitespace().count() > 2
        && !is_loud(text)
        && !is_loud(next)
}

fn is_final(character: char) -> bool {
    matches!(
        character,
        '.' | '!' | '?' | ':' | '…' | '。' | '！' | '？' | '｡' | '؟' | '।' | '۔'
    )
}

/// A block, and whether another speaker begins in it.
struct Turn {
    block: Block,
    is_new: bool,
}

/// The turns of one cue.
fn turns(text: &str, number: usize, cue: &Cue, format: &dyn CueFormat) -> Vec<Turn> {
    let body = &text[cue.body.clone()];
    let mut lines: Vec<Vec<(Range<usize>, Token)>> = vec![Vec::new()];
    for (range, token) in format.tokens(body) {
        let range = range.start + cue.body.start..range.end + cue.body.start;
        let is_break = token == Token::LineBreak;
        if let Some(line) = lines.last_mut() {
            line.push((range, token));
        }
        if is_break {
            lines.push(Vec::new());
        }
    }
    let mut turns: Vec<Vec<(Range<usize>, Token)>> = Vec::new();
    for line in lines {
        match turns.last_mut() {
            Some(turn) if !is_turn(text, &line) && !is_other(text, turn, &line) => {
                turn.extend(line);
            }
            _ => turns.push(line),
        }
    }
    let has_several = turns.len() > 1;
    let turn = |tokens: Vec<(Range<usize>, Token)>| {
        let is_new = has_several || is_turn(text, &tokens);
        let colour = colour(text, &tokens);
        let block = trimmed(text, number, tokens)?;
        Some(Turn {
            block: Block { colour, ..block },
            is_new,
        })
    };
    turns.into_iter().filter_map(turn).collect()
}

/// Whether a line is in another colour than the lines before it, as what another speaker says.
fn is_other(text: &str, turn: &[(Range<usize>, Token)], line: &[(Range<usize>, Token)]) -> bool {
    let shown = |tokens: &[(Range<usize>, Token)]| -> String {
        let texts = tokens.iter().map(|(range, token)| match token {
            Token::Text => &text[range.clone()],
            Token::Decoded(shown) => shown,
            _ => "",
        });
        texts.collect()
    };
    let before = shown(turn);
    let (said, next) = (colour(text, turn), colour(text, line));
    let has_ended = before.trim_end().ends_with(is_final);
    let is_text = !before.trim().is_empty() && !shown(line).trim().is_empty();
    is_text && said != next && (has_ended || said.is_some() && next.is_some())
}

/// The tag that gives all of a text its colour, class or voice.
fn colour(text: &str, tokens: &[(Range<usize>, Token)]) -> Option<String> {
    let is_blank = |(range, token): &&(Range<usize>, Token)| match token {
        Token::Text => text[range.clone()].trim().is_empty(),
        Token::LineBreak => true,
        _ => false,
    };
    let tokens: Vec<_> = tokens.iter().skip_while(is_blank).cloned().collect();
    let (range, token) = tokens.first()?;
    let tag = &text[range.clone()];
    let has_meaning = match token {
        Token::Open(name) => {
            matches!(name.as_str(), "font" | "c" | "v") && tag.len() > name.len() + 2
        }
        // An override of SubStation Alpha.
        Token::Tag => tag.contains("\\c&H") || tag.contains("\\1c&H"),
        _ => false,
    };
    let rest = partner(&tokens).map_or(&[][..], |close| &tokens[close + 1..]);
    (has_meaning && rest.iter().all(|token| is_blank(&token))).then(|| tag.to_owned())
}

/// Whether a line begins with the mark of a speaker.
fn is_turn(text: &str, line: &[(Range<usize>, Token)]) -> bool {
    let mut first = line
        .iter()
        .filter(|(range, token)| *token == Token::Text && !text[range.clone()].trim().is_empty());
    first.next().is_some_and(|(range, _)| {
        let line = &text[range.clone()];
        mark(line) > 0 && !line.trim_start().starts_with(['♪', '♫'])
    })
}

/// How many bytes a dash, a musical note or a speaker's name takes at the beginning of a line, with the space around it.
pub(super) fn mark(line: &str) -> usize {
    let text = line.trim_start();
    let rest = match text.chars().next() {
        Some('-' | '‐' | '–' | '—' | '♪' | '♫') => {
            text.trim_start_matches(['-', '‐', '–', '—', '♪', '♫'])
        }
        Some('>') if text.starts_with(">>") => text.trim_start_matches('>'),
        _ => text,
    };
    let rest = rest.trim_start();
    let rest = speaker(rest).map_or(rest, |end| rest[end..].trim_start());
    if rest.len() == text.len() || rest.is_empty() {
        0
    } else {
        line.len() - rest.len()
    }
}

/// The end of a name in capitals before a colon.
fn speaker(text: &str) -> Option<usize> {
    const MAX_NAME: usize = 30;
    let end = text.find(':')?;
    let name = &text[..end];
    let is_name = |c: char| c.is_uppercase() || c.is_numeric() || " .'’#-".contains(c);
    let is_speaker = name.starts_with(char::is_uppercase)
        && name.chars().count() <= MAX_NAME
        && name.chars().filter(|c| c.is_uppercase()).count() > 1
        && name.chars().all(is_name)
        && text[end + 1..].starts_with(' ');
    is_speaker.then_some(end + 1)
}

/// The block without marks and tags around its text; none if it has no text.
fn trimmed(text: &str, cue: usize, mut tokens: Vec<(Range<usize>, Token)>) -> Option<Block> {
    let is_blank = |(range, token): &(Range<usize>, Token)| match token {
        Token::Text => text[range.clone()].trim().is_empty(),
        Token::Decoded(shown) => shown.trim().is_empty(),
        Token::Tag | Token::LineBreak => true,
        Token::Open(_) | Token::Close(_) => false,
    };
    let is_song = |(range, _): &(Range<usize>, Token)| text[range.clone()].contains(['♪', '♫']);
    let is_song = tokens.iter().any(is_song);
    loop {
        while tokens.first().is_some_and(is_blank) {
            tokens.remove(0);
        }
        while tokens.last().is_some_and(is_blank) {
            tokens.pop();
        }
        let last = tokens.len().checked_sub(1)?;
        if let Some(close) = partner(&tokens)
            && close == last
        {
            tokens.pop();
            tokens.remove(0);
        } else if matches!(tokens[0].1, Token::Open(_) | Token::Close(_))
            && partner(&tokens).is_none()
        {
            // Without an end it holds for the whole cue.
            tokens.remove(0);
        } else if is_unopened(&tokens) {
            tokens.pop();
        } else if tokens[0].1 == Token::Text && mark(&text[tokens[0].0.clone()]) > 0 {
            let range = &mut tokens[0].0;
            range.start += mark(&text[range.clone()]);
        } else {
            break;
        }
    }
    if let Some((range, Token::Text)) = tokens.first_mut() {
        range.start += range.len() - text[range.clone()].trim_start().len();
    }
    if let Some((range, Token::Text)) = tokens.last_mut() {
        let kept = text[range.clone()]
            .trim_end()
            .trim_end_matches(['♪', '♫'])
            .trim_end();
        range.end = range.start + kept.len();
    }
    let range = tokens.first()?.0.start..tokens.last()?.0.end;
    Some(Block {
        cue,
        range,
        tokens,
        is_song,
        colour: None,
    })
}

/// Whether the last tag closes what was opened in another cue.
fn is_unopened(tokens: &[(Range<usize>, Token)]) -> bool {
    let Some((_, Token::Close(name))) = tokens.last() else {
        return false;
    };
    let count =
        |wanted: &dyn Fn(&Token) -> bool| tokens.iter().filter(|(_, token)| wanted(token)).count();
    let opened = count(&|token| matches!(token, Token::Open(other) if other == name));
    opened < count(&|token| matches!(token, Token::Close(other) if other == name))
}

/// The tag that closes what the first one opens.
fn partner(tokens: &[(Range<usize>, Token)]) -> Option<usize> {
    let Token::Open(name) = &tokens.first()?.1 else {
        return None;
    };
    let mut depth = 0;
    for (index, (_, token)) in tokens.iter().enumerate() {
        match token {
            Token::Open(other) if other == name => depth += 1,
            Token::Close(other) if other == name => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_goes_on_without_a_full_stop() {
        for (text, next) in [
            ("It's only in the last 100 years or so,", "That we started"),
            ("the idea here", "is to enable"),
            ("We went to see", "John in London."),
            ("Wait...", "there is more."),
            ("“quoted text”", "goes on"),
        ] {
            assert!(goes_on(text, next, true), "{text} {next}");
        }
        for (text, next) in [
            ("The end.", "it began"),
            ("“Really?”", "he said"),
            ("[door slams]", "and then"),
            ("PARIS", "Ten years later"),
            ("Wait...", "There is more."),
            ("日本語", "日本語"),
        ] {
            assert!(!goes_on(text, next, true), "{text} {next}");
        }
        assert!(!goes_on("We went to see", "John in London", false));
    }

    #[test]
    fn dashes_and_names_are_marks() {
        assert_eq!(mark("- Hello"), 2);
        assert_eq!(mark(">> JOHN: Hello"), 9);
        assert_eq!(mark("DR. WHO: Hello"), 9);
        for line in ["Note: Hello", "Hello", "-", "I: x", "10:30", "A:b"] {
            assert_eq!(mark(line), 0, "{line}");
        }
    }
}
