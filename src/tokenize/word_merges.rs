//! BPE of whole words, as the scripts of subword-nmt write and apply it: pieces within a word end in `@@`.
//!
//! Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", ACL 2016, Algorithm 1.

use std::collections::HashMap;

/// Marks the end of a word, as in the file.
const END: &str = "</w>";

/// Ends a piece that does not end its word.
pub(super) const GOES_ON: &str = "@@";

/// Merges in the order in which they are done.
#[derive(Debug, Clone)]
pub struct WordMerges {
    ranks: HashMap<(String, String), usize>,
    /// Whether the end of a word is a symbol of its own at first, as in version 0.1.
    end_is_symbol: bool,
}

impl WordMerges {
    /// Merges of a file of codes: a merge per line, possibly after a line with the version.
    ///
    /// # Errors
    /// If a line has not two symbols; the text says which.
    pub fn new(codes: &str) -> Result<Self, String> {
        let mut lines = codes.lines().enumerate().peekable();
        let version = lines.next_if(|(_, line)| line.starts_with("#version:"));
        let end_is_symbol = version.is_none_or(|(_, line)| line.contains("0.1"));
        let mut ranks = HashMap::new();
        for (number, line) in lines {
            let mut symbols = line.split_whitespace();
            match (symbols.next(), symbols.next()) {
                (None, _) => {}
                (Some(left), Some(right)) => {
                    let rank = ranks.len();
                    // The first of equal ones counts.
                    ranks
                        .entry((left.to_owned(), right.to_owned()))
                        .or_insert(rank);
                }
                (Some(_), None) => {
                    return Err(format!(
                        "line {} of the BPE codes has not two symbols",
                        number + 1
                    ));
                }
            }
        }
        Ok(Self {
            ranks,
            end_is_symbol,
        })
    }

    /// The pieces of a word with the length of each in bytes of it.
    pub fn cut(&self, word: &str) -> Vec<(String, usize)> {
        let mut symbols: Vec<String> = word.chars().map(String::from).collect();
        match symbols.last_mut() {
            Some(_) if self.end_is_symbol => symbols.push(END.to_owned()),
            Some(last) => last.push_str(END),
            None => return Vec::new(),
        }
        while let Some(rank) = self.first_merge(&symbols) {
            let mut merged: Vec<String> = Vec::with_capacity(symbols.len());
            let mut rest = symbols.into_iter().peekable();
            while let Some(symbol) = rest.next() {
                let next = rest.next_if(|next| self.rank(&symbol, next) == Some(rank));
                merged.push(symbol + &next.unwrap_or_default());
            }
            symbols = merged;
        }
        if symbols.last().is_some_and(|last| last == END) {
            symbols.pop();
        }
        let num = symbols.len();
        let piece = |(place, symbol): (usize, String)| {
            let text = symbol.strip_suffix(END).unwrap_or(&symbol);
            let ending = if place + 1 < num { GOES_ON } else { "" };
            (format!("{text}{ending}"), text.len())
        };
        symbols.into_iter().enumerate().map(piece).collect()
    }

    fn rank(&self, left: &str, right: &str) -> Option<usize> {
        self.ranks
            .get(&(left.to_owned(), right.to_owned()))
            .copied()
    }

    /// The merge of the symbols that is done first.
    fn first_merge(&self, symbols: &[String]) -> Option<usize> {
        let pairs = symbols.windows(2);
        pairs.filter_map(|pair| self.rank(&pair[0], &pair[1])).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(codes: &str, word: &str) -> String {
        let merges = WordMerges::new(codes).expect("codes");
        let pieces = merges.cut(word).into_iter();
        pieces.map(|(piece, _)| piece).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn merges_are_done_in_their_order() {
        let codes = "#version: 0.2\nl o\nlo w</w>\ne r</w>\nn e\n";
        assert_eq!(cut(codes, "low"), "low");
        assert_eq!(cut(codes, "lower"), "lo@@ w@@ er");
        assert_eq!(cut(codes, "newer"), "ne@@ w@@ er");
        assert_eq!(cut(codes, "ä"), "ä");
        assert_eq!(
            cut("l o\nlo w\nlow </w>\n", "low"),
            "low",
            "the first version"
        );
        assert_eq!(cut("l o\n", "lol"), "lo@@ l");
        assert_eq!(cut(codes, ""), "");
        assert!(WordMerges::new("#version: 0.2\na\n").is_err());
    }

    #[test]
    fn lengths_are_those_of_the_word() {
        let merges = WordMerges::new("#version: 0.2\nö ß\n").expect("codes");
        let lengths: Vec<usize> = merges
            .cut("größer")
            .into_iter()
            .map(|(_, length)| length)
            .collect();
        assert_eq!(lengths, [1, 1, 4, 1, 1]);
    }
}
