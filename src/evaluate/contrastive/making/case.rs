//! The case of a German pronoun for `it`, and what keeps `it` and `es` from standing for a noun.

use super::words::Word;

/// German prepositions with the dative, after which `ihr` alone is the pronoun.
pub(super) const TAKE_DATIVE: [&str; 6] = ["mit", "von", "zu", "bei", "aus", "nach"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Nominative,
    Accusative,
    Dative,
}

impl Case {
    pub(super) fn forms(self) -> &'static [&'static str] {
        match self {
            Self::Nominative => &["er", "sie", "es"],
            Self::Accusative => &["ihn", "sie", "es"],
            Self::Dative => &["ihm", "ihr"],
        }
    }
}

/// The case of the German pronoun: by its form, or by what `it` is in the English sentence.
pub(super) fn case(
    source: &[Word],
    it: usize,
    before: Option<&str>,
    pronoun: &str,
) -> Option<Case> {
    let takes_dative = before.is_some_and(|word| TAKE_DATIVE.contains(&word));
    match pronoun {
        "er" => return Some(Case::Nominative),
        "ihn" => return Some(Case::Accusative),
        "ihm" | "ihr" => return takes_dative.then_some(Case::Dative),
        _ => {}
    }
    let next = source
        .get(it + 1)
        .filter(|word| !word.after_mark)
        .map(Word::lower);
    let previous = it.checked_sub(1).map(|at| source[at].lower());
    let after_preposition = previous
        .as_deref()
        .is_some_and(|word| PREPOSITIONS.contains(&word));
    if after_preposition {
        let takes_accusative = matches!(before, Some("für" | "durch" | "ohne" | "gegen" | "um"));
        return takes_accusative.then_some(Case::Accusative);
    }
    match next.as_deref() {
        Some(next) if is_verb(next) => Some(Case::Nominative),
        Some(next) if PREPOSITIONS.contains(&next) || AFTER_OBJECTS.contains(&next) => {
            previous.map(|_| Case::Accusative)
        }
        Some(_) => None,
        None => previous.map(|_| Case::Accusative),
    }
}

const PREPOSITIONS: [&str; 16] = [
    "in", "on", "to", "of", "with", "for", "from", "by", "into", "at", "about", "over", "under",
    "as", "within", "through",
];
const AFTER_OBJECTS: [&str; 10] = [
    "and", "or", "if", "when", "while", "again", "so", "before", "after", "manually",
];

/// Whether an English word after `it` is the finite verb of which `it` is the subject.
fn is_verb(word: &str) -> bool {
    const AUXILIARIES: [&str; 16] = [
        "is", "was", "has", "had", "does", "did", "will", "would", "can", "cannot", "could", "may",
        "might", "must", "should", "shall",
    ];
    const NO_VERBS: [&str; 6] = ["its", "this", "always", "us", "as", "perhaps"];
    AUXILIARIES.contains(&word)
        || (word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !NO_VERBS.contains(&word))
}

/// Whether `it` stands for a clause that follows (`it is possible to …`, `it seems that …`) or for nothing (`it is a
/// pity`).
pub(super) fn is_expletive(source: &[Word], it: usize) -> bool {
    const VERBS: [&str; 9] = [
        "is", "was", "be", "seems", "appears", "turns", "means", "takes", "makes",
    ];
    const NOUNS: [&str; 8] = ["a", "an", "the", "my", "our", "your", "time", "not"];
    const CLAUSES: [&str; 9] = [
        "to", "that", "if", "whether", "when", "how", "what", "why", "who",
    ];
    let clause = source[it + 1..].iter().take_while(|word| !word.after_mark);
    let following: Vec<String> = clause.take(6).map(Word::lower).collect();
    let verb = following
        .iter()
        .take(2)
        .position(|word| VERBS.contains(&word.as_str()));
    let Some(after) = verb.map(|verb| &following[verb + 1..]) else {
        return false;
    };
    let is_purpose = after.first().is_some_and(|word| word == "used");
    let is = |word: Option<&String>, list: &[&str]| {
        word.is_some_and(|word| list.contains(&word.as_str()))
    };
    is(after.first(), &NOUNS) || (!is_purpose && after.iter().any(|word| is(Some(word), &CLAUSES)))
}

/// Whether a German word is a verb of the plural, so that `sie` may be the plural too.
pub(super) fn is_plural(word: &Word) -> bool {
    const PLURAL: [&str; 14] = [
        "sind", "werden", "können", "haben", "sollen", "müssen", "wurden", "waren", "dürfen",
        "sollten", "könnten", "würden", "hatten", "wollen",
    ];
    PLURAL.contains(&word.lower().as_str())
}

/// Whether `es` belongs to an expression: `es gibt`, `handelt es sich`, `es sei denn`.
pub(super) fn has_fixed_es(target: &[Word], at: usize) -> bool {
    const FIXED: &str = "gibt handelt sei geht gilt empfiehlt bedarf heißt lohnt kommt gab ging";
    let around = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    let mut around = around.filter_map(|at| target.get(at));
    around.any(|word| FIXED.split(' ').any(|fixed| fixed == word.lower()))
}
