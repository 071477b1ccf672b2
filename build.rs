//! Gives the Windows program its icon, version and manifest, and its first thread the stack that it has elsewhere. The programs
//! of other systems need nothing. Tests are built for what they find here.

#[path = "tests/support/needs.rs"]
mod needs;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "assets/desktop";

/// As on Linux; Windows gives a quarter of it or less.
const STACK_BYTES: usize = 8 << 20;

fn main() {
    // None of it is watched: to cargo a path that is missing has always changed, and the whole package would be built each time.
    // An architecture test fails where the machine lacks what was found.
    for (name, is_there) in needs::needs(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if is_there {
            println!("cargo::rustc-cfg={name}");
        }
    }
    for name in ["canopy.rc", "canopy.manifest", "canopy.ico"] {
        println!("cargo:rerun-if-changed={FOLDER}/{name}");
    }
    let is = |variable: &str, wanted: &str| env::var(variable).is_ok_and(|it| it == wanted);
    if !is("CARGO_CFG_TARGET_OS", "windows") {
        return;
    }
    if is("CARGO_CFG_TARGET_ENV", "msvc") {
        // Its linker takes a manifest as it is; icon and version would need the resource compiler of an SDK.
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER);
        let manifest = manifest.join("canopy.manifest");
        println!("cargo:rustc-link-arg-bins=/MANIFEST:EMBED");
        println!(
            "cargo:rustc-link-arg-bins=/MANIFESTINPUT:{}",
            manifest.display()
        );
        println!("cargo:rustc-link-arg-bins=/STACK:{STACK_BYTES}");
    } else {
        println!(
            "cargo:rustc-link-arg-bins={}",
            compiled_resources().display()
        );
        println!("cargo:rustc-link-arg-bins=-Wl,--stack,{STACK_BYTES}");
    }
}

/// Compiles `canopy.rc` with MinGW's `windres`.
fn compiled_resources() -> PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let numbers = format!("{},0", numbers.replace('.', ","));
    let object = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("resources.o");
    let host_is_windows = cfg!(windows);
    let compiler = if host_is_windows {
        "windres".to_owned()
    } else {
        let processor = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
        format!("{processor}-w64-mingw32-windres")
    };
    let done = Command::new(&compiler)
        .current_dir(FOLDER)
        .arg(format!("-DVERSION=\\\"{version}\\\""))
        .arg(format!("-DNUMBERS={numbers}"))
        .args([
            "--input",
            "canopy.rc",
            "--output-format",
            "coff",
            "--output",
        ])
        .arg(&object)
        .status();
    match done {
        Ok(status) if status.success() => object,
        failed => panic!("{compiler}, which is part of MinGW's binutils: {failed:?}"),
    }
}
