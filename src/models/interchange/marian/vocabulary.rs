//! Vocabularies of Marian, and what OPUS-MT says of languages.

use super::super::archive::Archive;
use super::super::foreign::{ForeignLanguages, TokenizerFiles};
use super::super::sentencepiece::pieces;
use super::super::yaml::{Yaml, read_mapping};
use super::is_sentencepiece;
use crate::error::Result;

/// One side's tokens from the vocabulary's file, and what splits its texts: `source.spm`, `source.bpe`, or the vocabulary
/// itself where it is a SentencePiece model.
pub(super) fn side(
    archive: &mut Archive,
    file: &str,
    side: &str,
    rows: usize,
) -> Result<TokenizerFiles> {
    let mut files = TokenizerFiles::default();
    let in_file = |problem: String| format!("{file}: {problem}");
    if is_sentencepiece(file) {
        let bytes = archive.bytes(file)?;
        let pieces = pieces(&bytes).ok_or("it is not a SentencePiece model".to_owned());
        files.tokens = pieces.map_err(|problem| archive.refuse(in_file(problem)))?;
        files.sentencepiece = Some(bytes);
    } else {
        let text = archive.text(file)?;
        let tokens = tokens(&text).map_err(in_file);
        files.tokens = tokens.map_err(|problem| archive.refuse(problem))?;
        let (spm, bpe) = (format!("{side}.spm"), format!("{side}.bpe"));
        if archive.find(&spm).is_some() {
            files.sentencepiece = Some(archive.bytes(&spm)?);
        } else if archive.find(&bpe).is_some() {
            files.bpe_codes = Some(archive.text(&bpe)?);
        }
    }
    let found = files.tokens.len();
    if found > rows {
        return Err(archive.refuse(in_file(format!(
            "it has {found} tokens, the table of words {rows} rows"
        ))));
    }
    files.tokens.resize(rows, String::new());
    files.suffix = files.id("</s>").into_iter().collect();
    Ok(files)
}

/// Tokens by id of a YAML file, which JSON is too; of equal ids the first counts.
fn tokens(text: &str) -> Result<Vec<String>, String> {
    let pairs = match (read_mapping(text), lines(text)) {
        // YAML ends at a line that begins with a per cent sign.
        (Ok(pairs), Some(lines)) if lines.len() > pairs.len() => lines,
        (Ok(pairs), _) | (Err(_), Some(pairs)) => pairs,
        (Err(problem), None) => return Err(problem),
    };
    let most = pairs.len() + MOST_GAPS;
    let mut tokens = Vec::new();
    for (token, id) in pairs {
        let id = id.text().unwrap_or("no number");
        let place: usize = id
            .parse()
            .ok()
            .filter(|&place| place < most)
            .ok_or_else(|| format!("token {token:?} has id {id}"))?;
        if tokens.len() <= place {
            tokens.resize(place + 1, String::new());
        }
        if tokens[place].is_empty() {
            tokens[place] = token;
        }
    }
    Ok(tokens)
}

/// Ids that no token has.
const MOST_GAPS: usize = 65_536;

/// The lines of a vocabulary that is no YAML, as some are with unquoted tokens.
fn lines(text: &str) -> Option<Vec<(String, Yaml)>> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (token, id) = line.rsplit_once(": ")?;
            let quoted = token
                .strip_prefix('"')
                .and_then(|token| token.strip_suffix('"'));
            let token = quoted.map_or_else(|| token.to_owned(), |token| token.replace('\\', ""));
            id.trim().parse::<usize>().ok()?;
            Some((token, Yaml::Text(id.trim().to_owned())))
        })
        .collect()
}

/// From the vocabulary's tokens such as `>>deu<<`, and the lines of OPUS-MT's `README.md`.
pub(super) fn languages(
    archive: &mut Archive,
    source: &TokenizerFiles,
) -> Result<ForeignLanguages> {
    let mut languages = ForeignLanguages::from_marian(source);
    if archive.find("README.md").is_none() {
        return Ok(languages);
    }
    let readme = archive.text("README.md")?;
    let language = |side: &str| {
        let mut lines = readme
            .lines()
            .map(|line| line.trim_start_matches(['*', '-', ' ']));
        let line = lines.find(|line| line.starts_with(&format!("{side} language")))?;
        let (_, codes) = line.split_once(':')?;
        let mut codes = codes.split_whitespace();
        let code = codes.next()?.trim_matches('`');
        // Several are selected by tokens.
        codes.next().is_none().then(|| code.to_owned())
    };
    languages.source = language("source");
    languages.target = language("target");
    Ok(languages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_yaml_json_and_bare_lines_are_read() {
        let yaml = "</s>: 0\n<unk>: 1\n',': 3\n'on': 2\n";
        assert_eq!(tokens(yaml).expect("YAML"), ["</s>", "<unk>", "on", ","]);
        let json = "{\"</s>\": 0, \"\\u2581a\": 1}";
        assert_eq!(tokens(json).expect("JSON"), ["</s>", "▁a"]);
        let bare = "</s>: 0\n\"\\\"\": 1\n%: 2\n@: 3\n: 4\n";
        let bare = tokens(bare).expect("lines");
        assert_eq!(bare[..4], ["</s>", "\"", "%", "@"]);
        for damaged in ["</s>: x", "</s>: 99999999999", "[1]"] {
            assert!(tokens(damaged).is_err(), "{damaged:?} was read");
        }
    }
}
