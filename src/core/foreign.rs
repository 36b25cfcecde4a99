//! Sockets that came from elsewhere, as an address. What holds for them is the caller's risk.

use super::error::{About, Result};
use super::registry::{self, registry, Owner};
use super::Socket;
use crate::sys;
use std::ffi::c_void;
use std::ptr::NonNull;

/// The handle at `pointer`, and its type. One of ours on this thread stays one: closing it there is seen here.
fn handle_at(pointer: NonNull<c_void>) -> Result<(sys::Socket, i32)> {
    let handle = registry::socket_at(pointer).unwrap_or_else(|| sys::Socket::borrowed(pointer));
    let kind = handle
        .get_int(sys::TYPE)
        .about(|| format!("{pointer:?} is no socket"))?;
    Ok((handle, kind))
}

impl Socket {
    /// Borrows the socket at `pointer`: whoever made it closes it, after the last use here. ENOTSOCK.
    pub fn borrow(pointer: NonNull<c_void>) -> Result<Socket> {
        let (handle, kind) = handle_at(pointer)?;
        let number = registry().lock().number();
        Ok(Socket::wrap(handle, kind, number, None))
    }

    /// Puts the socket at `pointer` in the place of the one that this object has. With `own`, closing it is now up to
    /// this object, for `owner`. With `close`, the old one is closed; else its address is returned, and closing it is
    /// up to the caller if it was up to this object. ENOTSOCK.
    pub fn reset(
        &mut self,
        pointer: NonNull<c_void>,
        own: bool,
        close: bool,
        owner: Owner,
    ) -> Result<Option<usize>> {
        let (handle, kind) = handle_at(pointer)?;
        // Its monitor ends first.
        if self.owned {
            registry().lock().release(self.number);
            self.left_context();
        }
        let mut old = std::mem::replace(&mut self.handle, handle);
        let address = old.as_ptr() as usize;
        match close {
            true => old.close(),
            false => old.forget(),
        }
        self.forget();
        (self.kind, self.owned) = (kind, own);
        self.guard_new();
        if own {
            let context = self.context.as_ref();
            let address = context.map_or(0, |context| context.address());
            self.number = registry().lock().enter(&self.handle, owner, address);
            if let Some(context) = context {
                context.opened_one();
            }
        }
        Ok((!close).then_some(address))
    }
}
