//! Full stops that do not end a sentence: abbreviations, initials, ordinal numbers.
//!
//! The lists follow the sentence-break suppressions of CLDR, sorted by what may follow and without what is also a common
//! word; those of Dutch and Polish, which CLDR has not, the dictionaries of these languages.

use super::segment::is_opening;
use super::words::Words;

struct Lists {
    language: &'static str,
    /// A sentence never ends here.
    always: Words,
    /// A sentence does not end here if a number follows.
    before_number: Words,
    /// A sentence ends here only if a word follows that usually begins one.
    unless_starter: Words,
    /// Words that usually begin a sentence.
    starters: Words,
}

const ENGLISH: Lists = Lists {
    language: "en",
    always: Words(
        "Adm Brig Capt Cmdr Col Dr Drs Gen Gov Hon Lt Maj Messrs Mlle Mme Mr Mrs Ms Msgr Mt Pres Prof Rep Rev Sen Sgt St
         Supt approx cf e.g eg i.e ie resp viz vs",
    ),
    before_number: Words(
        "Apr Art Aug Ch Chap Dec Eq Eqs Feb Fig Figs Jan Jul Jun Mar No Nos Nov Nr Oct Op Sec Sect Sep Sept Tab Vol Vols
         art ch ed fig figs no nos p pp vol",
    ),
    unless_starter: Words("Ave Bros Co Corp Dept Est Esq Inc Jr Ltd Ph.D Sr al dept est incl a.m p.m"),
    starters: Words(
        "A After All Also An And Any As At Because Before But By Choose Click Do Each Enter Every For From He Here How
         However I If In Instead It Its No Now On Once One Only Open Or Otherwise Press See Select She Since So Some Such
         That The Then There Therefore These They This Those Thus To Type Use We What When Where Which While Who Why With
         You Your",
    ),
};

const GERMAN: Lists = Lists {
    language: "de",
    always: Words(
        "Dipl Dr Fa Fr Hr Hrn Hrsg Ing Mrd Mio Nr Nrn Prof St Str Tsd a.M abzgl allg bes bspw bzgl bzw ca d.h d.i dgl
         einschl entspr etw evtl exkl ggf ggfs h.c i.A i.Allg i.d.R i.e.S i.S.v i.V inkl insb insbes jew lt m.E max mind
         n.Chr o.g s.a s.o s.u sog u.U u.a ugs urspr v.Chr v.a vgl vs z.B z.T z.Zt zz zzgl",
    ),
    before_number: Words(
        "Abb Abs Abschn Anm Apr Art Aufl Aug Bd Dez Feb Jan Jg Jul Jun Kap Mrz Nov Okt Rdnr S Sep Sept Tab Tel Ziff §",
    ),
    unless_starter: Words("Abk Abt Co Jh Min Sek Std engl franz geb gest lat o.Ä u.Ä"),
    starters: Words(
        "Alle Als Am An Auch Auf Aus Bei Beim Da Dabei Daher Damit Danach Dann Das Dazu Dem Den Der Des Deshalb Die Dies
         Diese Dieser Dieses Durch Ein Eine Einen Einer Er Es Falls Für Geben Hier Hierbei Ihr Ihre Im In Ist Jede Jeder
         Jedes Kein Klicken Man Mit Nach Nur Ob Oder Ohne Sie Sind So Sobald Solche Um Und Unter Von Vor Was Wenn Wer Wie
         Wir Wird Wo Wählen Zu Zum Zur Öffnen Über Aber Allerdings Anschließend Außerdem Beide Bis Denn Doch Dort Du Einige
         Eure Ich Jedoch Jetzt Keine Mein Meine Nun Obwohl Schließlich Sein Seine Seit Später Trotzdem Unser Unsere Viele
         Während Weil Zuerst Zunächst",
    ),
};

/// A language without lists of what may follow: only numbers are distinguished from words.
const fn plain(language: &'static str, always: Words, before_number: Words) -> Lists {
    Lists {
        language,
        always,
        before_number,
        unless_starter: Words::NONE,
        starters: Words::NONE,
    }
}

const FRENCH: Lists = plain(
    "fr",
    Words(
        "M MM Mart prof acoust adr anc anon append aux avr broch bull categ cf coll collab config dest dict dim dir doc déc
         encycl env exempl févr gouv graph hôp illustr imm imprim indus janv juil nov oct ex p.ex quart réf sept symb synth
         syst trav.publ éd édit équiv éval",
    ),
    Words("art chap fig no p pp par tab vol"),
);

const SPANISH: Lists = plain(
    "es",
    Words(
        "av avda Cía Da dr dra drs dto Dña excma excmo Fr ilma ilmo lcda lcdo lda ldo lic mons Mr Mrs rdo rev rvdmo sr sra
         sras sres srta srtas sta sto a.C a.e.c abr afmo ago c/c cf cfr d.C depto dic doc dpto dtor e.c e.g ej ene feb hnos
         licdo mtro nov oct p.ej prof prov sept v.gr vid vs",
    ),
    Words("art cap col ed fig figs núm p pp pág págs tab vol"),
);

const ITALIAN: Lists = plain(
    "it",
    Words(
        "cfr geom ing N.B N.d.A N.d.E N.d.R N.d.T O.d.G S.p.A sig sigg a.C arch avv c.c.p d.C dott dr es int mitt on p.es
         p.i prof rag sen",
    ),
    Words("art cap fig n p pag pagg pp sez tab tav ver vol"),
);

const PORTUGUESE: Lists = plain(
    "pt",
    Words(
        "av dr dra dras drs exma exmo Fr ilma ilmo jr Pe sr sra sta sto a.C abr abrev adm ago apart aprox cf compl cód d.C
         dez dipl ex fev jan jul jun nov obs p.ex prof profa próx ref sup séc tel vs",
    ),
    Words("art cap caps ed fig fl n num núm p pp pág págs vol"),
);

const DUTCH: Lists = plain(
    "nl",
    Words(
        "dhr drs ing ir mevr mr mw prof St a.u.b bijv bv ca d.m.v d.w.z dr dwz e.d excl incl i.p.v i.v.m jl m.a.w m.b.t
         m.b.v m.i.v max min n.a.v o.a resp t.a.v t.b.v t.o.v t/m vgl z.g zgn zog",
    ),
    Words("afb art blz fig hfst nr nrs p pag par tab tel vol"),
);

const POLISH: Lists = plain(
    "pl",
    Words(
        "dot dr godz gł hab inż jw lek m.in mgr min np ob os por prof przyp red tj tzn tzw ul ur wg zm zob św",
    ),
    Words("art nr pkt poz rozdz rys s str tab tel tys ust"),
);

const RUSSIAN: Lists = plain(
    "ru",
    Words(
        "авг апр г-жа гг дек дон.э кв напр нояб обл окт отд проф см ср сент т.е т.к т.н ул февр янв",
    ),
    Words("гл им илл рис с стр табл тел тт ч"),
);

/// Lists of the known languages; the first two apply where the language is not known.
const KNOWN: [&Lists; 9] = [
    &ENGLISH,
    &GERMAN,
    &FRENCH,
    &SPANISH,
    &ITALIAN,
    &PORTUGUESE,
    &DUTCH,
    &POLISH,
    &RUSSIAN,
];
const UNASKED: usize = 2;

/// Nouns that an ordinal number (`3. Mai`) precedes in German, in every language taken for granted.
const AFTER_ORDINALS: Words = Words(
    "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember Auflage Etage Geburtstag
     Generation Jahr Jahrestag Jahrhundert Jahrhunderts Jahrtausend Klasse Liga Mal Platz Quartal Rang Semester Stock
     Stockwerk Weltkrieg Weltkriegs",
);

/// Whether the sentence goes on after `before`, which ends in a full stop, with `next`.
pub(super) fn continues(before: &str, next: &str, language: Option<&str>) -> bool {
    let lists = || {
        let known = KNOWN.into_iter().enumerate();
        let apply = known.filter(move |(place, lists)| match language {
            Some(code) => is_language(code, lists.language),
            None => *place < UNASKED,
        });
        apply.map(|(_, lists)| lists)
    };
    let next_word = next
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let begins_sentence = KNOWN.iter().any(|lists| lists.starters.contains(next_word));
    let before_number = next_word.starts_with(|c: char| c.is_numeric());

    let tails = tails(before);
    let listed = |list: Words| {
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
    if word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        let noun = next_word.starts_with(char::is_uppercase) && !begins_sentence;
        let is_german = || match language {
            Some(code) => is_language(code, "de") && (word.len() < 3 || is_determined(&tails)),
            None => is_determined(&tails),
        };
        return AFTER_ORDINALS.contains(next_word) || noun && is_german();
    }
    false
}

/// Whether the last word, a number, follows an article of German or what stands in its place.
fn is_determined([last, two, three]: &[String; 3]) -> bool {
    const WORDS: Words =
        Words("der die das den dem des am im vom zum zur beim ins ans ein mein dein sein unser");
    const STEMS: Words = Words("ein kein mein dein sein ihr unser dies jed jen");
    const ENDINGS: Words = Words("e er es en em");
    let before = two.strip_suffix(last.as_str()).unwrap_or_default();
    let word = before.to_lowercase();
    let is_inflected = || {
        let rest = STEMS.iter().filter_map(|stem| word.strip_prefix(stem));
        rest.into_iter().any(|ending| ENDINGS.contains(ending))
    };
    // "I am 12."
    let is_english = word == "am" && three.starts_with('I') && three.len() == two.len() + 1;
    !is_english && (WORDS.contains(&word) || is_inflected())
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
    let mut characters = word.chars();
    let lowered = characters.next().map(char::to_lowercase);
    word == entry || lowered.is_some_and(|first| first.chain(characters).eq(entry.chars()))
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
