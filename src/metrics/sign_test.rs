//! Whether one of two is preferred more often than chance would have it.

/// Two-sided sign test: how probable so uneven a count is if each of `wins + losses + ties` judgements is a fair coin. Ties
/// are split between the sides, as in Maruf, Martins & Haffari, NAACL 2019; the odd one of an odd number is left out. 1 if
/// there is no judgement.
pub fn sign_test(wins: u64, losses: u64, ties: u64) -> f64 {
    let (wins, losses) = (wins + ties / 2, losses + ties / 2);
    let (count, least) = (wins + losses, wins.min(losses));
    // Σ C(n, k) / 2ⁿ, with logarithms: n may be in the thousands.
    let mut ln_choose = 0.0;
    let mut sum = 0.0;
    for k in 0..=least {
        if k > 0 {
            ln_choose += ((count - k + 1) as f64 / k as f64).ln();
        }
        sum += (ln_choose - count as f64 * std::f64::consts::LN_2).exp();
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_the_paper() {
        assert!((sign_test(39, 15, 0) - 0.0015).abs() < 5e-5);
        assert!((sign_test(38, 16, 0) - 0.0038).abs() < 5e-5);
        assert!((sign_test(30, 6, 18) - sign_test(39, 15, 0)).abs() < 1e-12);
    }

    #[test]
    fn an_even_count_is_chance_and_an_uneven_one_of_many_is_not() {
        assert!((sign_test(0, 0, 0) - 1.0).abs() < 1e-12);
        assert!((sign_test(5, 5, 0) - 1.0).abs() < 1e-12);
        assert!((sign_test(2, 0, 0) - 0.5).abs() < 1e-12);
        assert!(sign_test(3_000, 2_500, 0) < 1e-10);
    }
}
