//! Sending and receiving one part: the hot calls.
//!
//! What is rare (a signal's interruption to be overcome, RADIO and DGRAM, parts that wait for a Lua that had no memory) lies
//! behind one branch each, in cold functions.

use super::loan::ASKS_LUA;
use super::message::Message;
use super::multipart::{INBOX, NOTHING};
use super::{draft, slow, Socket};
use crate::sys::{self, Errno, Failed};
use std::time::Instant;

/// The largest message that a socket keeps until its next receive, in bytes.
pub const KEEP_INBOX: usize = 8192;

type Answer<T> = std::result::Result<T, Failed>;

impl Socket {
    /// Sends a copy of `bytes` (`zmq_send`). Blocks as the option sndtimeo says, unless DONTWAIT. `ASKS_LUA` where they
    /// are to be lent instead, or strings came back.
    #[inline(always)]
    pub fn send(&mut self, bytes: &[u8], flags: i32) -> Answer<()> {
        if slow::any() || self.lends(bytes.len()) {
            return self.send_slowly(bytes, flags);
        }
        self.handle.send(bytes, flags)
    }

    #[cold]
    #[inline(never)]
    fn send_slowly(&mut self, bytes: &[u8], flags: i32) -> Answer<()> {
        if self.lends(bytes.len()) || self.asks_lua() {
            return Err(ASKS_LUA.fail());
        }
        self.send_copy_slowly(bytes, flags)
    }

    /// Sends a copy of `bytes`, however many.
    #[inline(always)]
    pub fn send_copy(&mut self, bytes: &[u8], flags: i32) -> Answer<()> {
        if slow::any() {
            return self.send_copy_slowly(bytes, flags);
        }
        self.handle.send(bytes, flags)
    }

    #[cold]
    #[inline(never)]
    fn send_copy_slowly(&mut self, bytes: &[u8], flags: i32) -> Answer<()> {
        if self.guard.watchful {
            let part = sys::Message::from_bytes(bytes);
            return self.send_part_slowly(&mut part.map_err(Errno::fail)?, flags);
        }
        self.noting(|socket| socket.handle.send(bytes, flags))
    }

    /// Sends a message, which is empty afterwards; on failure it is unchanged.
    #[inline(always)]
    pub fn send_message(&mut self, message: &mut Message, flags: i32) -> Answer<()> {
        self.send_part(&mut message.inner, flags)?;
        message.held.set(0);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn send_part(&mut self, part: &mut sys::Message, flags: i32) -> Answer<()> {
        if slow::any() {
            return self.send_part_slowly(part, flags);
        }
        self.handle.send_message(part, flags)
    }

    #[cold]
    #[inline(never)]
    fn send_part_slowly(&mut self, part: &mut sys::Message, flags: i32) -> Answer<()> {
        if slow::has(slow::GROUPS) && !self.is_radio() {
            draft::shed_group(part).map_err(Errno::fail)?;
        }
        self.noting(|socket| match socket.guard.watchful {
            true => socket.send_watchfully(part, flags).map_err(Errno::fail),
            false => socket.handle.send_message(part, flags),
        })
    }

    /// Receives into a message. Blocks as the option rcvtimeo says, unless DONTWAIT. Whether the collector is to go on.
    #[inline(always)]
    pub fn recv_message(&mut self, message: &mut Message, flags: i32) -> Answer<bool> {
        let size = self.recv_part(&mut message.inner, flags)?;
        Ok(message.held.set(size as usize))
    }

    #[inline(always)]
    pub(super) fn recv_part(&mut self, part: &mut sys::Message, flags: i32) -> Answer<i32> {
        if self.undelivered != NOTHING || slow::has(slow::RETRY) {
            return self.recv_part_slowly(part, flags);
        }
        self.handle.recv_message(part, flags)
    }

    #[cold]
    #[inline(never)]
    fn recv_part_slowly(&mut self, part: &mut sys::Message, flags: i32) -> Answer<i32> {
        if self.undelivered != NOTHING {
            self.take_undelivered(part).map_err(Errno::fail)?;
            return Ok(i32::try_from(part.len()).unwrap_or(i32::MAX));
        }
        self.noting(|socket| socket.handle.recv_message(part, flags))
    }

    /// Receives into the socket; returns the size, clipped to the largest int, and where to write 0 once the message
    /// was delivered. One that is there already, because making its string failed, comes again. `ASKS_LUA` where
    /// strings came back.
    #[inline(always)]
    pub fn recv(&mut self, flags: i32) -> Answer<(i32, *mut i32)> {
        if self.undelivered != NOTHING || slow::has(slow::RETRY | slow::RETURNED) {
            return self.recv_slowly(flags);
        }
        let size = self.handle.recv_message(&mut self.inbox, flags)?;
        self.undelivered = INBOX;
        Ok((size, &mut self.undelivered))
    }

    #[cold]
    #[inline(never)]
    fn recv_slowly(&mut self, flags: i32) -> Answer<(i32, *mut i32)> {
        if self.undelivered == NOTHING {
            if self.asks_lua() {
                return Err(ASKS_LUA.fail());
            }
            self.noting(|socket| socket.handle.recv_message(&mut socket.inbox, flags))?;
            self.undelivered = INBOX;
        }
        let undelivered = self.again();
        Ok((
            i32::try_from(self.inbox.len()).unwrap_or(i32::MAX),
            undelivered,
        ))
    }

    /// Receives into memory; returns the message's size, which may be more than there is room for.
    #[inline(always)]
    pub fn recv_into(&mut self, room: &mut [u8], flags: i32) -> Answer<usize> {
        self.recv(flags)?;
        let size = self.inbox.len();
        let fits = size.min(room.len());
        room[..fits].copy_from_slice(&self.inbox.bytes()[..fits]);
        self.taken();
        self.delivered(size);
        Ok(size)
    }

    /// The message that `recv` found.
    #[inline(always)]
    pub fn inbox(&self) -> &sys::Message {
        &self.inbox
    }

    /// Frees what `recv` left here, now that it was delivered; only worth it for big ones.
    #[inline(always)]
    pub fn delivered(&mut self, size: usize) {
        if size > KEEP_INBOX {
            self.inbox = sys::Message::new();
        }
    }

    /// A call whose beginning is noted, in case a signal interrupts it.
    #[cold]
    #[inline(never)]
    fn noting<T>(&mut self, call: impl FnOnce(&mut Socket) -> T) -> T {
        self.began = Some(Instant::now());
        call(self)
    }

    /// Goes on with a call that a signal interrupted, for what is left of its timeout (the option `timeout`, set and
    /// restored here), as long as `go_on` says so.
    pub fn resume<T>(
        &mut self,
        timeout: i32,
        mut go_on: impl FnMut() -> bool,
        mut call: impl FnMut(&mut Socket) -> Answer<T>,
    ) -> std::result::Result<T, Errno> {
        let began = self.began.unwrap_or_else(Instant::now);
        let limit = self.handle.get_int(timeout)?;
        let mut result = Err(Errno(libc::EINTR));
        while matches!(result, Err(Errno(libc::EINTR))) && go_on() {
            if limit > 0 {
                let passed = i32::try_from(began.elapsed().as_millis()).unwrap_or(i32::MAX);
                self.handle
                    .set_int(timeout, limit.saturating_sub(passed).max(0))?;
            }
            result = call(self).map_err(Errno::from);
            if limit > 0 {
                self.handle.set_int(timeout, limit)?;
            }
        }
        result
    }

    /// Whether another part of the message last received follows.
    #[inline]
    pub fn more(&self) -> std::result::Result<bool, Errno> {
        if self.parts_wait() {
            return Ok(true);
        }
        self.handle.get_int(sys::RCVMORE).map(|more| more != 0)
    }
}
