//! The one integration test binary. Each module runs the cases of one folder of `testdata` or one property.

#![expect(unreachable_pub, reason = "the modules of one test binary use each other")]

mod adoption;
mod agent;
mod ast;
mod audit;
mod authoring;
mod behaviour;
mod cli;
mod corners;
mod corpus;
mod engine;
mod foreign;
mod fuzz;
mod fuzz_targets;
mod generated;
mod globs;
mod handoff;
mod inspect;
mod judged;
mod kills;
mod layers;
mod lifecycle;
mod marks;
mod patterns;
mod places;
mod read_back;
mod readme;
mod recordings;
mod replay;
mod rules;
mod sessions;
mod statements;
mod stories;
mod streams;
mod support;
mod tools;
mod verify;
mod written;
