//! Models on disk: named tensors in safetensors files and the folder that holds a whole model.

mod average;
mod folder;
mod tensors;

pub use average::averaged_model;
pub use folder::{Languages, ModelFolder, TrainingRecord};
pub use tensors::{
    NamedTensors, Precision, load_module, module_tensors, read_tensors, write_tensors,
};
