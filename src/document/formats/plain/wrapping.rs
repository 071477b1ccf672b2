//! Which lines of a plain text continue in the next one.
//!
//! The whole file decides. It is wrapped where most of its lines end because the next word had no room in one column, and
//! enough of the lines that follow begin with a small letter, as they do in the middle of a sentence. Where no column is
//! found, lines are joined only as far as they read as one sentence: each begins with a small letter after a line that
//! ends in no mark, up to a line that does. Titles, addresses, verses, `Name: value`, and one sentence a line stay lines.

use std::ops::Range;

use crate::document::ParagraphKind;

/// Wrap columns; shorter lines are short on purpose, and longer ones are whole paragraphs.
const COLUMNS: Range<usize> = 40..133;
/// The shortest line of a sentence that continues, where no column is known.
const SHORTEST: usize = 30;

/// A line by its parts.
#[derive(Debug)]
pub(super) struct Line<'s> {
    /// Without the end of the line.
    text: &'s str,
    place: usize,
    /// How many bytes the marks of a quotation take.
    quote: usize,
    /// How many bytes a list mark takes after those.
    mark: usize,
    /// Byte ranges of text in the file: one part, or one for each cell.
    pub parts: Vec<Range<usize>>,
    is_table: bool,
}

/// How a line follows the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    Apart,
    Wrapped,
    /// In the middle of a word, after a hyphen.
    Hyphenated,
}

impl<'s> Line<'s> {
    /// The line that begins at byte `place` of its file.
    pub(super) fn new(line: &'s str, place: usize) -> Self {
        let text = line.trim_end();
        let quote = quote(text);
        let mark = list_mark(&text[quote..]);
        let begin = quote + mark;
        let mut line = Self {
            text,
            place,
            quote,
            mark,
            parts: Vec::new(),
            is_table: false,
        };
        let inner = text[begin..].trim_start();
        if inner.starts_with('|') || inner.matches(" | ").count() > 1 {
            line.is_table = true;
            let bars = text.match_indices('|').map(|(bar, _)| bar..bar + 1);
            line.cut(bars.collect());
        } else {
            line.cut(Vec::new());
        }
        line
    }

    pub(super) fn kind(&self) -> ParagraphKind {
        match self {
            Self { is_table: true, .. } => ParagraphKind::TableCell,
            Self { mark: 1.., .. } => ParagraphKind::ListItem,
            _ => ParagraphKind::Text,
        }
    }

    /// Leaves `gaps` out of the text, and the space around them.
    fn cut(&mut self, gaps: Vec<Range<usize>>) {
        let ends = gaps.iter().map(|gap| gap.start).chain([self.text.len()]);
        let mut start = self.quote + self.mark;
        self.parts.clear();
        for (end, next) in ends.zip(gaps.iter().map(|gap| gap.end).chain([0])) {
            let part = self.text.get(start..end).unwrap_or_default();
            let ink = part.trim_start();
            let first = self.place + end - ink.len();
            if !ink.is_empty() || gaps.is_empty() {
                self.parts.push(first..first + ink.trim_end().len());
            }
            start = next;
        }
    }

    fn ink(&self) -> &'s str {
        self.text[self.quote + self.mark..].trim_start()
    }

    fn length(&self) -> usize {
        self.text.chars().count()
    }

    /// The column in which its text begins.
    fn indent(&self) -> usize {
        self.length() - self.ink().chars().count()
    }

    fn first_word(&self) -> usize {
        let ink = self.ink();
        if ink.starts_with(is_ideograph) {
            return 1;
        }
        let word = ink.split_whitespace().next().unwrap_or_default();
        word.chars().count()
    }

    fn begins_small(&self) -> bool {
        let first = self.ink().chars().find(|c| !"\"'(“‘«„".contains(*c));
        first.is_some_and(char::is_lowercase)
    }

    fn has_case(&self) -> bool {
        let first = self.ink().chars().next();
        first.is_some_and(|c| c.is_lowercase() || c.is_uppercase())
    }

    /// Whether a sentence ends with it.
    fn is_finished(&self) -> bool {
        let closing = ['"', '\'', ')', ']', '”', '’', '»', '“', '*', '_', '`'];
        let ink = self.text.trim_end_matches(closing);
        ink.ends_with(['.', '!', '?', '…', ':', '。', '！', '？', '؟', '।'])
    }

    fn is_hyphenated(&self) -> bool {
        let word = self.text.strip_suffix('-').unwrap_or_default();
        word.ends_with(char::is_alphabetic)
    }

    /// `Name: value`.
    fn is_field(&self) -> bool {
        let Some((name, value)) = self.ink().split_once(':') else {
            return false;
        };
        let is_name = |c: char| c.is_alphanumeric() || " -_.".contains(c);
        name.len() < 32
            && name.starts_with(char::is_uppercase)
            && name.chars().all(is_name)
            && name.split(' ').count() < 4
            && value.starts_with([' ', '\t'])
    }

    /// Whether words of it may continue in `next`, as far as their shapes say.
    fn may_go_on(&self, next: &Line) -> bool {
        let holds_letter = |line: &Line| line.ink().contains(char::is_alphabetic);
        next.mark == 0
            && self.text[..self.quote] == next.text[..next.quote]
            && !(self.is_table || next.is_table || self.parts.len() > 1 || next.parts.len() > 1)
            && !(self.is_field() && next.is_field())
            && holds_letter(self)
            && holds_letter(next)
    }

    /// Whether `next` is below the text of an item.
    fn hangs(&self, next: &Line) -> bool {
        self.mark > 0 && next.indent() > self.indent() - self.mark.min(self.indent())
    }
}

/// How each line of each block follows the one before.
pub(super) fn joints(blocks: &[Vec<Line>]) -> Vec<Vec<Joint>> {
    // What is a table shows in a block only.
    let column = column(blocks);
    let block = |lines: &Vec<Line>| {
        let joined = match column {
            Some(column) => joined_at(lines, column),
            None => vec![false; lines.len()],
        };
        let read = joined_as_read(lines);
        let joint = |index: usize| {
            if index == 0 || !(joined[index] || read[index]) {
                return Joint::Apart;
            }
            let (line, next) = (&lines[index - 1], &lines[index]);
            let word = next.ink().split_whitespace().next();
            let is_other = word.is_some_and(|word| LEFT_OUT.contains(&word));
            if line.is_hyphenated() && next.begins_small() && !is_other {
                Joint::Hyphenated
            } else {
                Joint::Wrapped
            }
        };
        (0..lines.len()).map(joint).collect()
    };
    blocks.iter().map(block).collect()
}

/// Words before which a hyphen stands for a part that is left out.
const LEFT_OUT: [&str; 6] = ["and", "or", "to", "und", "oder", "bis"];

/// A line that may continue in the next one.
struct Pair {
    length: usize,
    /// With the first word of the next line.
    needed: usize,
    begins_small: bool,
    has_case: bool,
}

impl Pair {
    fn new(line: &Line, next: &Line) -> Self {
        Self {
            length: line.length(),
            needed: line.length() + 1 + next.first_word(),
            begins_small: next.begins_small(),
            has_case: next.has_case(),
        }
    }

    fn is_wrapped_at(&self, column: usize) -> bool {
        self.length <= column && column < self.needed
    }
}

/// The column at which the file is wrapped, if it is.
fn column(blocks: &[Vec<Line>]) -> Option<usize> {
    let pairs: Vec<Pair> = blocks
        .iter()
        .flat_map(|lines| lines.windows(2))
        .filter(|pair| pair[0].may_go_on(&pair[1]))
        .map(|pair| Pair::new(&pair[0], &pair[1]))
        .collect();
    let wrapped = |column: usize| pairs.iter().filter(move |pair| pair.is_wrapped_at(column));
    let column = COLUMNS.max_by_key(|&column| wrapped(column).count())?;
    let count = wrapped(column).count();
    let cased = wrapped(column).filter(|pair| pair.has_case).count();
    let small = wrapped(column).filter(|pair| pair.begins_small).count();
    let goes_on = if 2 * cased > count {
        4 * small >= cased && 10 * count >= 3 * pairs.len()
    } else {
        // Without small letters there is less to see.
        5 * count >= 4 * pairs.len() && count > 2
    };
    (count > 1 && goes_on).then_some(column)
}

/// Which lines of a block are joined with the one before in a file that is wrapped at `column`.
fn joined_at(lines: &[Line], column: usize) -> Vec<bool> {
    let pairs: Vec<Option<Pair>> = lines
        .windows(2)
        .map(|pair| {
            pair[0]
                .may_go_on(&pair[1])
                .then(|| Pair::new(&pair[0], &pair[1]))
        })
        .collect();
    let wrapped = |pair: &&Pair| pair.is_wrapped_at(column);
    let num_pairs = pairs.iter().flatten().count();
    let is_wrapped = 2 * pairs.iter().flatten().filter(wrapped).count() >= num_pairs;
    let joined = pairs.iter().zip(lines).map(|(pair, line)| {
        pair.as_ref().is_some_and(|pair| {
            let goes_on = pair.begins_small && !line.is_finished() && 2 * pair.length >= column;
            is_wrapped && pair.is_wrapped_at(column) || goes_on
        })
    });
    std::iter::once(false).chain(joined).collect()
}

/// Which lines of a block are joined with the one before because they read as one sentence.
fn joined_as_read(lines: &[Line]) -> Vec<bool> {
    let may: Vec<bool> = lines
        .windows(2)
        .map(|pair| pair[0].may_go_on(&pair[1]))
        .collect();
    let unfinished = (0..may.len()).filter(|&at| may[at] && !lines[at].is_finished());
    let small = unfinished
        .clone()
        .filter(|&at| lines[at + 1].begins_small());
    let is_prose = 5 * small.count() >= 3 * unfinished.count();
    let mut joined = vec![false; lines.len()];
    let mut start = 0;
    while start < lines.len() {
        let mut end = start;
        while end < may.len() && may[end] && goes_on(&lines[start], &lines[end], &lines[end + 1]) {
            end += 1;
        }
        let is_sentence = lines[end].is_finished() && !lines[start].begins_small();
        let is_item = lines[start].mark > 0;
        if is_item || is_prose && is_sentence && lines[start].quote == 0 {
            joined[start + 1..=end].fill(true);
        }
        start = end + 1;
    }
    joined
}

/// Whether a line of the sentence that begins with `first` continues in `next`.
fn goes_on(first: &Line, line: &Line, next: &Line) -> bool {
    let is_long = line.length() >= SHORTEST || first.hangs(next) || line.is_hyphenated();
    is_long && next.begins_small() && !line.is_finished() && (first.mark == 0 || first.hangs(next))
}

/// Cuts the lines of a block where several of them have gaps that end in the same column.
pub(super) fn cut_columns(lines: &mut [Line]) {
    let gaps: Vec<Vec<(usize, Range<usize>)>> = lines.iter().map(gaps).collect();
    let is_column = |column: usize| {
        let has = |gaps: &&Vec<(usize, Range<usize>)>| gaps.iter().any(|(it, _)| *it == column);
        let count = gaps.iter().filter(has).count();
        let reach = lines.iter().filter(|line| line.length() > column);
        count > 1 && 2 * count >= reach.count()
    };
    let cuts: Vec<Vec<Range<usize>>> = gaps
        .iter()
        .map(|gaps| {
            let kept = gaps.iter().filter(|(column, _)| is_column(*column));
            kept.map(|(_, gap)| gap.clone()).collect()
        })
        .collect();
    for (line, cuts) in lines.iter_mut().zip(cuts) {
        if !cuts.is_empty() && !line.is_table {
            line.cut(cuts);
        }
    }
}

/// The gaps within the text of a line: the column in which each ends, and its bytes.
fn gaps(line: &Line) -> Vec<(usize, Range<usize>)> {
    let text = line.text;
    let mut start = text.len() - line.ink().len();
    let mut gaps = Vec::new();
    while let Some(found) = text[start..].find([' ', '\t']) {
        let begin = start + found;
        let rest = text[begin..].trim_start_matches([' ', '\t']);
        let end = text.len() - rest.len();
        let gap = &text[begin..end];
        let is_after_sentence = gap == "  " && text[..begin].ends_with(['.', '!', '?']);
        if gap.contains('\t') || gap.len() > 1 && !is_after_sentence {
            gaps.push((columns(&text[..end]), begin..end));
        }
        start = end;
    }
    gaps
}

/// How many columns a text takes; a tab goes to the next multiple of eight.
fn columns(text: &str) -> usize {
    let step = |column: usize, c: char| match c {
        '\t' => (column / 8 + 1) * 8,
        _ => column + 1,
    };
    text.chars().fold(0, step)
}

/// How many bytes the marks of a quotation take, with the space between and after them.
fn quote(text: &str) -> usize {
    let mut rest = text;
    while let Some(inner) = rest.trim_start().strip_prefix('>') {
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    text.len() - rest.len()
}

/// How many bytes a list mark takes with the white space around it.
fn list_mark(line: &str) -> usize {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.chars().next() {
        Some(mark @ ('-' | '*' | '+' | '•' | '–' | '·' | '‣' | '▪')) => mark.len_utf8(),
        Some(_) if (1..=3).contains(&digits) && text[digits..].starts_with(['.', ')']) => {
            digits + 1
        }
        Some(letter) if letter.is_ascii_lowercase() && text[1..].starts_with(')') => 2,
        _ => return 0,
    };
    let rest = text[mark..].trim_start();
    if rest.len() == text.len() - mark {
        0
    } else {
        line.len() - rest.len()
    }
}

/// Whether a character is a word by itself to those who wrap lines.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFD}')
}
