//! Full stops that do not end a sentence: abbreviations, initials, ordinal numbers.
//!
//! The lists follow the sentence-break suppressions of CLDR for English and German, sorted by what may follow.

use super::segment::is_opening;

struct Lists {
    language: &'static str,
    /// A sentence never ends here.
    always: &'static [&'static str],
    /// A sentence does not end here if a number follows.
    before_number: &'static [&'static str],
    /// A sentence ends here only if a word follows that usually begins one.
    unless_starter: &'static [&'static str],
    /// Words that usually begin a sentence.
    starters: &'static [&'static str],
}

const ENGLISH: Lists = Lists {
    language: "en",
    always: &[
        "Adm", "Brig", "Capt", "Cmdr", "Col", "Dr", "Drs", "Gen", "Gov", "Hon", "Lt", "Maj",
        "Messrs", "Mlle", "Mme", "Mr", "Mrs", "Ms", "Msgr", "Mt", "Pres", "Prof", "Rep", "Rev",
        "Sen", "Sgt", "St", "Supt", "approx", "cf", "e.g", "eg", "i.e", "ie", "resp", "viz", "vs",
    ],
    before_number: &[
        "Apr", "Art", "Aug", "Ch", "Chap", "Dec", "Eq", "Eqs", "Feb", "Fig", "Figs", "Jan", "Jul",
        "Jun", "Mar", "No", "Nos", "Nov", "Nr", "Oct", "Op", "Sec", "Sect", "Sep", "Sept", "Tab",
        "Vol", "Vols", "art", "ch", "ed", "fig", "figs", "no", "nos", "p", "pp", "vol",
    ],
    unless_starter: &[
        "Ave", "Bros", "Co", "Corp", "Dept", "Est", "Esq", "Inc", "Jr", "Ltd", "Ph.D", "Sr", "al",
        "dept", "est", "incl", "a.m", "p.m",
    ],
    starters: &[
        "A",
        "After",
        "All",
        "Also",
        "An",
        "And",
        "Any",
        "As",
        "At",
        "Because",
        "Before",
        "But",
        "By",
        "Choose",
        "Click",
        "Do",
        "Each",
        "Enter",
        "Every",
        "For",
        "From",
        "He",
        "Here",
        "How",
        "However",
        "I",
        "If",
        "In",
        "Instead",
        "It",
        "Its",
        "No",
        "Now",
        "On",
        "Once",
        "One",
        "Only",
        "Open",
        "Or",
        "Otherwise",
        "Press",
        "See",
        "Select",
        "She",
        "Since",
        "So",
        "Some",
        "Such",
        "That",
        "The",
        "Then",
        "There",
        "Therefore",
        "These",
        "They",
        "This",
        "Those",
        "Thus",
        "To",
        "Type",
        "Use",
        "We",
        "What",
        "When",
        "Where",
        "Which",
        "While",
        "Who",
        "Why",
        "With",
        "You",
        "Your",
    ],
};

const GERMAN: Lists = Lists {
    language: "de",
    always: &[
        "Dipl", "Dr", "Fa", "Fr", "Hr", "Hrn", "Hrsg", "Ing", "Mrd", "Mio", "Nr", "Nrn", "Prof",
        "St", "Str", "Tsd", "a.M", "abzgl", "allg", "bes", "bspw", "bzgl", "bzw", "ca", "d.h",
        "d.i", "dgl", "einschl", "entspr", "etw", "evtl", "exkl", "ggf", "ggfs", "h.c", "i.A",
        "i.Allg", "i.d.R", "i.e.S", "i.S.v", "i.V", "inkl", "insb", "insbes", "jew", "lt", "m.E",
        "max", "mind", "n.Chr", "o.g", "s.a", "s.o", "s.u", "sog", "u.U", "u.a", "ugs", "urspr",
        "v.Chr", "v.a", "vgl", "vs", "z.B", "z.T", "z.Zt", "zz", "zzgl",
    ],
    before_number: &[
        "Abb", "Abs", "Abschn", "Anm", "Apr", "Art", "Aufl", "Aug", "Bd", "Dez", "Feb", "Jan",
        "Jg", "Jul", "Jun", "Kap", "Mrz", "Nov", "Okt", "Rdnr", "S", "Sep", "Sept", "Tab", "Tel",
        "Ziff", "§",
    ],
    unless_starter: &[
        "Abk", "Abt", "Co", "Jh", "Min", "Sek", "Std", "engl", "franz", "geb", "gest", "lat",
        "o.Ä", "u.Ä",
    ],
    starters: &[
        "Alle", "Als", "Am", "An", "Auch", "Auf", "Aus", "Bei", "Beim", "Da", "Dabei", "Daher",
        "Damit", "Danach", "Dann", "Das", "Dazu", "Dem", "Den", "Der", "Des", "Deshalb", "Die",
        "Dies", "Diese", "Dieser", "Dieses", "Durch", "Ein", "Eine", "Einen", "Einer", "Er", "Es",
        "Falls", "Für", "Geben", "Hier", "Hierbei", "Ihr", "Ihre", "Im", "In", "Ist", "Jede",
        "Jeder", "Jedes", "Kein", "Klicken", "Man", "Mit", "Nach", "Nur", "Ob", "Oder", "Ohne",
        "Sie", "Sind", "So", "Sobald", "Solche", "Um", "Und", "Unter", "Von", "Vor", "Was", "Wenn",
        "Wer", "Wie", "Wir", "Wird", "Wo", "Wählen", "Zu", "Zum", "Zur", "Öffnen", "Über",
    ],
};

const KNOWN: [&Lists; 2] = [&ENGLISH, &GERMAN];

/// Nouns that an ordinal number (`3. Mai`) precedes in German, in every language taken for granted.
const AFTER_ORDINALS: &[&str] = &[
    "Januar",
    "Jänner",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
    "Auflage",
    "Etage",
    "Geburtstag",
    "Generation",
    "Jahr",
    "Jahrestag",
    "Jahrhundert",
    "Jahrhunderts",
    "Jahrtausend",
    "Klasse",
    "Liga",
    "Mal",
    "Platz",
    "Quartal",
    "Rang",
    "Semester",
    "Stock",
    "Stockwerk",
    "Weltkrieg",
    "Weltkriegs",
];

/// Whether the sentence goes on after `before`, which ends in a full stop, with `next`.
pub(super) fn continues(before: &str, next: &str, language: Option<&str>) -> bool {
    let lists = || {
        KNOWN
            .into_iter()
            .filter(move |lists| language.is_none_or(|code| is_language(code, lists.language)))
    };
    let next_word = next
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let begins_sentence = KNOWN
        .iter()
        .any(|lists| lists.starters.contains(&next_word));
    let before_number = next_word.starts_with(|c: char| c.is_numeric());

    let tails = tails(before);
    let listed = |list: &[&str]| {
        tails
            .iter()
            .any(|tail| list.iter().any(|entry| is_entry(tail, entry)))
    };
    if lists().any(|lists| {
        listed(lists.always)
            || before_number && listed(lists.before_number)
            || !begins_sentence && listed(lists.unless_starter)
    }) {
        return true;
    }
    let word = tails[0].as_str();
    if word.ends_with('.') || is_initials(word) {
        return !begins_sentence;
    }
    if is_single_letter(word) {
        // `z. B.`: only the last full stop decides.
        return next_word.chars().count() == 1 && next[next_word.len()..].starts_with('.');
    }
    if word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        let noun = next_word.starts_with(char::is_uppercase) && !begins_sentence;
        return AFTER_ORDINALS.contains(&next_word)
            || noun && language.is_some_and(|code| is_language(code, "de"));
    }
    false
}

/// The last one, two and three words of `text` without their spaces and the final full stop: `B`, `z.B`, `,z.B`.
fn tails(text: &str) -> [String; 3] {
    let ends_word =
        |c: char| c.is_whitespace() || is_opening(c) || matches!(c, '-' | '–' | '—' | '/' | ',');
    let mut rest = &text[..text.len() - 1];
    let mut tail = String::new();
    [(); 3].map(|()| {
        let start = rest.rfind(ends_word).map_or(0, |at| {
            at + rest[at..].chars().next().map_or(0, char::len_utf8)
        });
        tail.insert_str(0, &rest[start..]);
        rest = rest[..start].trim_end();
        tail.clone()
    })
}

fn is_entry(word: &str, entry: &str) -> bool {
    let lowered = |word: &str| {
        let mut characters = word.chars();
        characters
            .next()
            .map(|first| first.to_lowercase().chain(characters).collect::<String>())
    };
    word == entry || lowered(word).is_some_and(|word| word == entry)
}

/// `J`, `U.S`, `J.R.R`: capital letters with full stops between them.
fn is_initials(word: &str) -> bool {
    word.split('.')
        .all(|part| is_single_letter(part) && part.starts_with(char::is_uppercase) && part != "Ǝ")
}

fn is_single_letter(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none()
}

fn is_language(code: &str, language: &str) -> bool {
    let code = code.as_bytes();
    code.len() >= 2
        && code[..2].eq_ignore_ascii_case(language.as_bytes())
        && code.get(2).is_none_or(|b| !b.is_ascii_alphabetic())
}
