//! Errors of calls: the standard's code, and what to say about it.

use crate::cl;
use std::fmt;

/// Result of everything that a call may fail at.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call or a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// One of the standard's negative codes.
    pub code: i32,
    /// What was expected, what came; empty where the code says it all.
    pub message: String,
}

impl Error {
    /// An error with a message.
    pub fn new(code: i32, message: impl Into<String>) -> Error {
        Error { code, message: message.into() }
    }

    /// Something of the machine or the driver, not of the program's calls: `CL_OUT_OF_RESOURCES`.
    pub fn resources(message: impl Into<String>) -> Error {
        Error::new(cl::OUT_OF_RESOURCES, message)
    }
}

impl From<i32> for Error {
    fn from(code: i32) -> Error {
        Error::new(code, "")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (cl::error_name(self.code), self.message.is_empty()) {
            (name, true) => f.write_str(name),
            (name, false) => write!(f, "{name}: {}", self.message),
        }
    }
}

/// Fails with `code` unless `holds`.
pub fn need(holds: bool, code: i32, message: &str) -> Result<()> {
    match holds {
        true => Ok(()),
        false => Err(Error::new(code, message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_build_has_its_name() {
        assert_eq!(Error::from(cl::BUILD_PROGRAM_FAILURE).to_string(), "CL_BUILD_PROGRAM_FAILURE");
    }
}
