//! Sockets: the payload of a socket object, and every call on it.

use super::context::Shared;
use super::endpoint;
use super::error::Result;
use super::option::{self, Setting, Value};
use super::registry::{registry, OpenSocket, Owner};
use super::tag::{self, Kind, State};
use super::{ending, message::Message, security};
use crate::schema::OptionRow;
use crate::sys::{self, Errno, Failed};
use std::ffi::CString;
use std::sync::Arc;
use std::time::Instant;

/// A socket as one Lua state holds it.
#[repr(C)]
pub struct Socket {
    tag: u64,
    handle: sys::Socket,
    /// The message last received, until its Lua string exists.
    inbox: sys::Message,
    /// Whether `inbox` holds a message that nobody got yet. A C `int`, for LuaJIT writes it.
    undelivered: i32,
    kind: i32,
    number: u64,
    /// When the call under way began; noted only while interrupted calls are retried.
    began: Option<Instant>,
    context: Arc<Shared>,
    /// Texts given to `bind`, each with what libzmq made of it, oldest first.
    binds: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Socket {
    /// Opens a socket of libzmq's type number `kind`.
    pub fn open(context: &Arc<Shared>, kind: i32, owner: Owner) -> Result<Socket> {
        let handle = context.open(kind)?;
        let number = {
            let mut open = registry().lock();
            let number = open.number();
            let entry = OpenSocket {
                closer: handle.closer(),
                owner,
                context: context.address(),
            };
            open.sockets.insert(number, entry);
            number
        };
        let (inbox, context) = (sys::Message::new(), context.clone());
        let tag = Kind::Socket.live();
        let (undelivered, began, binds) = (0, None, Vec::new());
        Ok(Socket {
            tag,
            handle,
            inbox,
            undelivered,
            kind,
            number,
            began,
            context,
            binds,
        })
    }

    /// Whether it is a socket of this process: the hot check. A closed one passes; libzmq refuses it (ENOTSOCK).
    #[inline(always)]
    pub fn is_ours(&self) -> bool {
        self.tag == tag::live_socket()
    }

    /// Live, closed, or the parent's.
    pub fn state(&self) -> State {
        match Kind::Socket.state(self.tag) {
            State::Live if self.handle.is_closed() => State::Closed,
            state => state,
        }
    }

    /// libzmq's number for its type.
    pub fn kind(&self) -> i32 {
        self.kind
    }

    /// The context it belongs to.
    pub fn context(&self) -> &Arc<Shared> {
        &self.context
    }

    /// libzmq's handle, for the calls that have no method here.
    pub fn handle(&self) -> &sys::Socket {
        &self.handle
    }

    /// Closes it. Never blocks: unsent messages go on for the linger period. A second call does nothing.
    pub fn close(&mut self) {
        if self.handle.is_closed() || Kind::Socket.state(self.tag) != State::Live {
            return;
        }
        self.handle.close();
        registry().lock().sockets.remove(&self.number);
        self.context.closed_one();
        self.inbox = sys::Message::new();
        self.undelivered = 0;
        self.binds = Vec::new();
    }

    /// The finaliser's close: with at most `exit_linger` ms of linger.
    pub fn finish(&mut self) {
        if self.state() == State::Live {
            self.handle.limit_linger(ending::exit_linger());
            self.close();
        }
    }

    /// Binds to an endpoint; does not block.
    pub fn bind(&mut self, endpoint: &[u8]) -> Result<()> {
        let text = endpoint::check(endpoint)?;
        security::check_zap_handler(self.kind, endpoint)?;
        security::check_domain(&self.handle)?;
        self.handle
            .bind(&text)
            .map_err(|e| endpoint::explain(e, endpoint))?;
        let resolved = self.last_endpoint().unwrap_or_else(|_| endpoint.to_vec());
        self.binds.push((endpoint.to_vec(), resolved));
        Ok(())
    }

    /// Undoes a bind, given the text that `bind` was given (the oldest bind still open with it) or its resolved form.
    pub fn unbind(&mut self, endpoint: &[u8]) -> Result<()> {
        let at = (self.binds.iter())
            .position(|(_, resolved)| resolved == endpoint)
            .or_else(|| self.binds.iter().position(|(given, _)| given == endpoint));
        let resolved = at.map_or(endpoint, |at| &self.binds[at].1);
        let text = endpoint::check(resolved)?;
        self.handle
            .unbind(&text)
            .map_err(|e| endpoint::explain(e, endpoint))?;
        if let Some(at) = at {
            self.binds.remove(at);
        }
        Ok(())
    }

    /// Connects to an endpoint; does not block, and the peer need not be there yet.
    pub fn connect(&self, endpoint: &[u8]) -> Result<()> {
        security::check_domain(&self.handle)?;
        self.with_endpoint(endpoint, |text| self.handle.connect(&text))
    }

    /// Undoes a connect, given the same text.
    pub fn disconnect(&self, endpoint: &[u8]) -> Result<()> {
        self.with_endpoint(endpoint, |text| self.handle.disconnect(&text))
    }

    fn with_endpoint(
        &self,
        endpoint: &[u8],
        call: impl FnOnce(CString) -> std::result::Result<(), Errno>,
    ) -> Result<()> {
        call(endpoint::check(endpoint)?).map_err(|e| endpoint::explain(e, endpoint))
    }

    /// What libzmq made of the last bind or connect.
    pub fn last_endpoint(&self) -> Result<Vec<u8>> {
        match self.get(row("last_endpoint"), false)? {
            Value::Bytes(text) => Ok(text),
            _ => Ok(Vec::new()),
        }
    }

    /// Reads an option; `raw_key` asks for a CURVE key's 32 bytes.
    pub fn get(&self, option: &OptionRow, raw_key: bool) -> Result<Value> {
        option::get(&self.handle, option, raw_key)
    }

    /// Sets an option.
    pub fn set(&self, option: &OptionRow, value: &Value) -> Result<()> {
        option::set(&self.handle, option, value)
    }

    /// Sets an option to a value chosen before.
    pub fn apply(&self, setting: &Setting) -> Result<()> {
        self.set(setting.option, &setting.value)
    }

    /// Sends a copy of `bytes` (`zmq_send`). Blocks as the option sndtimeo says, unless DONTWAIT.
    #[inline(always)]
    pub fn send(&mut self, bytes: &[u8], flags: i32) -> std::result::Result<(), Failed> {
        if ending::retry_interrupted() {
            return self.noting(|socket| socket.handle.send(bytes, flags));
        }
        self.handle.send(bytes, flags)
    }

    /// Sends a message, which is empty afterwards; on failure it is unchanged.
    #[inline(always)]
    pub fn send_message(
        &mut self,
        message: &mut Message,
        flags: i32,
    ) -> std::result::Result<(), Failed> {
        if ending::retry_interrupted() {
            return self.noting(|socket| socket.handle.send_message(&mut message.inner, flags));
        }
        self.handle.send_message(&mut message.inner, flags)
    }

    /// Receives into a message. Blocks as the option rcvtimeo says, unless DONTWAIT.
    #[inline(always)]
    pub fn recv_message(
        &mut self,
        message: &mut Message,
        flags: i32,
    ) -> std::result::Result<(), Failed> {
        if self.undelivered != 0 || ending::retry_interrupted() {
            return self.recv_message_slowly(message, flags);
        }
        self.handle
            .recv_message(&mut message.inner, flags)
            .map(drop)
    }

    #[cold]
    #[inline(never)]
    fn recv_message_slowly(
        &mut self,
        message: &mut Message,
        flags: i32,
    ) -> std::result::Result<(), Failed> {
        if self.undelivered != 0 {
            self.undelivered = 0;
            return message.inner.take(&mut self.inbox).map_err(|_| Failed);
        }
        self.noting(|socket| socket.handle.recv_message(&mut message.inner, flags))
            .map(drop)
    }

    /// Receives into the socket, where the message stays undelivered until `delivered`; returns its size, clipped to
    /// the largest int. A message that is there already, because making its string failed, comes again.
    #[inline(always)]
    pub fn recv(&mut self, flags: i32) -> std::result::Result<i32, Failed> {
        if self.undelivered != 0 || ending::retry_interrupted() {
            return self.recv_slowly(flags);
        }
        let size = self.handle.recv_message(&mut self.inbox, flags)?;
        self.undelivered = 1;
        Ok(size)
    }

    #[cold]
    #[inline(never)]
    fn recv_slowly(&mut self, flags: i32) -> std::result::Result<i32, Failed> {
        if self.undelivered == 0 {
            self.noting(|socket| socket.handle.recv_message(&mut socket.inbox, flags))?;
            self.undelivered = 1;
        }
        Ok(i32::try_from(self.inbox.len()).unwrap_or(i32::MAX))
    }

    /// The message that `recv` found.
    #[inline(always)]
    pub fn inbox(&self) -> &sys::Message {
        &self.inbox
    }

    /// A call whose beginning is noted, in case a signal interrupts it.
    #[cold]
    #[inline(never)]
    fn noting<T>(&mut self, call: impl FnOnce(&mut Socket) -> T) -> T {
        self.began = Some(Instant::now());
        call(self)
    }

    /// The message that `recv` left here is in the user's hands. Big ones are freed at once.
    #[inline(always)]
    pub fn delivered(&mut self, size: usize) {
        self.undelivered = 0;
        if size > KEEP_INBOX {
            self.inbox = sys::Message::new();
        }
    }

    /// Goes on with a call that a signal interrupted, for what is left of its timeout (the option `timeout`, set and
    /// restored here), as long as `go_on` says so.
    pub fn resume<T>(
        &mut self,
        timeout: i32,
        mut go_on: impl FnMut() -> bool,
        mut call: impl FnMut(&mut Socket) -> std::result::Result<T, Failed>,
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

    /// Where `undelivered` is, for LuaJIT to clear.
    #[inline(always)]
    pub fn undelivered_flag(&mut self) -> *mut i32 {
        &mut self.undelivered
    }

    /// Whether another part of the message last received follows.
    #[inline]
    pub fn more(&self) -> std::result::Result<bool, Errno> {
        self.handle.get_int(sys::RCVMORE).map(|more| more != 0)
    }

    /// POLLIN and POLLOUT bits: what would not block now.
    #[inline]
    pub fn events(&self) -> std::result::Result<i32, Errno> {
        self.handle.get_int(sys::EVENTS)
    }
}

/// The largest message that a socket keeps until its next receive, in bytes.
pub const KEEP_INBOX: usize = 8192;

impl Drop for Socket {
    fn drop(&mut self) {
        self.finish();
    }
}

fn row(name: &str) -> &'static OptionRow {
    crate::schema::socket_option(name).expect("the schema has every socket option")
}
