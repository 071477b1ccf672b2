//! Modules whose parameters stay in their file until something computes with them.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use burn::module::{Module, Param, ParamId};
use burn::tensor::{Tensor, TensorData};

use super::kept::KeptTensors;
use super::loading::{Parameters, Problem, loaded};
use crate::error::{BaseError, Error, Result};
use canopy_kernels::packed::{Kept, Table};
use canopy_nn::model::UnreadWeights;

/// Parameters that are still in their file.
#[derive(Debug)]
struct UnreadFile<K> {
    file: K,
    names: OnceLock<HashMap<ParamId, String>>,
    /// Why one of them could not be read.
    problem: OnceLock<String>,
}

/// The module whose parameters are read from `file` one by one, when something computes with them. Here they are read
/// through once.
///
/// # Errors
/// As [`load_module`](super::load_module), and if the file cannot be read.
pub fn load_unread<M, K>(module: M, file: K) -> Result<(M, Arc<dyn UnreadWeights>)>
where
    M: Module,
    K: KeptTensors + Debug + Send + Sync + 'static,
{
    let path = file.path().to_owned();
    let file = Arc::new(UnreadFile {
        file,
        names: OnceLock::new(),
        problem: OnceLock::new(),
    });
    let mut names = HashMap::new();
    let filling = Filling {
        file: &file,
        names: &mut names,
    };
    let module = loaded(module, filling).map_err(|problem| problem.at(&path))?;
    file.names.get_or_init(|| names);
    Ok((module, file))
}

impl<K> UnreadFile<K> {
    /// The values of a parameter, or those of `otherwise`; the first failure is kept.
    fn read_or<T>(&self, name: &str, read: Result<T>, otherwise: impl FnOnce() -> T) -> T {
        read.unwrap_or_else(|error| {
            let reason = match error {
                Error::Weights { reason, .. } => reason,
                Error::Base(BaseError::Read { cause, .. }) => cause.to_string(),
                other => other.to_string(),
            };
            let reason = format!("{name} cannot be read any more: {reason}");
            self.problem.get_or_init(|| reason);
            otherwise()
        })
    }
}

impl<K: KeptTensors + Debug + Send + Sync> UnreadWeights for UnreadFile<K> {
    fn table(&self, param: ParamId) -> Option<Table> {
        let name = self.names.get()?.get(&param)?;
        let shape = self.file.shape(name)?;
        let (columns, rows) = shape.split_last()?;
        let sizes @ [rows, columns] = [rows.iter().product(), *columns];
        let none = || Kept::Floats(vec![f32::NAN; rows * columns]);
        let kept = self.read_or(name, self.file.kept(name), none);
        Some(Table::kept(kept, sizes))
    }

    fn check(&self) -> Result<(), canopy_nn::error::Error> {
        let Some(reason) = self.problem.get() else {
            return Ok(());
        };
        let error = Error::Weights {
            reason: reason.clone(),
            path: self.file.path().to_owned(),
        };
        Err(BaseError::from(error).into())
    }
}

/// Parameters that are looked at now and read later.
struct Filling<'f, K> {
    file: &'f Arc<UnreadFile<K>>,
    names: &'f mut HashMap<ParamId, String>,
}

impl<K: KeptTensors + Send + Sync + 'static> Parameters for Filling<'_, K> {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.file.file.names()
    }

    fn shape(&self, name: &str) -> Option<&[usize]> {
        self.file.file.shape(name)
    }

    fn fill<const D: usize>(
        &mut self,
        name: &str,
        param: Param<Tensor<D>>,
    ) -> Result<Param<Tensor<D>>, Problem> {
        self.file.file.check_finite(name).map_err(Problem::Other)?;
        self.names.insert(param.id, name.to_owned());
        let (id, device, shape) = (param.id, param.lazy_device(), param.lazy_shape());
        let (file, name, to) = (Arc::clone(self.file), name.to_owned(), shape.clone());
        let read = move |device: &_, learns: bool| {
            let none = || vec![f32::NAN; to.num_elements()];
            let values = file.read_or(&name, file.file.values(&name), none);
            let tensor = Tensor::from_data(TensorData::new(values, to), device);
            tensor.set_require_grad(learns)
        };
        // All parameters of a model that is loaded so can be trained.
        Ok(Param::uninitialized(id, read, device, true, shape))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::weights::tensor_file::TensorFile;
    use crate::weights::{Precision, module_tensors, write_tensors};
    use canopy_nn::model::Linear;

    #[test]
    fn parameters_stay_in_their_file_and_a_file_that_changes_is_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("weights.safetensors");
        let device = Device::flex();
        for precision in [Precision::Full, Precision::Half, Precision::Int8] {
            let tensors = module_tensors(&Linear::new(3, 2, &device));
            write_tensors(&path, &tensors, precision).expect("written");
            let kept = crate::weights::read_tensors(&path).expect("readable");
            let open = || {
                let file = TensorFile::open(&path).expect("whole");
                load_unread(Linear::new(3, 2, &device), file).expect("its own tensors")
            };
            let (linear, unread) = open();
            let table = unread.table(linear.weight.id).expect("its weight");
            assert_eq!((table.rows(), table.columns()), (3, 2));
            assert_eq!(*table.values(), kept["weight"].1);
            assert!(!linear.weight.is_initialized(), "nothing computes with it");
            assert_eq!(module_tensors(&linear), kept, "as burn's layers read them");
            assert!(unread.check().is_ok());
            let (linear, unread) = open();
            let file = std::fs::OpenOptions::new().write(true).open(&path);
            file.and_then(|file| file.set_len(20)).expect("cut");
            let (_, values) = &module_tensors(&linear)["weight"];
            assert!(values.iter().all(|value| value.is_nan()), "{values:?}");
            let message = unread.check().expect_err("it has changed").to_string();
            let words = [
                "cannot be read any more",
                "has changed",
                "weights.safetensors",
            ];
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        }
    }
}
