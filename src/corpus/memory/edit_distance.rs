//! How many words must be put in, left out or replaced to make one sentence of another: Levenshtein 1966.

/// Edit distance of two sentences in words; computes the table row by row.
pub(super) fn edit_distance(one: &[u32], other: &[u32]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (before, word) in one.iter().enumerate() {
        let mut corner = row[0];
        row[0] = before + 1;
        for (at, other_word) in other.iter().enumerate() {
            let replaced = corner + usize::from(word != other_word);
            corner = row[at + 1];
            row[at + 1] = replaced.min(corner + 1).min(row[at] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn distances_are_those_of_the_textbook() {
        let ids = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
        for (one, other, expected) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abcd", "abcd", 0),
            ("abcd", "bcda", 2),
        ] {
            assert_eq!(
                edit_distance(&ids(one), &ids(other)),
                expected,
                "{one} {other}"
            );
        }
    }
}
