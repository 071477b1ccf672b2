//! How much rows of a map differ from each other.

use super::map::WeightMap;

/// Mean Jensen–Shannon divergence of all pairs of rows, in bits: 0 if every word looks at the same keys with the same
/// weights, 1 if no two words share a key; `None` for less than two rows that have weight.
///
/// It puts one number on what the figures of two models show to the eye: maps whose rows are alike (bands from top to
/// bottom) against maps whose words look at different places. Lin, "Divergence Measures Based on the Shannon Entropy",
/// IEEE Transactions on Information Theory 37(1), 1991, Eq. 3.5 with both weights 1/2. Rows are divided by their sum first;
/// what was dropped counts as one more key, which can only make rows more alike: with a rest the number is a lower bound.
#[expect(clippy::cast_precision_loss, reason = "pairs of a sentence's words")]
pub fn row_divergence(map: &WeightMap) -> Option<f64> {
    let rows: Vec<Vec<f64>> = map.dense().filter_map(normalised).collect();
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

fn normalised(row: Vec<f64>) -> Option<Vec<f64>> {
    let sum: f64 = row.iter().sum();
    (sum > 0.0).then(|| row.iter().map(|weight| weight / sum).collect())
}

/// In bits.
fn jensen_shannon(a: &[f64], b: &[f64]) -> f64 {
    let term = |p: f64, mean: f64| if p > 0.0 { p * (p / mean).log2() } else { 0.0 };
    let pairs = a.iter().zip(b);
    let sum: f64 = pairs
        .map(|(&p, &q)| {
            let mean = f64::midpoint(p, q);
            term(p, mean) + term(q, mean)
        })
        .sum();
    (sum / 2.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: &[&[(u32, f32)]], rest: &[f32]) -> WeightMap {
        WeightMap {
            cells: rows.iter().map(|row| row.to_vec()).collect(),
            rest: rest.to_vec(),
            elsewhere: vec![0.0; rest.len()],
            columns: vec![Default::default(); 4],
            ..WeightMap::default()
        }
    }

    #[test]
    fn equal_rows_do_not_differ_and_disjoint_ones_differ_by_one_bit() {
        let equal: &[(u32, f32)] = &[(0, 0.25), (2, 0.75)];
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        let divergence = |rows: &[&[(u32, f32)]]| {
            row_divergence(&map(rows, &vec![0.0; rows.len()])).expect("two rows")
        };
        close(divergence(&[equal, equal, equal]), 0.0);
        close(divergence(&[equal, &[(1, 1.0)]]), 1.0);
        // One of two halves in common: ½ · ½ · log2(…): 1 - ½ = ½ bit.
        close(
            divergence(&[&[(0, 0.5), (1, 0.5)], &[(0, 0.5), (2, 0.5)]]),
            0.5,
        );
        // Three rows, two of them equal: two of three pairs differ.
        close(divergence(&[equal, equal, &[(1, 1.0)]]), 2.0 / 3.0);
    }

    #[test]
    fn the_rest_is_one_more_key() {
        let rows: [&[(u32, f32)]; 2] = [&[(0, 0.5)], &[(1, 0.5)]];
        let divergence = row_divergence(&map(&rows, &[0.5, 0.5])).expect("two rows");
        assert!((divergence - 0.5).abs() < 1e-6);
        assert_eq!(row_divergence(&map(&[&[], &[(1, 1.0)]], &[0.0, 0.0])), None);
    }
}
