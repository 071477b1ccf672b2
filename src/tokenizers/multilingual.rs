//! Tokenizers of M2M-100, NLLB and mBART-50: language tokens behind the vocabulary.
//!
//! Fan et al., "Beyond English-Centric Multilingual Machine Translation", JMLR 2021; NLLB Team 2022; Tang et al.,
//! "Multilingual Translation with Extensible Multilingual Pretraining and Finetuning", 2020. Ids are those of Hugging
//! Face's tokenizers.

use std::sync::Arc;

use super::sentence_pieces::SentencePieces;
use super::token_list::TokenList;
use super::tokenizer::SpecialIds;
use super::two_sided::{Cutter, LanguageTokens, SideTokens, TwoSidedTokenizer};

/// Languages of M2M-100 in the order of their tokens.
const M2M_100: &str = "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr \
    ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa \
    pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";

/// Languages of NLLB-200.
const NLLB: &str = "ace_Arab ace_Latn acm_Arab acq_Arab aeb_Arab afr_Latn ajp_Arab aka_Latn amh_Ethi apc_Arab arb_Arab \
    ars_Arab ary_Arab arz_Arab asm_Beng ast_Latn awa_Deva ayr_Latn azb_Arab azj_Latn bak_Cyrl bam_Latn \
    ban_Latn bel_Cyrl bem_Latn ben_Beng bho_Deva bjn_Arab bjn_Latn bod_Tibt bos_Latn bug_Latn bul_Cyrl \
    cat_Latn ceb_Latn ces_Latn cjk_Latn ckb_Arab crh_Latn cym_Latn dan_Latn deu_Latn dik_Latn dyu_Latn \
    dzo_Tibt ell_Grek eng_Latn epo_Latn est_Latn eus_Latn ewe_Latn fao_Latn pes_Arab fij_Latn fin_Latn \
    fon_Latn fra_Latn fur_Latn fuv_Latn gla_Latn gle_Latn glg_Latn grn_Latn guj_Gujr hat_Latn hau_Latn \
    heb_Hebr hin_Deva hne_Deva hrv_Latn hun_Latn hye_Armn ibo_Latn ilo_Latn ind_Latn isl_Latn ita_Latn \
    jav_Latn jpn_Jpan kab_Latn kac_Latn kam_Latn kan_Knda kas_Arab kas_Deva kat_Geor knc_Arab knc_Latn \
    kaz_Cyrl kbp_Latn kea_Latn khm_Khmr kik_Latn kin_Latn kir_Cyrl kmb_Latn kon_Latn kor_Hang kmr_Latn \
    lao_Laoo lvs_Latn lij_Latn lim_Latn lin_Latn lit_Latn lmo_Latn ltg_Latn ltz_Latn lua_Latn lug_Latn \
    luo_Latn lus_Latn mag_Deva mai_Deva mal_Mlym mar_Deva min_Latn mkd_Cyrl plt_Latn mlt_Latn mni_Beng \
    khk_Cyrl mos_Latn mri_Latn zsm_Latn mya_Mymr nld_Latn nno_Latn nob_Latn npi_Deva nso_Latn nus_Latn \
    nya_Latn oci_Latn gaz_Latn ory_Orya pag_Latn pan_Guru pap_Latn pol_Latn por_Latn prs_Arab pbt_Arab \
    quy_Latn ron_Latn run_Latn rus_Cyrl sag_Latn san_Deva sat_Beng scn_Latn shn_Mymr sin_Sinh slk_Latn \
    slv_Latn smo_Latn sna_Latn snd_Arab som_Latn sot_Latn spa_Latn als_Latn srd_Latn srp_Cyrl ssw_Latn \
    sun_Latn swe_Latn swh_Latn szl_Latn tam_Taml tat_Cyrl tel_Telu tgk_Cyrl tgl_Latn tha_Thai tir_Ethi \
    taq_Latn taq_Tfng tpi_Latn tsn_Latn tso_Latn tuk_Latn tum_Latn tur_Latn twi_Latn tzm_Tfng uig_Arab \
    ukr_Cyrl umb_Latn urd_Arab uzn_Latn vec_Latn vie_Latn war_Latn wol_Latn xho_Latn ydd_Hebr yor_Latn \
    yue_Hant zho_Hans zho_Hant zul_Latn";

/// Languages of mBART-50.
const MBART_50: &str = "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM \
    ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH \
    mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF pt_XX sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES \
    sl_SI";

/// Families of multilingual models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multilingual {
    /// A list of tokens besides the sentence pieces; languages such as `__de__`.
    M2m100,
    /// Languages such as `deu_Latn`, before the source or, as its first versions had it, behind it.
    Nllb { is_behind: bool },
    /// Languages such as `de_DE`.
    MBart50,
}

impl Multilingual {
    fn languages(self) -> Vec<String> {
        let codes = match self {
            Self::M2m100 => M2M_100,
            Self::Nllb { .. } => NLLB,
            Self::MBart50 => MBART_50,
        };
        codes.split(' ').map(str::to_owned).collect()
    }

    fn token(self, code: &str) -> String {
        match self {
            Self::M2m100 => format!("__{code}__"),
            Self::Nllb { .. } | Self::MBart50 => code.to_owned(),
        }
    }
}

impl TwoSidedTokenizer {
    /// The tokenizer of a multilingual model.
    ///
    /// `list` is the model's own list of tokens, if it has one; else its ids are those of fairseq: four special tokens,
    /// the sentence pieces without their first three, the languages, `<mask>`. `languages` are the codes in the order of
    /// their tokens; the family's own if none are given. What `added` names has those ids instead.
    ///
    /// # Errors
    /// If a special token is missing.
    pub fn multilingual(
        family: Multilingual,
        pieces: Arc<SentencePieces>,
        list: Option<TokenList>,
        languages: Option<Vec<String>>,
        added: &[(String, u32)],
    ) -> Result<Self, String> {
        let languages = languages.unwrap_or_else(|| family.languages());
        let mut list = list.unwrap_or_else(|| fairseq_list(&pieces));
        let mut codes = Vec::with_capacity(languages.len());
        let added_id = |token: &str| added.iter().find(|(it, _)| it == token).map(|(_, id)| *id);
        let num_own = list.len();
        for (place, code) in languages.into_iter().enumerate() {
            let token = family.token(&code);
            let id = added_id(&token).or_else(|| u32::try_from(num_own + place).ok());
            codes.push((code, token, id.ok_or("it has too many tokens")?));
        }
        let behind = codes.iter().map(|(_, token, id)| (token.clone(), *id));
        let behind: Vec<_> = behind.chain(added.iter().cloned()).collect();
        list = list.with_ids(behind)?;
        let special = |token: &str| list.id(token).ok_or(format!("there is no token {token}"));
        let eos = special("</s>")?;
        let special = SpecialIds {
            start: eos,
            eos,
            unk: Some(special("<unk>")?),
            pad: list.id("<pad>"),
            source_prefix: Vec::new(),
            source_suffix: vec![eos],
            target_prefix: Vec::new(),
        };
        let codes = codes.into_iter().map(|(code, _, id)| (code, id)).collect();
        let side = SideTokens::new(Cutter::SentencePieces(pieces), Arc::new(list));
        let languages = match family {
            Multilingual::Nllb { is_behind: true } => LanguageTokens::BehindSource(codes),
            _ => LanguageTokens::OnBothSides(codes),
        };
        Ok(Self::new(side.clone(), side, special, languages))
    }
}

fn fairseq_list(pieces: &SentencePieces) -> TokenList {
    let own = pieces.token_list();
    let special = ["<s>", "<pad>", "</s>", "<unk>"].map(str::to_owned);
    let rest = own.tokens().iter().skip(3).cloned();
    TokenList::new(special.into_iter().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_as_many_languages_as_its_name_says() {
        let num = |family: Multilingual| family.languages().len();
        let behind = Multilingual::Nllb { is_behind: false };
        let found = [
            num(Multilingual::M2m100),
            num(behind),
            num(Multilingual::MBart50),
        ];
        assert_eq!(found, [100, 202, 52]);
    }
}
