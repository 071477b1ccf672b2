//! Codes of languages as vocabularies write them: ISO 639-1, ISO 639-3, with scripts and regions.

/// Pairs of ISO 639-1 and ISO 639-3, from the package iso-codes.
const ISO: &str = "aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bibis bmbam \
    bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo \
    eeewe elell eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg \
    gngrn guguj gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii \
    ikipk ioido isisl itita iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau \
    kskas kukur kvkom kwcor kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri \
    mkmkd mlmal mnmon mrmar msmsa mtmlt mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav \
    nynya ococi ojoji omorm orori ososs papan pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin \
    sasan scsrd sdsnd sesme sgsag shhbs sisin skslk slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun \
    svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl tntsn toton trtur tstso tttat twtwi tytah uguig \
    ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid yoyor zazha zhzho zuzul";

/// Languages that ISO 639-3 counts as several, each with the one that translation models mean by it.
const MEANT: &str = "araarb aymayr azeazj estekk faspes filtgl fulfuv grngug hbssrp kauknc kurkmr lavlvs \
    mlgplt monkhk msazsm nepnpi nornob oriory ormgaz puspbt quequy sqials swaswh uzbuzn yidydd zhocmn \
    konkng dindik zhoyue nornno";

/// A language code in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Code {
    /// As ISO 639-3 has it, if it has it.
    language: String,
    /// Script and region, in lower case.
    rest: Vec<String>,
}

impl Code {
    fn from_text(code: &str) -> Self {
        let mut parts = code.trim().split(['-', '_', '@']).map(str::to_lowercase);
        let language = parts.next().unwrap_or_default();
        Self {
            language: three_letters(&language).unwrap_or(language),
            rest: parts.collect(),
        }
    }

    /// How well another code matches this one; none if it is another language.
    fn likeness(&self, other: &Self) -> Option<usize> {
        let base = if self.language == other.language {
            200
        } else {
            let place = pairs(MEANT, 3).position(|(whole, part)| {
                [(whole, part), (part, whole)].contains(&(&self.language, &other.language))
            });
            100 - place?
        };
        let shared = self
            .rest
            .iter()
            .filter(|part| other.rest.contains(part))
            .count();
        let strange = self.rest.len() + other.rest.len() - 2 * shared;
        Some(base + 500 * shared + 20 - strange.min(20))
    }
}

/// The pairs of codes in a list, the first of which have this length.
fn pairs(list: &'static str, length: usize) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.split(' ').map(move |pair| pair.split_at(length))
}

fn three_letters(two: &str) -> Option<String> {
    let found = pairs(ISO, 2).find(|(code, _)| *code == two);
    found.map(|(_, three)| three.to_owned())
}

/// Whether this is a code of ISO 639-1.
pub(super) fn has_two_letters(code: &str) -> bool {
    three_letters(code).is_some()
}

/// The code of ISO 639-1, if the language has one; else as it is, without script and region.
pub fn two_letters(code: &str) -> String {
    let language = Code::from_text(code).language;
    let of = |three: &str| {
        let found = pairs(ISO, 2).find(|(_, other)| *other == three);
        found.map(|(two, _)| two.to_owned())
    };
    let whole = pairs(MEANT, 3).find(|(_, part)| *part == language);
    let whole = whole.and_then(|(whole, _)| of(whole));
    of(&language).or(whole).unwrap_or(language)
}

/// The one of `codes` that matches `language`, best in script and region too.
pub fn matching<'a>(language: &str, codes: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = Code::from_text(language);
    let mut best = None;
    for code in codes {
        if code.eq_ignore_ascii_case(language) {
            return Some(code);
        }
        // The first of equal ones.
        if let Some(likeness) = wanted.likeness(&Code::from_text(code))
            && best.is_none_or(|(_, most)| likeness > most)
        {
            best = Some((code, likeness));
        }
    }
    best.map(|(code, _)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_and_three_letters_name_the_same() {
        let opus = ["nld", "deu", "cmn_Hans", "cmn_Hant", "nob", "pt_br", "pt"];
        for (language, found) in [
            ("de", Some("deu")),
            ("deu", Some("deu")),
            ("de-AT", Some("deu")),
            ("zh", Some("cmn_Hans")),
            ("zh-Hant", Some("cmn_Hant")),
            ("no", Some("nob")),
            ("pt", Some("pt")),
            ("pt-BR", Some("pt_br")),
            ("por", Some("pt")),
            ("fr", None),
            ("", None),
        ] {
            assert_eq!(matching(language, opus), found, "{language}");
        }
        assert_eq!(matching("ar", ["arz_Arab", "arb_Arab"]), Some("arb_Arab"));
    }

    #[test]
    fn codes_are_shortened() {
        let short = ["deu", "de_DE", "cmn_Hans", "arb_Arab", "gsw", "eng"].map(two_letters);
        assert_eq!(short, ["de", "de", "zh", "ar", "gsw", "en"]);
    }
}
