//! A batch in parts, one for each device.

use std::cmp::Reverse;
use std::ops::Range;

use super::batch::{Example, ExampleSet};
use canopy_nn::model::Batch;

/// `whole`, the batch of the examples in `runs`, in up to `count` parts of about as many tokens; a run stays whole, and
/// what is hidden in `whole` is hidden in its part.
pub(super) fn shards(
    examples: &ExampleSet,
    runs: &[Range<usize>],
    whole: Batch,
    count: usize,
) -> Vec<Batch> {
    if count == 1 {
        return vec![whole];
    }
    let tokens = runs.iter().map(|run| {
        let examples = examples.examples[run.clone()].iter();
        examples.map(Example::both_rows).sum()
    });
    let parts = balanced(&tokens.collect::<Vec<usize>>(), count).into_iter();
    let part = |numbers: Vec<usize>| {
        let own: Vec<Range<usize>> = numbers.iter().map(|&number| runs[number].clone()).collect();
        let mut part = examples.batch(&own);
        part.source.ids = numbers
            .iter()
            .flat_map(|&number| &whole.source.ids[rows(&whole, number)])
            .copied()
            .collect();
        part
    };
    parts.map(part).collect()
}

/// Source rows of a document of the batch.
fn rows(batch: &Batch, document: usize) -> Range<usize> {
    let sentences = &batch.source.sentences[batch.source.documents[document].clone()];
    let (first, last) = (sentences.first(), sentences.last());
    first.map_or(0, |rows| rows.start)..last.map_or(0, |rows| rows.end)
}

/// The numbers of all `sizes` in up to `count` parts, none of them empty: the largest first, each to the part that is
/// smallest so far.
fn balanced(sizes: &[usize], count: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&number| Reverse(sizes[number]));
    let mut parts = vec![(0, Vec::new()); count.min(sizes.len())];
    for number in order {
        let smallest = parts.iter_mut().min_by_key(|(sum, _)| *sum);
        if let Some((sum, part)) = smallest {
            *sum += sizes[number].max(1);
            part.push(number);
        }
    }
    let sorted = |(_, mut part): (usize, Vec<usize>)| {
        part.sort_unstable();
        part
    };
    parts.into_iter().map(sorted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_about_one_size_and_hold_everything_once() {
        assert_eq!(
            balanced(&[7, 1, 5, 4, 1], 2),
            [vec![0, 1, 4], vec![2, 3]],
            "9 and 9"
        );
        assert_eq!(balanced(&[3, 9], 4), [vec![1], vec![0]]);
        let sizes: Vec<usize> = (0..97).map(|number| number * 31 % 17).collect();
        let parts = balanced(&sizes, 5);
        let sums = parts
            .iter()
            .map(|part| part.iter().map(|&number| sizes[number]).sum());
        let sums: Vec<usize> = sums.collect();
        let (least, most) = (sums.iter().min(), sums.iter().max());
        assert!(
            most.zip(least)
                .is_some_and(|(most, least)| most - least <= 17)
        );
        let mut all = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..97).collect::<Vec<_>>());
    }
}
