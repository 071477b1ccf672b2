# Everything that must hold before a change lands.
ci:
    .ci/run

# The window.
run *arguments:
    cargo run --release -- {{arguments}}

test *arguments:
    cargo test --release {{arguments}}

# One crate by itself, such as `just crate document`.
crate name:
    cargo test -p canopy-{{name}}

# Licences, known faults and sources of all dependencies.
deny:
    cargo deny check

# The Debian package.
package:
    cargo build --profile dist --bin canopy
    packaging/linux.sh deb

# Lints of a crate that computes no network.
lint name:
    cargo clippy -p canopy-{{name}} --all-targets -- -D warnings
