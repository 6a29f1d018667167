//! Rule files, from bytes to registered rules.
