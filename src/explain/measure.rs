//! How much rows of a map differ from each other, and how alike two rankings are.

/// Mean Jensen–Shannon divergence of all pairs of rows, in bits: 0 if every word looks at the same keys with the same
/// weights, 1 if no two words share a key; `None` for less than two rows that have weight.
///
/// It puts one number on what the figures of two models show to the eye: maps whose rows are alike (bands from top to
/// bottom) against maps whose words look at different places. Lin, "Divergence Measures Based on the Shannon Entropy",
/// IEEE Transactions on Information Theory 37(1), 1991, Eq. 3.5 with both weights 1/2. Rows are divided by their sum first;
/// what was dropped counts as one more key, which can only make rows more alike: with a rest the number is a lower bound.
///
/// Each row is `(weights by key, ascending; rest)`.
pub fn row_divergence<'a>(rows: impl IntoIterator<Item = (&'a [(u32, f32)], f32)>) -> Option<f64> {
    let rows: Vec<Vec<(u32, f64)>> = rows.into_iter().filter_map(normalised).collect();
    let mut sum = 0.0;
    let mut pairs = 0_usize;
    for (index, a) in rows.iter().enumerate() {
        for b in &rows[index + 1..] {
            sum += jensen_shannon(a, b);
            pairs += 1;
        }
    }
    (pairs > 0).then(|| sum / pairs as f64)
}

/// Shares of the row's sum, the rest as its last key.
fn normalised((row, rest): (&[(u32, f32)], f32)) -> Option<Vec<(u32, f64)>> {
    let keys = row.iter().copied().chain([(u32::MAX, rest)]);
    let keys: Vec<(u32, f64)> = keys.map(|(key, weight)| (key, weight.into())).collect();
    let sum: f64 = keys.iter().map(|&(_, weight)| weight).sum();
    let share = |(key, weight)| (key, weight / sum);
    (sum > 0.0).then(|| keys.into_iter().map(share).collect())
}

/// In bits.
fn jensen_shannon(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    // Where only one has weight, its term is p · log2(p / (p / 2)) = p; so begin with all of both and correct the shared.
    let mut sum = 2.0;
    let mut others = b.iter().peekable();
    for &(key, p) in a {
        while others.next_if(|&&(other, _)| other < key).is_some() {}
        let Some(&(_, q)) = others.next_if(|&&(other, _)| other == key) else {
            continue;
        };
        let mean = f64::midpoint(p, q);
        let term = |p: f64| {
            if p > 0.0 { p * (p / mean).log2() } else { 0.0 }
        };
        sum += term(p) + term(q) - p - q;
    }
    (sum / 2.0).clamp(0.0, 1.0)
}

/// Spearman's rank correlation, −1 to 1, of two numbers of each of some things: Pearson's of their ranks, where equal numbers
/// share their mean rank. `None` for less than three things, or where all have the same number.
///
/// Spearman, "The Proof and Measurement of Association between Two Things", American Journal of Psychology 15(1), 1904.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 3 {
        return None;
    }
    let one = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let other = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    // The mean of any ranks.
    let mean = f64::midpoint(pairs.len() as f64, 1.0);
    let product = |a: &[f64], b: &[f64]| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let spread = (product(&one, &one) * product(&other, &other)).sqrt();
    (spread > 0.0).then(|| product(&one, &other) / spread)
}

/// Ranks from 1 on.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for same in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let rank = before as f64 + f64::midpoint(same.len() as f64, 1.0);
        for &place in same {
            ranks[place] = rank;
        }
        before += same.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate_whatever_the_distances_and_equal_numbers_share_theirs() {
        let correlation = |pairs: &[(f64, f64)]| rank_correlation(pairs);
        close(correlation(&[(0.0, 1.0), (1.0, 5.0), (2.0, 900.0)]), 1.0);
        close(correlation(&[(0.0, 3.0), (1.0, 2.0), (9.0, -7.0)]), -1.0);
        // SciPy: spearmanr([1, 2, 2, 4], [4, 1, 2, 3]) is −0.3162.
        let ties = [(1.0, 4.0), (2.0, 1.0), (2.0, 2.0), (4.0, 3.0)];
        close(correlation(&ties), -0.316_227_766);
        assert_eq!(correlation(&[(0.0, 1.0), (1.0, 2.0)]), None, "two");
        assert_eq!(correlation(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    }

    fn divergence(rows: &[&[(u32, f32)]], rest: f32) -> Option<f64> {
        row_divergence(rows.iter().map(|row| (*row, rest)))
    }

    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("two rows");
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    #[test]
    fn equal_rows_do_not_differ_and_disjoint_ones_differ_by_one_bit() {
        let equal: &[(u32, f32)] = &[(0, 0.25), (2, 0.75)];
        close(divergence(&[equal, equal, equal], 0.0), 0.0);
        close(divergence(&[equal, &[(1, 1.0)]], 0.0), 1.0);
        // One of two halves in common.
        let halves: [&[(u32, f32)]; 2] = [&[(0, 0.5), (1, 0.5)], &[(0, 0.5), (2, 0.5)]];
        close(divergence(&halves, 0.0), 0.5);
        // Three rows, two of them equal: two of three pairs differ.
        close(divergence(&[equal, equal, &[(1, 1.0)]], 0.0), 2.0 / 3.0);
        // ½ · (log2(1 / ¾) + ½ · log2(½ / ¾) + ½ · log2(½ / ¼))
        let half: [&[(u32, f32)]; 2] = [&[(3, 1.0)], &[(3, 0.5), (4, 0.5)]];
        close(divergence(&half, 0.0), 0.311_278_124);
    }

    #[test]
    fn the_rest_is_one_more_key_and_empty_rows_are_left_out() {
        close(divergence(&[&[(0, 0.5)], &[(1, 0.5)]], 0.5), 0.5);
        assert_eq!(divergence(&[&[], &[(1, 1.0)]], 0.0), None);
    }
}
