//! The tokenisation `intl` of mteval-v14, as sacrebleu has it.
//!
//! A stop after a number at the end of a text stays with the number: an error of mteval-v14 that sacrebleu keeps.

use unicode_properties::{GeneralCategoryGroup as Group, UnicodeGeneralCategory};

use super::{set_apart, split_pairs, words_of_chars};

pub(super) fn tokenize(text: &str) -> Vec<String> {
    let is = |group: Group| move |c: char| c.general_category_group() == group;
    let is_not_number = |c: char| c.general_category_group() != Group::Number;
    let text: Vec<char> = text.chars().collect();
    let split = split_pairs(
        &text,
        is_not_number,
        is(Group::Punctuation),
        [false, true, true],
    );
    let split = split_pairs(
        &split,
        is(Group::Punctuation),
        is_not_number,
        [true, true, false],
    );
    words_of_chars(&set_apart(split, is(Group::Symbol)))
}
