//! One golden file as it lies on disk.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

/// Numbers of any rank; minus infinity is `null` on disk.
#[derive(Debug, Clone)]
pub struct Array {
    pub shape: Vec<usize>,
    pub data: Vec<f64>,
    /// Whether all numbers were written as integers.
    pub integers: bool,
}

/// A mechanism with inputs, weights and the values that should come out.
#[derive(Debug)]
pub struct Golden {
    pub mechanism: String,
    pub config: Map<String, Value>,
    pub inputs: BTreeMap<String, Array>,
    pub weights: BTreeMap<String, Array>,
    pub outputs: BTreeMap<String, Array>,
    pub gradients: BTreeMap<String, Array>,
}

impl Golden {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a golden file");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        Self {
            mechanism: value["mechanism"].as_str().expect("a name").to_owned(),
            config: value["config"].as_object().expect("a config").clone(),
            inputs: arrays(&value["inputs"]),
            weights: arrays(&value["weights"]),
            outputs: arrays(&value["outputs"]),
            gradients: arrays(&value["gradients"]),
        }
    }
}

fn arrays(value: &Value) -> BTreeMap<String, Array> {
    let entries = value.as_object().into_iter().flatten();
    entries
        .map(|(name, value)| (name.clone(), array(value)))
        .collect()
}

fn array(value: &Value) -> Array {
    let list = |key: &str| value[key].as_array().expect("a list").iter();
    let size = |value: &Value| {
        value
            .as_u64()
            .and_then(|size| usize::try_from(size).ok())
            .expect("a size")
    };
    let number = |value: &Value| match value {
        Value::Null => f64::NEG_INFINITY,
        value => value.as_f64().expect("a number"),
    };
    let array = Array {
        shape: list("shape").map(size).collect(),
        data: list("data").map(number).collect(),
        integers: list("data").all(Value::is_i64),
    };
    assert_eq!(
        array.shape.iter().product::<usize>(),
        array.data.len(),
        "shape {:?}",
        array.shape
    );
    array
}
