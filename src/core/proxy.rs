//! Proxies: messages carried from one socket to another until somebody ends it.
//!
//! Not libzmq's own: 4.3.5's takes RESUME for PAUSE, spins while paused, crashes when one socket is both ends of a
//! steered proxy, waits where neither TERMINATE nor a signal is heard when a peer is slow, and then loses the message it
//! holds. Here no call waits but the one poll, and a message that found no room goes back to its socket at the end.

use super::error::{About, Result};
use super::socket::Socket;
use crate::schema;
use crate::sys::{self, Errno, Message, PollItem, Target, DONTWAIT, POLLIN, POLLOUT, SNDMORE};
use std::time::Duration;

/// How many parts go one way before it is the other way's turn.
const BURST: usize = 1000;

/// After how many ms a message is tried again on a socket that claims to have room and takes none, as a ROUTER with
/// router_mandatory does.
const RETRY_MS: i32 = 10;

/// The sockets of a proxy.
pub struct Sockets<'s> {
    /// Requests come in and replies go out here.
    pub frontend: &'s mut Socket,
    /// Requests go out and replies come in here; None where that is the frontend too.
    pub backend: Option<&'s mut Socket>,
    /// Gets a copy of everything.
    pub capture: Option<&'s mut Socket>,
    /// Where PAUSE, RESUME, TERMINATE and STATISTICS come from.
    pub control: Option<&'s mut Socket>,
}

type Answer<T> = std::result::Result<T, Errno>;

#[derive(Clone, Copy, Default)]
struct Count {
    parts: u64,
    bytes: u64,
}

impl Count {
    fn add(&mut self, bytes: usize) {
        self.parts += 1;
        self.bytes += bytes as u64;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// For a message.
    Input,
    /// For room on the socket to send on.
    Room,
    /// For room on the capture socket.
    CaptureRoom,
    /// For time to pass.
    Retry,
}

/// One way through the proxy; sockets by their place in `Proxy::sockets`.
struct Flow {
    from: usize,
    to: usize,
    waits: Waits,
    /// A part that was received and not sent yet, and whether it was captured.
    held: Option<Message>,
    captured: bool,
    /// Whether a part of the message under way was sent: then the others have room too, or the peer is gone.
    inside: bool,
    received: Count,
    sent: Count,
}

impl Flow {
    fn new(from: usize, to: usize) -> Flow {
        Flow {
            from,
            to,
            waits: Waits::Input,
            held: None,
            captured: false,
            inside: false,
            received: Count::default(),
            sent: Count::default(),
        }
    }
}

struct Proxy<'s> {
    sockets: Vec<&'s mut Socket>,
    capture: Option<usize>,
    control: Option<usize>,
    paused: bool,
}

/// TERMINATE came.
struct End;

/// Carries messages between the sockets until TERMINATE comes (Ok), or ETERM, or a signal for which `go_on` says no
/// (EINTR), or another failure of a socket. Blocks till then.
pub fn run(sockets: Sockets, go_on: &mut dyn FnMut() -> bool) -> Result<()> {
    let mut all = vec![sockets.frontend];
    let mut add = |socket: Option<_>| {
        socket.map(|socket| {
            all.push(socket);
            all.len() - 1
        })
    };
    let mut flows = match add(sockets.backend) {
        None => vec![Flow::new(0, 0)],
        Some(back) => vec![Flow::new(0, back), Flow::new(back, 0)],
    };
    let (capture, control) = (add(sockets.capture), add(sockets.control));
    let mut proxy = Proxy {
        sockets: all,
        capture,
        control,
        paused: false,
    };
    let result = loop {
        match proxy.round(&mut flows) {
            Ok(Some(End)) => break Ok(()),
            Ok(None) => {}
            Err(Errno(libc::EINTR)) if go_on() => {}
            Err(errno) => break Err(errno).about(|| "proxy".into()),
        }
    };
    for flow in &mut flows {
        if let Some(part) = flow.held.take() {
            proxy.sockets[flow.from].put_back(part);
        }
    }
    result
}

/// Whether a call that must not wait did its work. EFSM is a REQ's or REP's way to say that it isn't its turn.
fn done<T>(result: std::result::Result<T, impl Into<Errno>>) -> Answer<bool> {
    match result.map_err(Into::into) {
        Ok(_) => Ok(true),
        Err(Errno(libc::EAGAIN)) => Ok(false),
        Err(errno) => match schema::error_by_number(errno.0) {
            Some(row) if row.name == "EFSM" => Ok(false),
            _ => Err(errno),
        },
    }
}

impl Proxy<'_> {
    /// Waits once, and does what can be done then.
    fn round(&mut self, flows: &mut [Flow]) -> Answer<Option<End>> {
        let mut items = Vec::with_capacity(3);
        // Which flow each item is of; the control socket's comes last.
        let mut of = Vec::with_capacity(3);
        let mut timeout = -1;
        for (number, flow) in flows.iter().enumerate().filter(|_| !self.paused) {
            let (socket, events) = match flow.waits {
                Waits::Input if self.sockets[flow.from].holds_message() => {
                    timeout = 0;
                    continue;
                }
                Waits::Input => (flow.from, POLLIN),
                Waits::Room => (flow.to, POLLOUT),
                Waits::CaptureRoom => (self.capture.unwrap_or(flow.to), POLLOUT),
                Waits::Retry => {
                    timeout = timeout.max(RETRY_MS);
                    continue;
                }
            };
            items.push(self.item(socket, events));
            of.push(number);
        }
        if let Some(control) = self.control {
            items.push(self.item(control, POLLIN));
        }
        if items.is_empty() {
            sys::sleep(Duration::from_millis(timeout.max(0) as u64))?;
        } else {
            sys::poll(&mut items, timeout.into())?;
        }
        let ready: Vec<bool> = items.iter().map(|item| item.revents() != 0).collect();
        drop(items);
        if let (Some(control), Some(true)) = (self.control, ready.get(of.len())) {
            if let Some(End) = self.obey(control, flows)? {
                return Ok(Some(End));
            }
        }
        if !self.paused {
            for (number, flow) in flows.iter_mut().enumerate() {
                let waited = of.iter().position(|&n| n == number);
                if waited.map_or(true, |at| ready[at]) {
                    self.carry(flow)?;
                }
            }
        }
        Ok(None)
    }

    fn item(&self, socket: usize, events: i16) -> PollItem<'_> {
        PollItem::new(Target::Socket(self.sockets[socket].handle()), events)
    }

    fn has_room(&self, socket: usize) -> Answer<bool> {
        let events = self.sockets[socket].handle().get_int(sys::EVENTS)?;
        Ok(events & i32::from(POLLOUT) != 0)
    }

    /// Carries what can be carried one way now.
    fn carry(&mut self, flow: &mut Flow) -> Answer<()> {
        // A message is taken only where there is room for it.
        if flow.held.is_none() {
            if flow.from != flow.to && !self.has_room(flow.to)? {
                flow.waits = Waits::Room;
                return Ok(());
            }
            if let Some(capture) = self.capture {
                if !self.has_room(capture)? {
                    flow.waits = Waits::CaptureRoom;
                    return Ok(());
                }
            }
        }
        let mut parts = 0;
        loop {
            let mut part = match flow.held.take() {
                Some(part) => part,
                None => {
                    let mut part = Message::new();
                    if !done(self.sockets[flow.from].recv_part(&mut part, DONTWAIT))? {
                        flow.waits = Waits::Input;
                        return Ok(());
                    }
                    flow.received.add(part.len());
                    part
                }
            };
            let more = part.more();
            let passed = self.pass(flow, &mut part, if more { SNDMORE } else { 0 });
            if passed != Ok(Waits::Input) {
                flow.held = Some(part);
                flow.waits = passed?;
                return Ok(());
            }
            parts += 1;
            if parts >= BURST && !more {
                flow.waits = Waits::Input;
                return Ok(());
            }
        }
    }

    /// Sends one part, first to the capture socket; `Input` when it is gone, else what it waits for. Where a peer goes
    /// in the midst of a message, libzmq drops what it has and expects the rest, to drop that too.
    fn pass(&mut self, flow: &mut Flow, part: &mut Message, flags: i32) -> Answer<Waits> {
        if let (Some(capture), false) = (self.capture, flow.captured) {
            let mut copy = Message::new();
            copy.share(part)?;
            let sent = done(self.sockets[capture].send_part(&mut copy, DONTWAIT | flags))?;
            if !sent && !flow.inside {
                return Ok(self.retry(capture)?.unwrap_or(Waits::CaptureRoom));
            }
            flow.captured = true;
        }
        let bytes = part.len();
        if done(self.sockets[flow.to].send_part(part, DONTWAIT | flags))? {
            flow.sent.add(bytes);
        } else if !flow.inside {
            return Ok(self.retry(flow.to)?.unwrap_or(Waits::Room));
        }
        flow.captured = false;
        flow.inside = flags & SNDMORE != 0;
        Ok(Waits::Input)
    }

    /// `Retry` for a socket that says it has room although it just took nothing.
    fn retry(&self, socket: usize) -> Answer<Option<Waits>> {
        Ok(self.has_room(socket)?.then_some(Waits::Retry))
    }

    /// Does what the next message on the control socket says; words it doesn't know do nothing.
    fn obey(&mut self, control: usize, flows: &[Flow]) -> Answer<Option<End>> {
        let socket = &mut *self.sockets[control];
        let mut command = Message::new();
        if !done(socket.recv_part(&mut command, DONTWAIT))? {
            return Ok(None);
        }
        let (mut rest, mut more) = (Message::new(), command.more());
        while more {
            socket.recv_part(&mut rest, DONTWAIT)?;
            more = rest.more();
        }
        let mut end = None;
        match command.bytes() {
            b"PAUSE" => self.paused = true,
            b"RESUME" => self.paused = false,
            b"TERMINATE" => end = Some(End),
            b"STATISTICS" => {
                tell(socket, flows);
                return Ok(None);
            }
            _ => {}
        }
        if schema::socket_type_name(socket.kind()) == Some("REP") {
            // A REP must answer before it hears more. Whoever left gets none.
            let _ = socket.send(b"", DONTWAIT);
        }
        Ok(end)
    }
}

/// Answers STATISTICS: parts and bytes received and sent by the frontend, then by the backend.
fn tell(socket: &mut Socket, flows: &[Flow]) {
    let (request, reply) = (&flows[0], flows.get(1));
    let none = Count::default();
    let (back_received, front_sent) = reply.map_or((none, none), |flow| (flow.received, flow.sent));
    // With one socket for both ends, what went out went out of the backend.
    let counts = [request.received, front_sent, back_received, request.sent];
    let numbers = counts.map(|count| [count.parts, count.bytes]).concat();
    for (at, number) in numbers.iter().enumerate() {
        let more = if at + 1 < numbers.len() { SNDMORE } else { 0 };
        if socket.send(&number.to_ne_bytes(), DONTWAIT | more).is_err() {
            // A SUB or PULL can't answer.
            return;
        }
    }
}
