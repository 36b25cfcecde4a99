//! Messages: the payload of a message object.

use super::error::Result;
use super::tag::{self, Kind, State};
use crate::sys;

/// A message and whether it is closed.
#[repr(C)]
pub struct Message {
    tag: u64,
    /// libzmq's message; empty once closed.
    pub inner: sys::Message,
}

impl Message {
    /// Wraps a message.
    pub fn new(inner: sys::Message) -> Message {
        Message {
            tag: tag::MESSAGE,
            inner,
        }
    }

    /// Whether it is a live message: the hot check.
    #[inline(always)]
    pub fn is_live(&self) -> bool {
        self.tag == tag::MESSAGE
    }

    /// Live or closed.
    pub fn state(&self) -> State {
        Kind::Message.state(self.tag)
    }

    /// Lets go of the content; a second call does nothing.
    pub fn close(&mut self) {
        self.inner = sys::Message::new();
        self.tag = tag::closed(tag::MESSAGE);
    }

    /// Replaces the content by a copy of `bytes`; ENOMEM leaves it as it was.
    #[inline(always)]
    pub fn set_data(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.inner.assign(bytes)?)
    }

    /// Changes the size; the common prefix stays.
    pub fn set_size(&mut self, size: usize) -> Result<()> {
        if size != self.inner.len() {
            let mut other = sys::Message::with_size(size)?;
            let common = size.min(self.inner.len());
            other.bytes_mut()[..common].copy_from_slice(&self.inner.bytes()[..common]);
            other.bytes_mut()[common..].fill(0);
            self.inner = other;
        }
        Ok(())
    }

    /// Makes the content its own, so that writing into it changes no copy; ENOMEM.
    pub fn unshare(&mut self) -> Result<()> {
        if self.inner.get(sys::SHARED).is_ok_and(|shared| shared != 0) {
            self.inner = sys::Message::from_bytes(self.inner.bytes())?;
        }
        Ok(())
    }
}
