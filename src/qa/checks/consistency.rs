//! One source with several translations, and one translation of several sources.

use std::collections::HashMap;

use super::Pair;

/// The findings: number of a segment, and with which other one it disagrees.
pub(super) fn inconsistent(pairs: &[Pair]) -> Vec<(usize, String)> {
    let mut findings = disagreeing(
        pairs,
        |pair| &pair.source,
        |pair| &pair.target,
        "translated otherwise in",
    );
    findings.extend(disagreeing(
        pairs,
        |pair| &pair.target,
        |pair| &pair.source,
        "the translation of another source in",
    ));
    findings
}

fn disagreeing<'p>(
    pairs: &'p [Pair],
    same: impl Fn(&'p Pair) -> &'p String,
    other: impl Fn(&'p Pair) -> &'p String,
    message: &str,
) -> Vec<(usize, String)> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut findings = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let (text, others) = (same(pair).trim(), other(pair).trim());
        if text.is_empty() || others.is_empty() {
            continue;
        }
        let before = *first.entry(text).or_insert(number);
        if other(&pairs[before]).trim() != others {
            findings.push((number, format!("{message} segment {}", before + 1)));
        }
    }
    findings
}
