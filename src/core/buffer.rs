//! Buffers: the payload of a buffer object, memory of fixed size to receive into and send from.

use super::error::Result;
use super::held::Held;
use super::tag::{self, Kind, State};
use crate::sys::Errno;

/// Memory, until it is closed.
#[repr(C)]
pub struct Buffer {
    tag: u64,
    /// Empty once closed.
    pub bytes: Vec<u8>,
    held: Held,
}

impl Buffer {
    /// A buffer of `size` bytes, all 0; ENOMEM.
    pub fn new(size: usize) -> Result<Buffer> {
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(size)
            .map_err(|_| Errno(libc::ENOMEM))?;
        bytes.resize(size, 0);
        let mut held = Held::default();
        held.set(size);
        let tag = tag::BUFFER;
        Ok(Buffer { tag, bytes, held })
    }

    /// Whether it is an open buffer: the hot check.
    #[inline(always)]
    pub fn is_live(&self) -> bool {
        self.tag == tag::BUFFER
    }

    /// Open or closed.
    pub fn state(&self) -> State {
        Kind::Buffer.state(self.tag)
    }

    /// Frees the memory; a second call does nothing.
    pub fn close(&mut self) {
        self.bytes = Vec::new();
        self.held.set(0);
        self.tag = tag::closed(tag::BUFFER);
    }
}
