//! Failures as core reports them: an errno, and what it was about.

use crate::schema;
use crate::sys::Errno;
use std::os::raw::c_int;

/// A failure that libzmq, the system or rzmq itself reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The number, as libzmq gives it.
    pub errno: c_int,
    /// What it was about (an endpoint, an option, a hint); may be empty.
    pub about: String,
}

/// Result of a call in core.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error about something.
    pub fn new(errno: c_int, about: impl Into<String>) -> Error {
        Error {
            errno,
            about: about.into(),
        }
    }

    /// The text for people: "timeout", "interrupted", "closed", or libzmq's words with what it was about.
    pub fn text(&self) -> String {
        if let Some(short) = short_text(self.errno) {
            return short.to_owned();
        }
        let text = Errno(self.errno).text();
        if self.about.is_empty() {
            text
        } else {
            format!("{text}: {}", self.about)
        }
    }
}

impl From<Errno> for Error {
    fn from(errno: Errno) -> Error {
        Error::new(errno.0, "")
    }
}

/// "timeout" (EAGAIN), "interrupted" (EINTR), "closed" (ETERM); None for every other number.
pub fn short_text(errno: c_int) -> Option<&'static str> {
    schema::error_by_number(errno).and_then(|row| row.short)
}

/// Adds what an errno was about.
pub trait About<T> {
    /// Turns an errno into an `Error` about `what`.
    fn about(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> About<T> for std::result::Result<T, Errno> {
    fn about(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|errno| Error::new(errno.0, what()))
    }
}
