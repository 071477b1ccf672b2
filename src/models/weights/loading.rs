//! Modules with the parameters that were kept for them.

use std::collections::BTreeSet;
use std::path::Path;

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Tensor, TensorData};

use super::kept::KeptTensors;
use super::tensors::{NamedTensors, Place, not_finite};
use crate::error::{Error, Result};

/// The module with the parameters in `tensors`, which came from `path`.
///
/// # Errors
/// If a parameter is missing, has another shape or is not in the module, or one of its numbers is not finite.
pub fn load_module<M: Module>(module: M, tensors: NamedTensors, path: &Path) -> Result<M> {
    let loaded = loaded(module, tensors);
    loaded.map_err(|problem| problem.at(path))
}

/// The module with the parameters in `file`, of which one at a time is read.
///
/// # Errors
/// As [`load_module`], and if the file cannot be read.
pub fn load_from<M: Module>(module: M, file: &impl KeptTensors) -> Result<M> {
    loaded(module, file).map_err(|problem| problem.at(file.path()))
}

/// Where the parameters of a module come from.
pub(super) trait Parameters {
    fn names(&self) -> impl Iterator<Item = &str>;

    fn shape(&self, name: &str) -> Option<&[usize]>;

    /// `param` with the numbers of the parameter `name`, which exists; each is loaded once.
    fn fill<const D: usize>(
        &mut self,
        name: &str,
        param: Param<Tensor<D>>,
    ) -> Result<Param<Tensor<D>>, Problem>;
}

/// Why a module cannot be loaded.
pub(super) enum Problem {
    /// Faults of its parameters.
    Unfit(String),
    Other(Error),
}

impl Problem {
    pub(super) fn at(self, path: &Path) -> Error {
        match self {
            Self::Unfit(reason) => Error::Weights {
                reason,
                path: path.to_owned(),
            },
            Self::Other(error) => error,
        }
    }
}

/// The module with these parameters.
pub(super) fn loaded<M: Module>(module: M, parameters: impl Parameters) -> Result<M, Problem> {
    let mut loader = Loader {
        left: parameters.names().map(str::to_owned).collect(),
        parameters,
        place: Place::default(),
        problem: None,
    };
    let module = module.map(&mut loader);
    let Loader { left, problem, .. } = loader;
    let problem = problem.or_else(|| {
        let name = left.first()?;
        let unfit = format!("{name} is not part of the configured model");
        Some(Problem::Unfit(unfit))
    });
    problem.map_or(Ok(module), Err)
}

struct Loader<P> {
    parameters: P,
    /// Names that were not loaded.
    left: BTreeSet<String>,
    place: Place,
    problem: Option<Problem>,
}

impl<P: Parameters> ModuleMapper for Loader<P> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.place.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if self.problem.is_some() {
            return param;
        }
        let name = self.place.name();
        let expected = param.lazy_shape().to_vec();
        let is_left = self.left.remove(&name);
        let problem = match self.parameters.shape(&name).filter(|_| is_left) {
            None => Problem::Unfit(format!("{name} is missing")),
            Some(found) if found != expected => Problem::Unfit(format!(
                "{name} has shape {found:?}, the configuration says {expected:?}"
            )),
            Some(_) => match self.parameters.fill(&name, param.clone()) {
                Ok(param) => return param,
                Err(problem) => problem,
            },
        };
        self.problem = Some(problem);
        param
    }
}

/// `param` with these numbers; what is not drawn yet need not be.
fn filled<const D: usize>(
    name: &str,
    param: Param<Tensor<D>>,
    values: Vec<f32>,
) -> Result<Param<Tensor<D>>, Problem> {
    if let Some(problem) = not_finite(name, &values) {
        return Err(Problem::Unfit(problem));
    }
    let (id, device, shape) = (param.id, param.lazy_device(), param.lazy_shape());
    let new = Tensor::from_data(TensorData::new(values, shape), &device);
    Ok(param.transform_for_load(new, id))
}

impl Parameters for NamedTensors {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.keys().map(String::as_str)
    }

    fn shape(&self, name: &str) -> Option<&[usize]> {
        self.get(name).map(|(shape, _)| shape.as_slice())
    }

    fn fill<const D: usize>(
        &mut self,
        name: &str,
        param: Param<Tensor<D>>,
    ) -> Result<Param<Tensor<D>>, Problem> {
        let (_, values) = self.remove(name).unwrap_or_default();
        filled(name, param, values)
    }
}

impl<K: KeptTensors> Parameters for &K {
    fn names(&self) -> impl Iterator<Item = &str> {
        K::names(self)
    }

    fn shape(&self, name: &str) -> Option<&[usize]> {
        K::shape(self, name)
    }

    fn fill<const D: usize>(
        &mut self,
        name: &str,
        param: Param<Tensor<D>>,
    ) -> Result<Param<Tensor<D>>, Problem> {
        filled(name, param, self.values(name).map_err(Problem::Other)?)
    }
}
