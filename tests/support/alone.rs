//! Tests that run in a process of their own: they count what a whole process holds, let all of it fail, or lose its GPU.

use std::env;
use std::process::Command;

/// Names the test for which a process was started.
const ALONE: &str = "CANOPY_TEST_ALONE";

/// Runs a test as the only one of another process. `name` is its name in the list of tests, such as `module::test`.
#[track_caller]
pub fn alone(name: &str, test: impl FnOnce()) {
    alone_with(name, &[], test);
}

/// Runs a test as the only one of another process that has these variables.
#[track_caller]
pub fn alone_with(name: &str, variables: &[(&str, &str)], test: impl FnOnce()) {
    if is_alone(name) {
        return test();
    }
    let mut command = process(name);
    command.envs(variables.iter().copied());
    print!("{}", passed(command));
}

/// Whether this is the process that was started for the test.
pub fn is_alone(name: &str) -> bool {
    env::var(ALONE).is_ok_and(|it| it == name)
}

/// The process that runs a test alone.
pub fn process(name: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", name, "--include-ignored", "--nocapture"]);
    command.env(ALONE, name);
    command
}

/// The output of a process that runs a test alone, which passes.
#[track_caller]
pub fn passed(mut command: Command) -> String {
    let output = command.output().expect("it starts");
    let [text, errors] =
        [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    let has_passed = output.status.success() && text.contains("1 passed");
    assert!(has_passed, "{text}{errors}");
    text
}
