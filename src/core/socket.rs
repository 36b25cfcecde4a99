//! Sockets: the payload of a socket object; how it is opened, bound, connected, configured and closed.

use super::context::Shared;
use super::endpoint;
use super::error::{About, Error, Result};
use super::option::{self, Setting, Value};
use super::registry::{registry, Owner};
use super::tag::{self, Kind, State};
use super::{ending, guard, multipart, naming, security};
use crate::schema::OptionRow;
use crate::sys::{self, Errno};
use std::ffi::CString;
use std::sync::Arc;
use std::time::Instant;

/// A socket as one Lua state holds it.
#[repr(C)]
pub struct Socket {
    tag: u64,
    pub(super) handle: sys::Socket,
    /// The message last received, until its Lua string exists.
    pub(super) inbox: sys::Message,
    /// What was received and not yet handed over: `multipart::{NOTHING, INBOX, PARTS}`. A C `int`, for LuaJIT
    /// writes it.
    pub(super) undelivered: i32,
    pub(super) kind: i32,
    /// How many messages the last receive of many took: the next one's list begins with room for as many.
    pub batch: i32,
    /// Its number in the registry, and in the tables of the Lua state that holds it.
    pub(super) number: u64,
    /// Whether closing it is ours to do.
    pub(super) owned: bool,
    /// When the call under way began; noted only while interrupted calls are retried.
    pub(super) began: Option<Instant>,
    /// None where the socket came from elsewhere.
    pub(super) context: Option<Arc<Shared>>,
    /// Texts given to `bind`, each with what libzmq made of it, oldest first.
    pub(super) binds: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) parts: multipart::Parts,
    pub(super) guard: guard::Guard,
    pub(super) naming: naming::Naming,
    /// Strings from this size on are lent; the largest number where there is nobody to lend.
    pub(super) lend_from: usize,
    /// What its Lua state has lent.
    pub(super) loans: Option<Arc<sys::Loans>>,
}

impl Socket {
    /// Opens a socket of libzmq's type number `kind`.
    pub fn open(context: &Arc<Shared>, kind: i32, owner: Owner) -> Result<Socket> {
        let handle = context.open(kind)?;
        let number = registry().lock().enter(&handle, owner, context.address());
        Ok(Socket::wrap(handle, kind, number, Some(context.clone())))
    }

    /// A socket around a handle; with a context it is ours to close.
    pub(super) fn wrap(
        handle: sys::Socket,
        kind: i32,
        number: u64,
        context: Option<Arc<Shared>>,
    ) -> Socket {
        let (tag, inbox) = (Kind::Socket.live(), sys::Message::new());
        let (undelivered, began, binds) = (multipart::NOTHING, None, Vec::new());
        let (parts, guard, naming) = Default::default();
        let mut socket = Socket {
            tag,
            handle,
            inbox,
            undelivered,
            kind,
            batch: 0,
            number,
            owned: context.is_some(),
            began,
            context,
            binds,
            parts,
            guard,
            naming,
            lend_from: usize::MAX,
            loans: None,
        };
        socket.guard_new();
        socket
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

    /// A number that no other socket of this process has; not 0.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The context it belongs to; None where the socket came from elsewhere.
    pub fn context(&self) -> Option<&Arc<Shared>> {
        self.context.as_ref()
    }

    /// The same, for calls that can't do without. EINVAL.
    pub(super) fn home(&self) -> Result<&Arc<Shared>> {
        let foreign = || {
            Error::new(
                libc::EINVAL,
                "the context of a socket from elsewhere is unknown",
            )
        };
        self.context.as_ref().ok_or_else(foreign)
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
        match self.owned {
            true => {
                registry().lock().release(self.number);
                self.handle.close();
                self.left_context();
            }
            false => self.handle.forget(),
        }
        self.forget();
    }

    /// Tells the context that the socket is no longer its own.
    pub(super) fn left_context(&self) {
        if let Some(context) = &self.context {
            context.closed_one(self.number);
        }
    }

    /// Forgets what belongs to the handle it had.
    pub(super) fn forget(&mut self) {
        self.inbox = sys::Message::new();
        self.undelivered = multipart::NOTHING;
        (self.parts, self.guard, self.naming, self.binds) = Default::default();
    }

    /// The finaliser's close: with at most `exit_linger` ms of linger.
    pub fn finish(&mut self) {
        if self.state() == State::Live {
            if self.owned {
                self.handle.limit_linger(ending::exit_linger());
            }
            self.close();
        }
    }

    /// Binds to an endpoint; does not block.
    pub fn bind(&mut self, endpoint: &[u8]) -> Result<()> {
        self.check_bind(endpoint)?;
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
        // To libzmq it is the same as a disconnect.
        self.take_begun();
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
    pub fn connect(&mut self, endpoint: &[u8]) -> Result<()> {
        security::check_domain(&self.handle)?;
        self.check_connect(endpoint)?;
        self.check_name()?;
        self.before_connect(endpoint);
        self.with_endpoint(endpoint, |text| self.handle.connect(&text))?;
        self.connected();
        self.may_read_from(endpoint);
        Ok(())
    }

    /// Undoes a connect, given the same text.
    pub fn disconnect(&mut self, endpoint: &[u8]) -> Result<()> {
        self.take_begun();
        self.before_disconnect(endpoint);
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
        if option.number == sys::EVENTS {
            return Ok(Value::Int(
                self.events().about(|| "option events".into())?.into(),
            ));
        }
        if option.number == sys::RCVMORE {
            let more = self.more().about(|| "option rcvmore".into())?;
            return Ok(Value::Int(more.into()));
        }
        let value = option::get(&self.handle, option, raw_key)?;
        Ok(match value {
            // libzmq leaves the scheme of udp out.
            Value::Bytes(text)
                if option.name == "last_endpoint"
                    && !text.is_empty()
                    && !text.windows(3).any(|at| at == b"://") =>
            {
                Value::Bytes([b"udp://", &text[..]].concat())
            }
            value => value,
        })
    }

    /// Sets an option.
    pub fn set(&mut self, option: &OptionRow, value: &Value) -> Result<()> {
        guard::check_applies(self.kind, option)?;
        self.check_option(option, value)?;
        option::set(&self.handle, option, value)?;
        self.note_option(option, value);
        Ok(())
    }

    /// Sets an option to a value chosen before.
    pub fn apply(&mut self, setting: &Setting) -> Result<()> {
        self.set(setting.option, &setting.value)
    }

    /// POLLIN and POLLOUT bits: what would not block now.
    #[inline]
    pub fn events(&self) -> std::result::Result<i32, Errno> {
        let held = if self.holds_message() {
            i32::from(sys::POLLIN)
        } else {
            0
        };
        self.handle.get_int(sys::EVENTS).map(|events| events | held)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.finish();
    }
}

fn row(name: &str) -> &'static OptionRow {
    crate::schema::socket_option(name).expect("the schema has every socket option")
}
