//! Text of the intermediate representation, for `--emit ir` and for tests.
