//! Security settings with which libzmq would abort the process when the first peer shakes hands.

use super::error::{Error, Result};
use crate::schema;
use crate::sys;

/// Where libzmq looks for the ZAP handler of a context.
pub const ZAP_ENDPOINT: &[u8] = b"inproc://zeromq.zap.01";

/// Refuses to bind a socket to the ZAP endpoint that can't be a ZAP handler: libzmq aborts when it finds one there.
pub fn check_zap_handler(kind: i32, endpoint: &[u8]) -> Result<()> {
    let able = ["REP", "ROUTER", "SERVER"];
    let name = schema::socket_type_name(kind).unwrap_or("");
    if endpoint != ZAP_ENDPOINT || able.contains(&name) {
        return Ok(());
    }
    let endpoint = String::from_utf8_lossy(endpoint);
    let hint = format!("{endpoint} (a ZAP handler is a REP or ROUTER socket, not {name})");
    Err(Error::new(libc::EINVAL, hint))
}

/// Refuses a PLAIN server that enforces its ZAP domain and has none: libzmq aborts when a client comes.
pub fn check_domain(socket: &sys::Socket) -> Result<()> {
    let number = |name| schema::socket_option(name).map_or(0, |row| row.number);
    let is_on = |name| socket.get_int(number(name)).is_ok_and(|value| value != 0);
    if is_on("zap_enforce_domain") && is_on("plain_server") {
        let mut domain = [0; 256];
        // What comes back ends with a NUL.
        if socket
            .get(number("zap_domain"), &mut domain)
            .is_ok_and(|size| size <= 1)
        {
            let hint = "a PLAIN server with zap_enforce_domain needs a zap_domain";
            return Err(Error::new(libc::EINVAL, hint));
        }
    }
    Ok(())
}
