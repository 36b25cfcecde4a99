//! How a function that libzmq may lack is found: the macro `late!` and, for the system's library,
//! the look-up by name. Must not know which functions those are: `lib.rs` has the rows.

/// Makes from each row a function of that name that answers the pointer, or `None` where the
/// library has no such function.
macro_rules! late {
    ($(fn $name:ident($($arg:ty),*) -> $ret:ty;)*) => {
        /// The draft functions: each answers the function's pointer, or `None` where the library
        /// has none. Never blocks; costs one atomic load, nothing where libzmq is built in.
        pub mod late {
            use super::*;

            /// The names of all rows, in `zmq.h`'s order.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            $(
                #[doc = concat!("`", stringify!($name), "`, or `None` where the library lacks it.")]
                #[inline]
                pub fn $name() -> Option<unsafe extern "C" fn($($arg),*) -> $ret> {
                    #[cfg(not(feature = "system-libzmq"))]
                    return Some(ffi::$name);
                    #[cfg(feature = "system-libzmq")]
                    {
                        use std::sync::OnceLock;
                        type Function = unsafe extern "C" fn($($arg),*) -> $ret;
                        static FOUND: OnceLock<Option<Function>> = OnceLock::new();
                        *FOUND.get_or_init(|| {
                            let name = concat!(stringify!($name), "\0");
                            let address = crate::lookup::address(name)?;
                            // SAFETY: libzmq exports this name as the function `zmq.h` declares,
                            // and the built-in build checks the row's types against that.
                            Some(unsafe {
                                std::mem::transmute::<std::ptr::NonNull<c_void>, Function>(address)
                            })
                        })
                    }
                }
            )*
        }
        // Hides the plain declarations, so that nobody links to them by mistake.
        pub use late::{$($name),*};
    };
}

#[cfg(feature = "system-libzmq")]
pub(crate) use by_name::address;

#[cfg(feature = "system-libzmq")]
mod by_name {
    use std::ffi::CStr;
    use std::mem::MaybeUninit;
    use std::ptr::NonNull;
    use std::sync::OnceLock;

    use libc::c_void;

    /// The address that the process's libzmq exports under `name` (with its NUL), if it does.
    pub(crate) fn address(name: &str) -> Option<NonNull<c_void>> {
        let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
        // SAFETY: the handle is open (or `RTLD_DEFAULT`), the name a C string.
        NonNull::new(unsafe { libc::dlsym(handle(), name.as_ptr()) })
    }

    /// The library that holds `zmq_ctx_new`. `RTLD_DEFAULT` alone won't do: a host loads modules
    /// `RTLD_LOCAL`, and what a module brings along is then in nobody's default scope.
    fn handle() -> *mut c_void {
        static HANDLE: OnceLock<usize> = OnceLock::new();
        let find = || {
            let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
            let inside = crate::zmq_ctx_new as *const c_void;
            // SAFETY: `info` is writable; `dladdr` fills it in when it answers non-zero.
            let info = unsafe {
                if libc::dladdr(inside, info.as_mut_ptr()) == 0 {
                    return libc::RTLD_DEFAULT as usize;
                }
                info.assume_init()
            };
            // SAFETY: `dli_fname` is a C string that lives as long as the library, which is loaded
            // already: nothing is run here, and the handle is never closed.
            let handle =
                unsafe { libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            // No handle: `zmq_ctx_new` is in the program itself, whose scope is the default one.
            if handle.is_null() {
                libc::RTLD_DEFAULT as usize
            } else {
                handle as usize
            }
        };
        *HANDLE.get_or_init(find) as *mut c_void
    }
}

#[cfg(all(test, feature = "system-libzmq"))]
mod tests {
    use super::address;

    #[test]
    fn names_are_looked_up_in_the_linked_library() {
        let found = address("zmq_ctx_new\0").map(|address| address.as_ptr() as usize);
        assert_eq!(found, Some(crate::zmq_ctx_new as *const () as usize));
        assert_eq!(address("zmq_no_such_function\0"), None);
    }
}
