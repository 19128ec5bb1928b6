//! Runs the command line: the tests of each command, which stand in its folder, and those of several commands.

mod common;

mod agree;
mod bad_input;
mod documents;
mod lists;
mod not_analysed;
mod replay;
mod schema;
mod world;

#[path = "../../src/commands/alarms/tests.rs"]
mod alarms;
#[path = "../../src/commands/bounds/tests.rs"]
mod bounds;
#[path = "../../src/commands/certify/tests.rs"]
mod certify;
#[path = "../../src/commands/completions/tests.rs"]
mod completions;
#[path = "../../src/commands/contracts/tests.rs"]
mod contracts;
#[path = "../../src/commands/dump/tests.rs"]
mod dump;
#[path = "../../src/commands/loops/tests.rs"]
mod loops;
#[path = "../../src/commands/overview/tests.rs"]
mod overview;
#[path = "../../src/commands/run/tests.rs"]
mod run;
#[path = "../../src/commands/summarize/tests.rs"]
mod summarize;
#[path = "../../src/commands/terminates/tests.rs"]
mod terminates;
#[path = "../../src/commands/tests/tests.rs"]
mod tests;
#[path = "../../src/commands/variance/tests.rs"]
mod variance;
#[path = "../../src/commands/verify/tests.rs"]
mod verify;
