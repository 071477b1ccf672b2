//! Named tensors between modules and safetensors files.

use std::collections::BTreeMap;
use std::path::Path;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};
use half::f16;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::error::{Error, Result};
use crate::text::file::write_atomically;

/// Shapes and numbers by name, such as `encoder.sublayers.0.norm.gamma`.
pub type NamedTensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
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

/// The module with the parameters in `tensors`, which came from `path`.
///
/// # Errors
/// If a parameter is missing, has another shape or is not in the module.
pub fn load_module<M: Module>(module: M, tensors: NamedTensors, path: &Path) -> Result<M> {
    let mut loader = Loader {
        tensors,
        place: Place::default(),
        problem: None,
    };
    let module = module.map(&mut loader);
    let problem = loader.problem.or_else(|| {
        loader
            .tensors
            .keys()
            .next()
            .map(|name| format!("{name} is not part of the configured model"))
    });
    match problem {
        Some(reason) => Err(Error::Weights {
            reason,
            path: path.to_owned(),
        }),
        None => Ok(module),
    }
}

/// Writes a safetensors file.
///
/// # Errors
/// If the file cannot be written; a file that was there stays as it was.
pub fn write_tensors(path: &Path, tensors: &NamedTensors, precision: Precision) -> Result<()> {
    let dtype = match precision {
        Precision::Half => Dtype::F16,
        Precision::Full => Dtype::F32,
    };
    let encoded: Vec<(&String, &Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, (shape, values))| {
            let bytes = match precision {
                Precision::Half => values
                    .iter()
                    .flat_map(|&x| f16::from_f32(x).to_le_bytes())
                    .collect(),
                Precision::Full => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            };
            (name, shape, bytes)
        })
        .collect();
    let refuse = |error: safetensors::SafeTensorError| Error::Weights {
        reason: error.to_string(),
        path: path.into(),
    };
    let views = encoded
        .iter()
        .map(|(name, shape, bytes)| {
            Ok((
                name,
                TensorView::new(dtype, (*shape).clone(), bytes).map_err(refuse)?,
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    let bytes = safetensors::serialize(views, None).map_err(refuse)?;
    write_atomically(path, &bytes, true)
}

/// Reads a safetensors file of 16- or 32-bit numbers.
///
/// # Errors
/// If the file is missing, truncated or holds numbers of another kind.
pub fn read_tensors(path: &Path) -> Result<NamedTensors> {
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    let refuse = |reason: String| Error::Weights {
        reason,
        path: path.to_owned(),
    };
    let file = SafeTensors::deserialize(&bytes).map_err(|error| refuse(error.to_string()))?;
    file.iter()
        .map(|(name, view)| {
            let values = match view.dtype() {
                Dtype::F32 => words::<4>(view.data()).map(f32::from_le_bytes).collect(),
                Dtype::F16 => words::<2>(view.data())
                    .map(|bytes| f16::from_le_bytes(bytes).to_f32())
                    .collect(),
                other => {
                    return Err(refuse(format!(
                        "{name} holds {other:?} numbers, not 16- or 32-bit floats"
                    )));
                }
            };
            Ok((current_name(name), (view.shape().to_vec(), values)))
        })
        .collect()
}

/// The name of a parameter now: positions were once saved as places.
fn current_name(saved: &str) -> String {
    let parts = saved.split('.');
    let parts = parts.map(|part| if part == "places" { "positions" } else { part });
    parts.collect::<Vec<_>>().join(".")
}

fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    bytes
        .chunks_exact(N)
        .map(|word| word.try_into().expect("N bytes"))
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

/// Where a visitor stands: names of fields and numbers of elements.
///
/// The kinds of an enum and the network of a model are left out: a name says where a parameter belongs, and the
/// configuration says the rest.
#[derive(Default)]
struct Place(Vec<Option<String>>);

impl Place {
    fn enter(&mut self, name: &str, container: &str) {
        let silent = container.starts_with("Enum:") || name == "network";
        self.0.push((!silent).then(|| name.to_owned()));
    }

    fn exit(&mut self) {
        self.0.pop();
    }

    fn name(&self) -> String {
        let parts: Vec<&str> = self.0.iter().flatten().map(String::as_str).collect();
        parts.join(".")
    }
}

struct Loader {
    tensors: NamedTensors,
    place: Place,
    problem: Option<String>,
}

impl ModuleMapper for Loader {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.place.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let name = self.place.name();
        let Some((found, values)) = self.tensors.remove(&name) else {
            self.problem.get_or_insert(format!("{name} is missing"));
            return param;
        };
        let expected = param.lazy_shape().to_vec();
        if found != expected {
            self.problem.get_or_insert(format!(
                "{name} has shape {found:?}, the configuration says {expected:?}"
            ));
            return param;
        }
        // What is not drawn yet need not be.
        let (id, device) = (param.id, param.lazy_device());
        let new = Tensor::from_data(TensorData::new(values, found), &device);
        param.transform_for_load(new, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
