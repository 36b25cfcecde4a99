//! Messages: the payload of a message object.

use super::error::Result;
use super::held::Held;
use super::tag::{self, Kind, State};
use crate::sys;

/// A message and whether it is closed.
#[repr(C)]
pub struct Message {
    tag: u64,
    /// libzmq's message; empty once closed.
    pub inner: sys::Message,
    pub(super) held: Held,
}

impl Message {
    /// Wraps a message.
    pub fn new(inner: sys::Message) -> Message {
        let mut message = Message {
            tag: tag::MESSAGE,
            inner,
            held: Held::default(),
        };
        message.recount();
        message
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

    /// To be called when the content was replaced: counts its bytes.
    pub fn recount(&mut self) {
        self.held.set(self.inner.len());
    }

    /// Takes the content of `source`, which becomes empty. Whether the collector is to go on.
    pub fn take(&mut self, source: &mut Message) -> Result<bool> {
        self.inner.take(&mut source.inner)?;
        Ok(self.count_with(source))
    }

    /// Shares the content of `source`. Whether the collector is to go on.
    pub fn share(&mut self, source: &mut Message) -> Result<bool> {
        self.inner.share(&mut source.inner)?;
        Ok(self.count_with(source))
    }

    fn count_with(&mut self, source: &mut Message) -> bool {
        source.recount();
        self.held.set(self.inner.len())
    }

    /// Lets go of the content; a second call does nothing.
    pub fn close(&mut self) {
        self.inner = sys::Message::new();
        self.held.set(0);
        self.tag = tag::closed(tag::MESSAGE);
    }

    /// Replaces the content by a copy of `bytes`; ENOMEM leaves it as it was. Whether the collector is to go on.
    #[inline(always)]
    pub fn set_data(&mut self, bytes: &[u8]) -> Result<bool> {
        self.inner.assign(bytes)?;
        Ok(self.held.set(bytes.len()))
    }

    /// Changes the size; the common prefix stays, as do routing id and group. ENOMEM leaves it as it was.
    pub fn set_size(&mut self, size: usize) -> Result<()> {
        if size != self.inner.len() {
            self.rebuild(size, true)?;
        }
        Ok(())
    }

    /// Writes `bytes` over the content from `start` on; it grows where it has to. ENOMEM leaves it as it was.
    pub fn write(&mut self, start: usize, bytes: &[u8]) -> Result<()> {
        let end = start
            .checked_add(bytes.len())
            .ok_or(sys::Errno(libc::ENOMEM))?;
        self.rebuild(end.max(self.inner.len()), true)?;
        self.inner.bytes_mut()[start..end].copy_from_slice(bytes);
        Ok(())
    }

    /// Gives it bytes of its own: those it had may belong to its copies too, or to whoever sent it over inproc.
    pub(super) fn rebuild(&mut self, size: usize, with_group: bool) -> Result<()> {
        let mut other = sys::Message::with_size(size)?;
        let common = size.min(self.inner.len());
        other.bytes_mut()[..common].copy_from_slice(&self.inner.bytes()[..common]);
        other.bytes_mut()[common..].fill(0);
        if let Ok(id @ 1..) = self.inner.routing_id() {
            other.set_routing_id(id)?;
        }
        match self.inner.group() {
            Ok(group) if with_group && !group.is_empty() => other.set_group(&group)?,
            _ => {}
        }
        self.inner = other;
        self.held.set(size);
        Ok(())
    }
}
