//! Which words two versions of a text do not share.

/// Words between white space, and for each whether it is not in the other text: those of `before`, and those of `after`.
///
/// What both share is their longest common subsequence. Takes time and memory in the product of the lengths: for sentences.
pub fn word_changes<'a>(before: &'a str, after: &'a str) -> [Vec<(&'a str, bool)>; 2] {
    let [before, after] = [before, after].map(|text| text.split_whitespace().collect::<Vec<_>>());
    // `common[i][j]`: length of the longest common subsequence of `before[i..]` and `after[j..]`.
    let mut common = vec![vec![0_u32; after.len() + 1]; before.len() + 1];
    for i in (0..before.len()).rev() {
        for j in (0..after.len()).rev() {
            common[i][j] = if before[i] == after[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let all = |words: &[&'a str]| words.iter().map(|&word| (word, true)).collect();
    let mut changes: [Vec<(&str, bool)>; 2] = [all(&before), all(&after)];
    let (mut i, mut j) = (0, 0);
    while i < before.len() && j < after.len() {
        if before[i] == after[j] {
            (changes[0][i].1, changes[1][j].1) = (false, false);
            (i, j) = (i + 1, j + 1);
        } else if common[i + 1][j] >= common[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_both_share_are_not_changes() {
        let [before, after] = word_changes("Klicken Sie auf sie .", "Klicken Sie jetzt auf ihn .");
        let changed = |words: &[(&str, bool)]| -> Vec<String> {
            let words = words.iter().filter(|word| word.1);
            words.map(|word| word.0.to_owned()).collect()
        };
        assert_eq!(changed(&before), ["sie"]);
        assert_eq!(changed(&after), ["jetzt", "ihn"]);
        assert_eq!(after.len(), 6);
        assert!(word_changes("", "").concat().is_empty());
    }
}
