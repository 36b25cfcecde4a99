//! The error numbers libzmq's functions leave in `zmq_errno`. Must not know what they mean to callers.

pub use libc::{
    EACCES, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EAGAIN, EBUSY, ECONNABORTED, ECONNREFUSED,
    ECONNRESET, EFAULT, EHOSTUNREACH, EINPROGRESS, EINTR, EINVAL, EMFILE, EMSGSIZE, ENAMETOOLONG,
    ENETDOWN, ENETRESET, ENETUNREACH, ENOBUFS, ENODEV, ENOENT, ENOMEM, ENOTCONN, ENOTSOCK, ENOTSUP,
    EPROTO, EPROTONOSUPPORT, ETIMEDOUT,
};

use crate::ffi;

/// A row is a number that exists only in `zmq.h`, as the `i32` that `zmq_errno` answers.
macro_rules! own {
    ($($name:ident)*) => { $(
        #[allow(missing_docs)]
        pub const $name: i32 = ffi::$name as i32;
    )* };
}

own! { EFSM ENOCOMPATPROTO ETERM EMTHREAD }

/// A row is what `zmq.h` puts in the place of a number that the platform's `errno.h` lacks.
macro_rules! stand_in {
    ($($name:ident = $offset:literal)*) => { $(
        #[allow(missing_docs)]
        pub const $name: i32 = ffi::ZMQ_HAUSNUMERO as i32 + $offset;
    )* };
}

stand_in! {
    ENOTSUP_ALT = 1
    EPROTONOSUPPORT_ALT = 2
    ENOBUFS_ALT = 3
    ENETDOWN_ALT = 4
    EADDRINUSE_ALT = 5
    EADDRNOTAVAIL_ALT = 6
    ECONNREFUSED_ALT = 7
    EINPROGRESS_ALT = 8
    ENOTSOCK_ALT = 9
    EMSGSIZE_ALT = 10
    EAFNOSUPPORT_ALT = 11
    ENETUNREACH_ALT = 12
    ECONNABORTED_ALT = 13
    ECONNRESET_ALT = 14
    ENOTCONN_ALT = 15
    ETIMEDOUT_ALT = 16
    EHOSTUNREACH_ALT = 17
    ENETRESET_ALT = 18
}
