//! Named tensors between modules and safetensors files.

use std::collections::BTreeMap;
use std::path::Path;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::Tensor;
use half::f16;
use safetensors::tensor::{Dtype, TensorView};

use super::kept::KeptTensors;
use super::tensor_file::TensorFile;
use crate::error::{Error, Result};
use canopy_base::file::write_atomically;

/// Shapes and numbers by name, such as `encoder.sublayers.0.norm.gamma`.
pub type NamedTensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Matrices in 8 bits with a scale for each row, all else in 16: a quarter of the size, for shipping.
    Int8,
    /// 16 bits: half the size, for shipping.
    Half,
    /// 32 bits: exact, for checkpoints.
    Full,
}

/// All parameters of a module.
pub fn module_tensors<M: Module>(module: &M) -> NamedTensors {
    let mut collector = Collector::default();
    module.visit(&mut collector);
    collector.tensors
}

/// Describes the first number of a tensor that is not finite, such as `norm.beta holds NaN (number 3 of 512)`; none if all are finite.
pub fn not_finite(name: &str, values: &[f32]) -> Option<String> {
    not_finite_at(name, values, (0, values.len()))
}

/// [`not_finite`] of a part of a tensor of `all` numbers, `before` of which precede it.
pub(crate) fn not_finite_at(
    name: &str,
    part: &[f32],
    (before, all): (usize, usize),
) -> Option<String> {
    // Whole vectors first: hardly any part holds one.
    if part
        .iter()
        .fold(true, |finite, value| finite & value.is_finite())
    {
        return None;
    }
    let place = part.iter().position(|value| !value.is_finite())?;
    let (found, number) = (part[place], before + place + 1);
    Some(format!("{name} holds {found} (number {number} of {all})"))
}

/// Refuses numbers that are not finite.
///
/// # Errors
/// [`Error::Weights`], which names the first tensor that holds one.
pub fn check_finite(tensors: &NamedTensors, path: &Path) -> Result<()> {
    let mut tensors = tensors.iter();
    let problem = tensors.find_map(|(name, (_, values))| not_finite(name, values));
    problem.map_or(Ok(()), |reason| {
        Err(Error::Weights {
            reason,
            path: path.to_owned(),
        })
    })
}

/// Writes a safetensors file. A tensor that 16 bits do not hold is written in 32.
///
/// # Errors
/// If a number is not finite or the file cannot be written; a file that was there stays as it was.
pub fn write_tensors(path: &Path, tensors: &NamedTensors, precision: Precision) -> Result<()> {
    check_finite(tensors, path)?;
    let mut encoded = Vec::new();
    for (name, (shape, values)) in tensors {
        match (precision, shape.as_slice()) {
            (Precision::Int8, &[rows, columns]) if rows * columns > 0 => {
                let (bytes, scales) = quantized(values, columns);
                encoded.push((name.clone(), shape.clone(), Dtype::I8, bytes));
                let name = format!("{name}{SCALES}");
                encoded.push((name, vec![rows], Dtype::F32, full(&scales)));
            }
            (precision, _) if precision == Precision::Full || !fits_half(values) => {
                encoded.push((name.clone(), shape.clone(), Dtype::F32, full(values)));
            }
            _ => encoded.push((name.clone(), shape.clone(), Dtype::F16, half(values))),
        }
    }
    let refuse = |error: safetensors::SafeTensorError| Error::Weights {
        reason: error.to_string(),
        path: path.into(),
    };
    let views = encoded
        .iter()
        .map(|(name, shape, dtype, bytes)| {
            let view = TensorView::new(*dtype, shape.clone(), bytes).map_err(refuse)?;
            Ok((name, view))
        })
        .collect::<Result<Vec<_>>>()?;
    let bytes = safetensors::serialize(views, None).map_err(refuse)?;
    Ok(write_atomically(path, &bytes, true)?)
}

/// Behind the name of a matrix in 8 bits: the scales of its rows.
pub(super) const SCALES: &str = ".row_scales";

fn full(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn half(values: &[f32]) -> Vec<u8> {
    let values = values.iter();
    values
        .flat_map(|&x| f16::from_f32(x).to_le_bytes())
        .collect()
}

/// Whether no number becomes infinite in 16 bits.
fn fits_half(values: &[f32]) -> bool {
    values.iter().all(|&x| f16::from_f32(x).is_finite())
}

/// Each row as whole numbers from -127 to 127, and what one of them stands for.
fn quantized(values: &[f32], columns: usize) -> (Vec<u8>, Vec<f32>) {
    let (mut bytes, mut scales) = (Vec::with_capacity(values.len()), Vec::new());
    for row in values.chunks_exact(columns) {
        let largest = row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, reason = "within 127 of 0")]
        let numbers = row.iter().map(|x| (x / scale).round() as i8);
        bytes.extend(numbers.map(i8::cast_unsigned));
        scales.push(scale);
    }
    (bytes, scales)
}

/// Reads a safetensors file of 8-, 16- or 32-bit numbers.
///
/// # Errors
/// If the file is missing, truncated or holds numbers of another kind.
pub fn read_tensors(path: &Path) -> Result<NamedTensors> {
    let file = TensorFile::open(path)?;
    let tensor = |name: &str| {
        let shape = file.shape(name).unwrap_or_default().to_vec();
        Ok((name.to_owned(), (shape, file.values(name)?)))
    };
    file.names().map(tensor).collect()
}

/// The name of a parameter now: positions were once saved as places.
pub(super) fn current_name(saved: &str) -> String {
    let parts = saved.split('.');
    let parts = parts.map(|part| if part == "places" { "positions" } else { part });
    parts.collect::<Vec<_>>().join(".")
}

#[derive(Default)]
struct Collector {
    place: Place,
    tensors: NamedTensors,
}

impl ModuleVisitor for Collector {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.place.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        let shape = tensor.dims().to_vec();
        let values = tensor
            .into_data()
            .try_into_vec::<f32>()
            .expect("parameters are 32-bit floats");
        self.tensors.insert(self.place.name(), (shape, values));
    }
}

/// Where a visitor is: names of fields and numbers of elements.
///
/// The kinds of an enum and the network of a model are left out: a name says where a parameter belongs, and the
/// configuration says the rest.
#[derive(Default)]
pub struct Place(Vec<Option<String>>);

impl Place {
    /// Enters the part of a module with this name; enums and the whole network add nothing to the name.
    pub fn enter(&mut self, name: &str, container: &str) {
        let silent = container.starts_with("Enum:") || name == "network";
        self.0.push((!silent).then(|| name.to_owned()));
    }

    /// Leaves the part that was entered last.
    pub fn exit(&mut self) {
        self.0.pop();
    }

    /// Returns the name of the current place, parts joined by dots.
    pub fn name(&self) -> String {
        let parts: Vec<&str> = self.0.iter().flatten().map(String::as_str).collect();
        parts.join(".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bits_keep_each_row_within_half_a_step() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let matrix = (vec![3, 2], vec![0.5, -1.0, 300.0, 2.0, 0.0, 0.0]);
        let vector = (vec![2], vec![0.25, -8.0]);
        let tensors = NamedTensors::from([
            ("layer.weight".to_owned(), matrix.clone()),
            ("layer.bias".to_owned(), vector.clone()),
        ]);
        write_tensors(&path, &tensors, Precision::Int8).expect("written");
        let read = read_tensors(&path).expect("read");
        assert_eq!(read["layer.bias"], vector);
        assert_eq!((read.len(), &read["layer.weight"].0), (2, &matrix.0));
        let steps = [1.0_f32, 300.0, 0.0].map(|largest| largest / 127.0);
        for (number, (found, want)) in read["layer.weight"].1.iter().zip(&matrix.1).enumerate() {
            let most = steps[number / 2] / 2.0 + 1e-6;
            assert!((found - want).abs() <= most, "{found} {want}");
        }
    }

    #[test]
    fn what_sixteen_bits_do_not_hold_is_written_in_32() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let tensors = NamedTensors::from([
            ("large".to_owned(), (vec![2], vec![70_000.0, -1.5])),
            ("small".to_owned(), (vec![2], vec![65_504.0, -1.5])),
        ]);
        for precision in [Precision::Half, Precision::Int8, Precision::Full] {
            write_tensors(&path, &tensors, precision).expect("written");
            assert_eq!(read_tensors(&path).expect("read"), tensors);
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_not_written_and_name_their_tensor() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let tensor = |value: f32| (vec![2, 2], vec![0.5, 1.0, value, 2.0]);
        let of = |value| NamedTensors::from([("layer.weight".to_owned(), tensor(value))]);
        write_tensors(&path, &of(3.0), Precision::Full).expect("written");
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for precision in [Precision::Half, Precision::Int8, Precision::Full] {
                let refused = write_tensors(&path, &of(value), precision).expect_err("not finite");
                let expected = format!("layer.weight holds {value} (number 3 of 4)");
                assert!(refused.to_string().contains(&expected), "{refused}");
            }
        }
        let kept = read_tensors(&path).expect("read");
        assert_eq!(kept, of(3.0), "the file stays as it was");
    }

    #[test]
    fn eight_bits_without_scales_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let view = TensorView::new(Dtype::I8, vec![1, 2], &[1, 2]).expect("a view");
        let bytes = safetensors::serialize([("weight", view)], None).expect("bytes");
        std::fs::write(&path, bytes).expect("written");
        let error = read_tensors(&path).expect_err("no scales");
        assert!(error.to_string().contains("no scales"), "{error}");
    }

    #[test]
    fn positions_that_were_saved_as_places_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let tensor = (vec![2], vec![0.5, -1.0]);
        let of = |name: &str| NamedTensors::from([(name.to_owned(), tensor.clone())]);
        write_tensors(&path, &of("embedding.places.words"), Precision::Full).expect("written");
        let read = read_tensors(&path).expect("read");
        assert_eq!(read, of("embedding.positions.words"));
    }
}
