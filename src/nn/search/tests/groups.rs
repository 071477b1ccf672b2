//! Which sentences are searched together.

use super::*;

#[test]
fn every_group_has_the_wanted_sentences_of_its_own_in_their_order() {
    let vocabulary = vocabulary();
    let model = model(&vocabulary, HAN, MemorySource::Live);
    let mut text = text(
        &vocabulary,
        40,
        (0..40).map(|number| number * 7 % 40).collect(),
    );
    text.documents = vec![0..1, 1..2, 2..30, 30..30, 30..33, 33..40];
    let mut ignore = |_: SearchEvent| ControlFlow::<()>::Continue(());
    let options = options();
    let mut search = DocumentSearch::new(&model, &vocabulary, &text, &options, &mut ignore);
    search.largest = 80;
    let groups = search.wanted_groups();
    assert!(groups.len() > 3, "{groups:?}");
    for (group, wanted) in &groups {
        let is_own = |number: &usize| group.iter().any(|window| window.own.contains(number));
        let expected = text.wanted.iter().copied().filter(is_own);
        assert!(expected.eq(wanted.iter().copied()), "{group:?}: {wanted:?}");
    }
    let count: usize = groups.iter().map(|(_, wanted)| wanted.len()).sum();
    assert_eq!(count, 40);
}
