//! Runs every program as a user would.
#![forbid(unsafe_code)]

mod process;
mod run;

use process::{Program, run, succeed};
