//! The layers compute what the papers say: values and gradients of an independent reference.
//!
//! `tests/golden` holds one file for each mechanism; the environment variable `CANOPY_GOLDEN` names a folder with more of
//! them, and `CANOPY_DEVICE=gpu` computes on a GPU, even on a software adapter.

mod golden_support;

use std::collections::BTreeSet;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use burn::tensor::Device;
use canopy::inference::{ComputeDevice, DeviceChoice};

use golden_support::{Case, Golden, mechanism};

fn folder() -> PathBuf {
    std::env::var_os("CANOPY_GOLDEN").map_or_else(
        || {
            [env!("CARGO_MANIFEST_DIR"), "tests", "golden"]
                .iter()
                .collect()
        },
        PathBuf::from,
    )
}

fn files() -> Vec<PathBuf> {
    let folder = folder();
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|cause| panic!("{}: {cause}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder that can be read").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    assert!(
        !files.is_empty(),
        "{} holds no golden files",
        folder.display()
    );
    files
}

fn device() -> ComputeDevice {
    let choice = match std::env::var("CANOPY_DEVICE").as_deref() {
        Ok("gpu") => DeviceChoice::Gpu,
        Ok("cpu") | Err(_) => DeviceChoice::Cpu,
        Ok(other) => panic!("CANOPY_DEVICE is {other}; it may be cpu or gpu"),
    };
    ComputeDevice::open(choice).expect("the device")
}

/// Runs one file; `None` if there is no layer for it.
fn run(golden: &Golden, device: &Device) -> Option<Result<(), String>> {
    let mechanism = mechanism(&golden.mechanism)?;
    let compare = || {
        let case = Case::new(golden, device);
        mechanism(&case);
        case.compare()
    };
    let outcome = catch_unwind(AssertUnwindSafe(compare));
    Some(outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", text.unwrap_or("without a message")))
    }))
}

#[test]
fn every_mechanism_agrees_with_the_golden_values() {
    let ComputeDevice { device, name, .. } = device();
    let device = device.autodiff();
    let (mut passed, mut failures, mut missing) = (0, Vec::new(), BTreeSet::new());
    let mut num_missing = 0;
    for path in files() {
        let golden = Golden::read(&path);
        let file = path
            .file_stem()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        match run(&golden, &device) {
            None => {
                num_missing += 1;
                missing.insert(golden.mechanism);
            }
            Some(Ok(())) => passed += 1,
            Some(Err(problem)) => failures.push(format!("{file}: {problem}")),
        }
    }
    // Past the capture of test output, as the count is worth reading when all is well.
    let summary = format!(
        "golden on {name}: {passed} passed, {} failed, {num_missing} missing",
        failures.len()
    );
    writeln!(std::io::stderr(), "{summary}").expect("standard error");
    assert!(missing.is_empty(), "no layer for {missing:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
