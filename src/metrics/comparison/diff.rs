//! Which words two translations of the same segment have in common.

use serde::Serialize;

/// The fate of some words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Both texts have them.
    Kept,
    /// Only the first text has them.
    Removed,
    /// Only the second text has them.
    Added,
}

/// Words in a row that share a fate, with single spaces between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// The fate that the words share.
    pub change: Change,
    /// The words.
    pub text: String,
}

/// The way from `before` to `after` that keeps the most words; removed ones are before those added in their place.
pub fn word_diff(before: &str, after: &str) -> Vec<Piece> {
    let before: Vec<&str> = before.split_whitespace().collect();
    let after: Vec<&str> = after.split_whitespace().collect();
    let common = longest_common(&before, &after);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut push = |change, word: &str| match pieces.last_mut() {
        Some(piece) if piece.change == change => {
            piece.text.push(' ');
            piece.text.push_str(word);
        }
        _ => pieces.push(Piece {
            change,
            text: word.to_owned(),
        }),
    };
    let (mut left, mut right) = (0, 0);
    while left < before.len() || right < after.len() {
        let both = left < before.len() && right < after.len();
        if both && before[left] == after[right] {
            push(Change::Kept, before[left]);
            (left, right) = (left + 1, right + 1);
        } else if left < before.len() && common[left + 1][right] >= common[left][right] {
            push(Change::Removed, before[left]);
            left += 1;
        } else if right < after.len() {
            push(Change::Added, after[right]);
            right += 1;
        } else {
            push(Change::Removed, before[left]);
            left += 1;
        }
    }
    pieces
}

/// Words that the rests of both texts can have in common, `[before + 1][after + 1]`.
fn longest_common(before: &[&str], after: &[&str]) -> Vec<Vec<usize>> {
    let mut common = vec![vec![0; after.len() + 1]; before.len() + 1];
    for left in (0..before.len()).rev() {
        for right in (0..after.len()).rev() {
            common[left][right] = if before[left] == after[right] {
                common[left + 1][right + 1] + 1
            } else {
                common[left + 1][right].max(common[left][right + 1])
            };
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let mark = |piece: &Piece| match piece.change {
            Change::Kept => piece.text.clone(),
            Change::Removed => format!("-{}-", piece.text),
            Change::Added => format!("+{}+", piece.text),
        };
        let pieces = word_diff(before, after);
        pieces.iter().map(mark).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_both_have_is_kept() {
        assert_eq!(shown("a b c d", "a x y d"), "a -b c- +x y+ d");
        assert_eq!(shown("a b", "a  b"), "a b");
        assert_eq!(shown("", "a"), "+a+");
        assert_eq!(shown("a b", ""), "-a b-");
        assert_eq!(shown("b a b", "a b a"), "-b- a b +a+");
    }
}
