//! Routing ids that this side gives to peers (`connect_routing_id`): libzmq aborts when a peer gets one that another
//! peer has.

use super::error::{Error, Result};
use super::option::Value;
use super::Socket;
use crate::schema::{self, OptionRow};
use crate::sys::{self, Errno, DONTWAIT, SNDMORE};

/// What a ROUTER or STREAM has to remember for that.
#[derive(Default)]
pub(super) struct Naming {
    /// For the peer of the next connect.
    next: Option<Vec<u8>>,
    /// Those that stay taken, because libzmq can't tell when they are free again.
    taken: Vec<Vec<u8>>,
    /// The option router_mandatory, which can't be read.
    mandatory: i32,
}

const CONNECT: &str = "connect_routing_id";
const MANDATORY: &str = "router_mandatory";

impl Socket {
    /// To be called before an option is set.
    pub(super) fn check_option(&self, option: &OptionRow, value: &Value) -> Result<()> {
        match value {
            // Such names are libzmq's own to give.
            Value::Bytes(name) if option.name == CONNECT && name.first() == Some(&0) => {
                let hint = format!("option {CONNECT} begins with a 0");
                Err(Error::new(libc::EINVAL, hint))
            }
            _ => Ok(()),
        }
    }

    /// To be called after an option was set.
    pub(super) fn note_option(&mut self, option: &OptionRow, value: &Value) {
        match value {
            Value::Bytes(name) if option.name == CONNECT => self.naming.next = Some(name.clone()),
            Value::Int(on) if option.name == MANDATORY => self.naming.mandatory = *on as i32,
            _ => {}
        }
    }

    /// To be called before a connect. EADDRINUSE: another peer has the name.
    pub(super) fn check_name(&mut self) -> Result<()> {
        let Some(name) = self.naming.next.clone() else {
            return Ok(());
        };
        // Peers that left are gone once libzmq has looked.
        let _ = self.handle.get_int(sys::EVENTS);
        let taken = match schema::socket_type_name(self.kind) {
            Some("ROUTER") => match self.handle.peer_state(&name) {
                Err(Errno(libc::ENOTSUP)) => self.was_taken(&name),
                state => state.is_ok(),
            },
            // The peers of a STREAM have no names of their own.
            _ => self.naming.taken.contains(&name),
        };
        if taken {
            let hint = format!("{CONNECT} {} is another peer's", name.escape_ascii());
            return Err(Error::new(libc::EADDRINUSE, hint));
        }
        Ok(())
    }

    /// To be called after a connect that succeeded.
    pub(super) fn connected(&mut self) {
        self.naming.taken.extend(self.naming.next.take());
    }

    /// Whether a ROUTER ever had a peer of that name, as far as a libzmq without `peer_state` lets one know. One that
    /// is leaving doesn't answer any more and yet has its name, so a name once found taken stays so.
    fn was_taken(&mut self, name: &[u8]) -> bool {
        if self.naming.taken.iter().any(|known| known == name) {
            return true;
        }
        let answers = self.answers_to(name);
        if answers {
            self.naming.taken.push(name.to_vec());
        }
        answers
    }

    /// Whether a ROUTER has a peer of that name: a message for it would be refused otherwise. If there is one, it gets
    /// an empty message, which harms less than to abort.
    fn answers_to(&self, name: &[u8]) -> bool {
        let Some(mandatory) = schema::socket_option(MANDATORY) else {
            return true;
        };
        let set = |value| self.handle.set_int(mandatory.number, value);
        if set(1).is_err() {
            return true;
        }
        let begun = self.handle.send(name, SNDMORE | DONTWAIT);
        let answer = begun.map_err(Errno::from);
        if answer.is_ok() {
            let _ = self.handle.send(&[], DONTWAIT);
        }
        let _ = set(self.naming.mandatory);
        answer != Err(Errno(libc::EHOSTUNREACH))
    }
}
