//! The interface of OPUS-CAT, in the shapes in which its plug-ins send requests and read answers.

use serde_json::{Value, json};

use crate::server::client::{Server, encoded};

fn path(action: &str, input: &str) -> String {
    format!(
        "/MTRestService/{action}?input={}&modelTag=&srcLangCode=en-US&tokenCode=0&trgLangCode=de",
        encoded(input)
    )
}

/// The plug-in for OmegaT sends `GET` and reads `translation`; that of Trados puts tags back by the alignment.
#[test]
fn a_segment_is_translated_with_its_alignment() {
    let server = Server::start(&[]);
    let pair = server.get(&path("TranslateJson", "Open the file.")).good();
    let translation = pair["translation"].as_str().expect("a text");
    assert_eq!(pair["Translation"], pair["translation"]);
    let pieces = |name: &str| -> Vec<String> {
        let pieces = pair[name].as_array().expect("pieces").iter();
        pieces
            .map(|piece| piece.as_str().expect("a text").to_owned())
            .collect()
    };
    let joined = |pieces: &[String]| pieces.concat().replace('▁', " ").trim().to_owned();
    let [source, target] = ["SegmentedSourceSentence", "SegmentedTranslation"].map(pieces);
    assert_eq!(joined(&source), "Open the file.");
    assert_eq!(joined(&target), translation);
    let links = pair["SegmentedAlignmentTargetToSource"]
        .as_object()
        .expect("links");
    assert_eq!(links.len(), target.len(), "{pair}");
    for (from, to) in links {
        assert!(from.parse::<usize>().is_ok_and(|from| from < target.len()));
        let to = to.as_array().expect("places").iter();
        assert!(
            to.clone()
                .all(|to| to.as_u64().is_some_and(|to| to < source.len() as u64))
        );
    }
    let written = pair["AlignmentString"].as_str().expect("an alignment");
    assert!(
        written
            .split(' ')
            .all(|link| link.split_once('-').is_some()),
        "{written}"
    );
}

/// OmegaT sends its tags with the text, and languages in capital letters.
#[test]
fn tags_of_omegat_are_kept() {
    let server = Server::start(&[]);
    let input = encoded("<t0/>Open the <b1>file</b1>.");
    let path = format!(
        "/MTRestService/TranslateJson?input={input}&modelTag=&srcLangCode=EN-US&tokenCode=0&trgLangCode=DE"
    );
    let pair = server.get(&path).good();
    let translation = pair["translation"].as_str().expect("a text");
    for tag in ["<t0/>", "<b1>", "</b1>"] {
        assert_eq!(translation.matches(tag).count(), 1, "{translation}");
    }
    let pieces = pair["SegmentedSourceSentence"].as_array().expect("pieces");
    assert!(
        pieces.iter().all(|piece| !piece.to_string().contains('<')),
        "{pair}"
    );
}

#[test]
fn every_action_is_answered_in_any_case_of_letters() {
    let server = Server::start(&[]);
    let translation =
        server.get(&path("TranslateJson", "Open the file.")).good()["translation"].clone();
    // Trados and memoQ write the name like this; memoQ sends a pair of quotes as the tag.
    let memoq = "/MtRestService/TranslateJson?tokenCode=0&input=Open+the+file.&srcLangCode=en&trgLangCode=de&modelTag=%22%22";
    assert_eq!(server.get(memoq).good()["translation"], translation);
    let chrome = "/MTRestService/TranslateJson?tokenCode=0&input=Open%20the%20file.&srcLangCode=en&trgLangCode=de&modelTag=";
    let answer = server.get(chrome);
    assert!(
        answer
            .head
            .to_lowercase()
            .contains("access-control-allow-origin: *")
    );
    // Wordfast.
    let posted = server
        .send("POST", &path("TranslatePost", "Open the file."), "", b"")
        .good();
    assert_eq!(posted["translation"], translation);
    assert_eq!(
        server.get(&path("Translate", "Open the file.")).good(),
        translation
    );
    assert_eq!(
        server
            .get(&path("translatestream", "Open the file."))
            .text(),
        translation.as_str().expect("a text")
    );
    let two = server.get(&path(
        "TranslateParagraphJson",
        "Open the file. Open the file.",
    ));
    let translation = translation.as_str().expect("a text");
    assert_eq!(two.good(), json!(format!("{translation} {translation}")));
    let split =
        path("TranslateJson", "Open the file. Open the file.") + "&inputIsSingleSentence=false";
    assert_eq!(
        server.get(&split).good()["translation"],
        format!("{translation} {translation}")
    );
    assert_eq!(
        server
            .get("/MTRestService/ListSupportedLanguagePairs")
            .good(),
        json!(["en-de"])
    );
    assert_eq!(
        server.get(&path("GetLanguagePairModelTags", "")).good(),
        json!(["tiny en-de"])
    );
    let status = server.get(&path("CheckModelStatus", "")).good();
    assert!(
        status
            .as_str()
            .is_some_and(|message| message.contains("tiny en-de")),
        "{status}"
    );
    let order = server.post_json(&path("PreOrderBatch", ""), &json!(["Open the file."]));
    assert_eq!(order.status, 200);
    server
        .post_json(&path("PreOrderBatch", ""), &json!([]))
        .refused(400);
    server
        .post_json(&path("Customize", ""), &json!({}))
        .refused(501);
    server.get("/MTRestService/Unknown").refused(404);
    server.get("/OtherService/TranslateJson").refused(404);
}

#[test]
fn missing_languages_are_reported() {
    let server = Server::start(&[]);
    let other = "/MTRestService/TranslateJson?input=Auf&srcLangCode=fi&trgLangCode=sv";
    assert_eq!(server.get(other).refused(400), "fi is not supported");
    server
        .get("/MTRestService/TranslateJson?input=Auf")
        .refused(400);
    let empty = server.get(&path("TranslateJson", "")).good();
    assert_eq!(empty["translation"], "");
    let status: Value = server
        .get("/MTRestService/CheckModelStatus?srcLangCode=fi&trgLangCode=sv")
        .good();
    assert!(
        status
            .as_str()
            .is_some_and(|message| message.starts_with("No model available"))
    );
}
