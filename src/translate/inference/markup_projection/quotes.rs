//! Quotation marks that a translation has lost.

use std::ops::Range;

use super::source::{Kind, Node, StrippedSource};
use canopy_qa::checks::usual_marks;

/// Marks that open a quotation, and those that end it.
const PAIRS: [(char, &[char]); 10] = [
    ('“', &['”']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('»', &['«', '»']),
    ('”', &['”']),
    ('"', &['"']),
    ('‘', &['’']),
    ('\'', &['\'']),
    ('‚', &['‘', '’']),
    ('‹', &['›']),
];

/// Quoted words of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quoted {
    /// Without the marks.
    range: Range<usize>,
    open: char,
    close: char,
}

/// Whether it is a quotation mark that no apostrophe looks like.
pub(super) fn is_double_mark(character: char) -> bool {
    matches!(
        character,
        '“' | '”' | '„' | '‟' | '«' | '»' | '"' | '「' | '」' | '『' | '』'
    )
}

/// The quotations of a text that hold letters; none within others.
pub(super) fn quoted(text: &str) -> Vec<Quoted> {
    let mut found = Vec::new();
    let mut open: Option<(char, &[char], usize)> = None;
    let mut before = None;
    for (place, character) in text.char_indices() {
        let after = text[place + character.len_utf8()..].chars().next();
        let is_closing = open.is_some_and(|(_, closing, _)| closing.contains(&character))
            && !(matches!(character, '’' | '\'') && is_apostrophe(text, place, character));
        match open {
            Some((mark, _, start)) if is_closing => {
                let inner = &text[start..place];
                let lead = inner.len() - inner.trim_start().len();
                let range = start + lead..start + inner.trim_end().len().max(lead);
                if inner.contains(char::is_alphabetic) {
                    let (open, close) = (mark, character);
                    found.push(Quoted { range, open, close });
                }
                open = None;
            }
            None => {
                let pair = PAIRS.iter().find(|(mark, _)| *mark == character);
                // An inch is not one.
                let may_open = !matches!(character, '"' | '\'')
                    || before.is_none_or(|c: char| !c.is_alphanumeric())
                        && after.is_some_and(|c| !c.is_whitespace());
                open = pair
                    .filter(|_| may_open)
                    .map(|&(mark, closing)| (mark, closing, place + character.len_utf8()));
            }
            Some(_) => {}
        }
        before = Some(character);
    }
    found
}

/// Whether the sign at a place is an apostrophe: within a word, or after an s where a quotation ends later.
fn is_apostrophe(text: &str, place: usize, sign: char) -> bool {
    let (before, after) = (&text[..place], &text[place + sign.len_utf8()..]);
    let ends_later = || {
        let next = after.find(['‘', '’', '\'']);
        next.is_some_and(|next| {
            let end = &after[next..];
            let rest = end.strip_prefix(sign);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    };
    after.starts_with(char::is_alphanumeric)
        || before.ends_with('s') && after.starts_with(' ') && ends_later()
}

/// Whether a translation has fewer quotation marks than its source has around words, and no other ones in their place.
pub(super) fn lacks_marks(source: &str, target: &str) -> bool {
    let num = 2 * quoted(source).len();
    let is_start = |place: usize| !target[..place].ends_with(char::is_alphanumeric);
    let mut single = target.match_indices(['‘', '‚', '‹', '›', '\'', '`']);
    num > target.chars().filter(|&c| is_double_mark(c)).count()
        && !single.any(|(place, _)| is_start(place))
}

/// Makes nodes of the quotations whose marks a translation into a language lacks.
pub(super) fn enclose_lost(source: &mut StrippedSource, target: &str, language: &str) {
    if !lacks_marks(&source.text, target) {
        return;
    }
    let text = source.text.clone();
    for quoted in quoted(&text) {
        let marks = usual_marks(language, (quoted.open, quoted.close));
        enclose(&mut source.nodes, &quoted.range, Kind::Quoted(marks));
    }
}

/// Puts a node around some bytes, unless markup crosses their ends.
fn enclose(nodes: &mut Vec<Node>, range: &Range<usize>, kind: Kind) {
    let holds = |node: &Node| node.range.start <= range.start && range.end <= node.range.end;
    let is_outside = |node: &&mut Node| node.kind.encloses() && holds(node) && node.range != *range;
    if let Some(node) = nodes.iter_mut().find(is_outside) {
        return enclose(&mut node.children, range, kind);
    }
    let is_inside = |node: &Node| range.start <= node.range.start && node.range.end <= range.end;
    let overlaps = |node: &Node| node.range.start < range.end && range.start < node.range.end;
    if nodes.iter().any(|node| overlaps(node) && !is_inside(node)) {
        return;
    }
    let first = nodes.iter().position(is_inside);
    let first = first.unwrap_or_else(|| nodes.partition_point(|it| it.range.end <= range.start));
    let num = nodes[first..]
        .iter()
        .take_while(|node| is_inside(node))
        .count();
    let children: Vec<Node> = nodes.drain(first..first + num).collect();
    nodes.insert(
        first,
        Node {
            kind,
            range: range.clone(),
            is_spaced: [false, false],
            touches_word: false,
            is_break: false,
            is_initial: false,
            children,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_found() {
        let found = |text: &str| {
            let found = quoted(text).into_iter();
            found
                .map(|it| text[it.range].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found("the “Contributor” and „du“ or « lui »"),
            ["Contributor", "du", "lui"]
        );
        assert_eq!(found("a \"file name\", 5\" of 6\" wide"), ["file name"]);
        assert_eq!(found("“open, \"12\" and 5\""), Vec::<String>::new());
        assert_eq!(
            found("the ‘bad bank’, ‘don’t’ and ‘the boys’ room’ isn’t"),
            ["bad bank", "don’t", "the boys’ room"]
        );
        assert_eq!(
            found("the 'bad bank' don't open 5' wide boys' doors"),
            ["bad bank"]
        );
    }

    #[test]
    fn marks_are_lost_where_no_others_stand_for_them() {
        assert!(lacks_marks("a “b” c", "a b c"));
        assert!(!lacks_marks("a “b” c", "a «b» c"));
        assert!(!lacks_marks("a “b” c", "a 'b' c"));
        assert!(lacks_marks("a “b” c", "a b l'c"));
        assert!(!lacks_marks("a b", "a b"));
        assert!(lacks_marks("a ‘b’ c", "a b c"));
        assert!(!lacks_marks("a ‘b’ c", "a “b” c"));
        assert!(!lacks_marks("a ‘b’ c", "a 'b' c"));
        assert!(!lacks_marks("it isn’t b’s", "a b c"));
    }
}
