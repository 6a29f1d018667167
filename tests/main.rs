//! The one integration test binary. Each module runs the cases of one folder of `testdata` or one property.

mod ast;
mod support;
mod tools;
