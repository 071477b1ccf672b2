//! Merging neighbouring symbols, the best pair first, the leftmost of equals.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A symbol of a text: its bytes, and its neighbours by number.
struct Symbol {
    bytes: Range<usize>,
    previous: Option<usize>,
    next: Option<usize>,
}

/// Merges the characters of `text`, until `rank` has a value for no pair; a larger one is better.
///
/// `rank` gets the text of both symbols and where the second begins in it.
pub(super) fn merge<R: Ord>(
    text: &str,
    rank: impl Fn(&str, usize) -> Option<R>,
) -> Vec<Range<usize>> {
    let characters = text.char_indices();
    let mut symbols: Vec<Symbol> = characters
        .enumerate()
        .map(|(number, (start, character))| Symbol {
            bytes: start..start + character.len_utf8(),
            previous: number.checked_sub(1),
            next: Some(number + 1),
        })
        .collect();
    let Some(last) = symbols.last_mut() else {
        return Vec::new();
    };
    last.next = None;
    let pair = |symbols: &[Symbol], left: usize| {
        let right = symbols[left].next?;
        let bytes = symbols[left].bytes.start..symbols[right].bytes.end;
        let middle = symbols[right].bytes.start - bytes.start;
        Some((
            rank(&text[bytes.clone()], middle)?,
            Reverse(left),
            bytes.end,
        ))
    };
    let mut pairs: BinaryHeap<_> = (0..symbols.len())
        .filter_map(|left| pair(&symbols, left))
        .collect();
    while let Some((_, Reverse(left), end)) = pairs.pop() {
        let is_whole = !symbols[left].bytes.is_empty();
        let Some(right) = symbols[left].next.filter(|_| is_whole) else {
            continue;
        };
        // One of both may have been merged with another meanwhile.
        if symbols[right].bytes.end != end {
            continue;
        }
        symbols[left].bytes.end = end;
        symbols[left].next = symbols[right].next;
        symbols[right].bytes = end..end;
        if let Some(next) = symbols[right].next {
            symbols[next].previous = Some(left);
        }
        pairs.extend(symbols[left].previous.and_then(|left| pair(&symbols, left)));
        pairs.extend(pair(&symbols, left));
    }
    let bytes = symbols.into_iter().map(|it| it.bytes);
    bytes.filter(|bytes| !bytes.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_pair_is_merged_first_and_the_leftmost_of_equals() {
        let ranks = |text: &str, _: usize| match text {
            "ab" => Some(1),
            "bc" => Some(2),
            "abc" => Some(0),
            "aa" => Some(3),
            _ => None,
        };
        let pieces = |text: &str| -> Vec<String> {
            let ranges = merge(text, ranks).into_iter();
            ranges.map(|range| text[range].to_owned()).collect()
        };
        assert_eq!(pieces("abc"), ["abc"]);
        assert_eq!(pieces("aaa"), ["aa", "a"]);
        assert_eq!(pieces("éabé"), ["é", "ab", "é"]);
        assert_eq!(pieces(""), [""; 0]);
    }
}
