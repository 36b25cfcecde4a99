//! `zmq_msg_*`.

use super::{check, Errno};
use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::raw::c_int;

/// A libzmq message, always initialised; closed when dropped.
#[repr(transparent)]
pub struct Message(zmq_sys::zmq_msg_t);

// SAFETY: a message is a value: libzmq counts references to shared content atomically, and forbids only use from
// two threads at once, which `&mut` rules out.
unsafe impl Send for Message {}

impl Default for Message {
    fn default() -> Self {
        Message::new()
    }
}

impl Message {
    /// `zmq_msg_init`: an empty message.
    #[inline]
    pub fn new() -> Message {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: zmq_msg_init initialises the memory it is given, and can't fail.
        unsafe {
            zmq_sys::zmq_msg_init(raw.as_mut_ptr());
            Message(raw.assume_init())
        }
    }

    /// `zmq_msg_init_size`: a message of `size` bytes, not cleared; ENOMEM.
    #[inline]
    pub fn with_size(size: usize) -> Result<Message, Errno> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: on success the memory is an initialised message.
        unsafe {
            check(zmq_sys::zmq_msg_init_size(raw.as_mut_ptr(), size))?;
            Ok(Message(raw.assume_init()))
        }
    }

    /// A message holding a copy of `bytes`; ENOMEM.
    #[inline]
    pub fn from_bytes(bytes: &[u8]) -> Result<Message, Errno> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: on success the memory is an initialised message, with room for the bytes where zmq_msg_data says.
        unsafe {
            init_copy(raw.as_mut_ptr(), bytes)?;
            Ok(Message(raw.assume_init()))
        }
    }

    /// Replaces the content by a copy of `bytes`; ENOMEM leaves it as it was.
    #[inline(always)]
    pub fn assign(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        if bytes.len() > SURELY_INLINE {
            return self.replace(bytes);
        }
        // SAFETY: an initialised message is closed and made anew in its place, which can't fail for so few bytes: they
        // lie within the message.
        unsafe {
            zmq_sys::zmq_msg_close(self.raw());
            let _ = init_copy(self.raw(), bytes);
        }
        Ok(())
    }

    #[inline(never)]
    fn replace(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        *self = Message::from_bytes(bytes)?;
        Ok(())
    }

    /// Wraps an initialised message.
    pub(super) fn from_raw(raw: zmq_sys::zmq_msg_t) -> Message {
        Message(raw)
    }

    /// The raw message.
    #[inline(always)]
    pub(super) fn raw(&mut self) -> *mut zmq_sys::zmq_msg_t {
        &mut self.0
    }

    fn raw_const(&self) -> *mut zmq_sys::zmq_msg_t {
        // zmq_msg_data and friends take a mutable pointer without writing through it.
        std::ptr::from_ref(&self.0).cast_mut()
    }

    /// `zmq_msg_size`.
    #[inline(always)]
    pub fn len(&self) -> usize {
        // SAFETY: an initialised message.
        unsafe { zmq_sys::zmq_msg_size(&self.0) }
    }

    /// Whether it holds no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `zmq_msg_data`.
    #[inline(always)]
    pub fn data(&self) -> *mut u8 {
        // SAFETY: an initialised message, only read.
        unsafe { zmq_sys::zmq_msg_data(self.raw_const()).cast() }
    }

    /// The content.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        let size = self.len();
        if size == 0 {
            return &[];
        }
        // SAFETY: libzmq keeps `size` bytes at this address until the message changes, which `&self` forbids.
        unsafe { std::slice::from_raw_parts(self.data(), size) }
    }

    /// The content, to write into.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let size = self.len();
        if size == 0 {
            return &mut [];
        }
        // SAFETY: as in `bytes`; `&mut self` makes this the only access through this message.
        unsafe { std::slice::from_raw_parts_mut(self.data(), size) }
    }

    /// `zmq_msg_more`: whether another part follows.
    pub fn more(&self) -> bool {
        // SAFETY: an initialised message.
        unsafe { zmq_sys::zmq_msg_more(&self.0) != 0 }
    }

    /// `zmq_msg_move`: takes the content of `source`, which becomes empty.
    pub fn take(&mut self, source: &mut Message) -> Result<(), Errno> {
        // SAFETY: two initialised messages, distinct because both are `&mut`.
        check(unsafe { zmq_sys::zmq_msg_move(self.raw(), source.raw()) }).map(drop)
    }

    /// `zmq_msg_copy`: shares the content of `source`.
    pub fn share(&mut self, source: &mut Message) -> Result<(), Errno> {
        // SAFETY: as above; libzmq marks the source as shared.
        check(unsafe { zmq_sys::zmq_msg_copy(self.raw(), source.raw()) }).map(drop)
    }

    /// `zmq_msg_get`.
    pub fn get(&self, property: c_int) -> Result<c_int, Errno> {
        // SAFETY: an initialised message.
        check(unsafe { zmq_sys::zmq_msg_get(&self.0, property) })
    }

    /// `zmq_msg_set`.
    pub fn set(&mut self, property: c_int, value: c_int) -> Result<(), Errno> {
        // SAFETY: an initialised message.
        check(unsafe { zmq_sys::zmq_msg_set(self.raw(), property, value) }).map(drop)
    }

    /// `zmq_msg_gets`: a metadata value; EINVAL where there is none.
    pub fn gets(&self, name: &CStr) -> Result<Vec<u8>, Errno> {
        // SAFETY: an initialised message and a NUL-terminated name; the text is copied at once.
        unsafe {
            let text = zmq_sys::zmq_msg_gets(&self.0, name.as_ptr());
            if text.is_null() {
                return Err(Errno::last());
            }
            Ok(CStr::from_ptr(text).to_bytes().to_vec())
        }
    }

    /// `zmq_msg_routing_id` (draft): 0 where none is set.
    pub fn routing_id(&mut self) -> Result<u32, Errno> {
        let call = zmq_sys::late::zmq_msg_routing_id().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: an initialised message.
        Ok(unsafe { call(self.raw()) })
    }

    /// `zmq_msg_set_routing_id` (draft); EINVAL for 0.
    pub fn set_routing_id(&mut self, id: u32) -> Result<(), Errno> {
        let call = zmq_sys::late::zmq_msg_set_routing_id().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: an initialised message.
        check(unsafe { call(self.raw(), id) }).map(drop)
    }

    /// `zmq_msg_group` (draft): empty where none is set.
    pub fn group(&mut self) -> Result<CString, Errno> {
        let call = zmq_sys::late::zmq_msg_group().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: an initialised message; the text is copied at once.
        unsafe {
            let text = call(self.raw());
            Ok(if text.is_null() {
                CString::default()
            } else {
                CStr::from_ptr(text).to_owned()
            })
        }
    }

    /// Whether it still is a message: a failed send of libzmq's DGRAM leaves none behind, and to read its size then
    /// would abort.
    pub(super) fn is_whole(&mut self) -> bool {
        Message::new().share(self).is_ok()
    }

    /// `zmq_msg_set_group` (draft); EINVAL beyond GROUP_MAX_LENGTH characters.
    pub fn set_group(&mut self, group: &CStr) -> Result<(), Errno> {
        let call = zmq_sys::late::zmq_msg_set_group().ok_or(Errno(libc::ENOTSUP))?;
        // SAFETY: an initialised message and a NUL-terminated name.
        check(unsafe { call(self.raw(), group.as_ptr()) }).map(drop)
    }
}

/// libzmq keeps up to 33 bytes within the message and allocates nothing for them.
const SURELY_INLINE: usize = 33;

/// Initialises the message at `raw` with a copy of `bytes`.
///
/// # Safety
/// `raw` has room for a message and holds none.
#[inline(always)]
unsafe fn init_copy(raw: *mut zmq_sys::zmq_msg_t, bytes: &[u8]) -> Result<(), Errno> {
    // SAFETY: the caller's promise; pointer and length describe `bytes`, and a message of their size has room.
    unsafe {
        if let Some(init_buffer) = zmq_sys::late::zmq_msg_init_buffer() {
            return check(init_buffer(raw, bytes.as_ptr().cast(), bytes.len())).map(drop);
        }
        check(zmq_sys::zmq_msg_init_size(raw, bytes.len()))?;
        let data = zmq_sys::zmq_msg_data(raw).cast::<u8>();
        data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
    }
    Ok(())
}

impl Drop for Message {
    fn drop(&mut self) {
        // SAFETY: an initialised message, not used again.
        unsafe { zmq_sys::zmq_msg_close(self.raw()) };
    }
}
