//! Labels that do not touch each other.

/// The labels that fit side by side: the most important ones, each `length` pixels long around its centre.
/// Indices ascend.
pub(super) fn thinned(labels: &[(f64, f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|&a, &b| labels[b].2.total_cmp(&labels[a].2).then(a.cmp(&b)));
    let mut taken: Vec<(f64, f64, usize)> = Vec::new();
    for index in order {
        let (centre, length, _) = labels[index];
        let (from, to) = (centre - length / 2.0, centre + length / 2.0);
        let place = taken.partition_point(|&(start, ..)| start < from);
        let clear_left = place == 0 || taken[place - 1].1 <= from;
        let clear_right = taken.get(place).is_none_or(|&(start, ..)| start >= to);
        if clear_left && clear_right {
            taken.insert(place, (from, to, index));
        }
    }
    taken.into_iter().map(|(.., index)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn important_labels_stay_and_none_touches_another() {
        let labels: Vec<(f64, f64, f64)> = (0..100_u8)
            .map(|index| (f64::from(index) * 3.0, 11.0, f64::from(index % 7)))
            .collect();
        let kept = thinned(&labels);
        assert!(kept.len() > 12);
        for pair in kept.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|index| labels[index].0);
            assert!(b - a >= 11.0, "{a} {b}");
        }
        assert!(kept.contains(&6), "one of the most important");
        let far: Vec<_> = labels
            .iter()
            .map(|label| (label.0 * 9.0, 11.0, 0.0))
            .collect();
        assert_eq!(thinned(&far).len(), 100);
    }
}
