//! Error names and numbers: the system's (Linux) and libzmq's own, as in zmq_errno(3).

/// One error.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    /// The C name, such as "EAGAIN".
    pub name: &'static str,
    /// The errno.
    pub number: i32,
    /// The word that stands for the error's text in results, as in lua-zmq.
    pub short: Option<&'static str>,
}

/// The error of that number. Of several names for one number the usual one answers.
pub fn error_by_number(number: i32) -> Option<&'static ErrorRow> {
    ERRORS.iter().find(|row| row.number == number)
}

/// The error of that name, in any ASCII case.
pub fn error_by_name(name: &str) -> Option<&'static ErrorRow> {
    ERRORS
        .iter()
        .find(|row| row.name.eq_ignore_ascii_case(name))
}

/// libzmq numbers its own errors from here, so that they meet none of the system's.
const HAUSNUMERO: i32 = 156_384_712;

macro_rules! errors {
    ($($name:ident $(=> $short:literal)?),* $(,)?) => {
        &[$(ErrorRow {
            name: stringify!($name),
            number: libc::$name,
            short: errors!(@short $($short)?),
        },)*
        ErrorRow { name: "EFSM", number: HAUSNUMERO + 51, short: None },
        ErrorRow { name: "ENOCOMPATPROTO", number: HAUSNUMERO + 52, short: None },
        ErrorRow { name: "ETERM", number: HAUSNUMERO + 53, short: Some("closed") },
        ErrorRow { name: "EMTHREAD", number: HAUSNUMERO + 54, short: None }]
    };
    (@short) => { None };
    (@short $short:literal) => { Some($short) };
}

/// Every error. The last names of the system's are second names for numbers above them.
#[rustfmt::skip]
pub static ERRORS: &[ErrorRow] = errors![
    EPERM, ENOENT, ESRCH, EINTR => "interrupted", EIO, ENXIO, E2BIG, ENOEXEC, EBADF, ECHILD,
    EAGAIN => "timeout", ENOMEM, EACCES, EFAULT, ENOTBLK, EBUSY, EEXIST, EXDEV, ENODEV, ENOTDIR,
    EISDIR, EINVAL, ENFILE, EMFILE, ENOTTY, ETXTBSY, EFBIG, ENOSPC, ESPIPE, EROFS, EMLINK, EPIPE,
    EDOM, ERANGE, EDEADLK, ENAMETOOLONG, ENOLCK, ENOSYS, ENOTEMPTY, ELOOP, ENOMSG, EIDRM, ECHRNG,
    EL2NSYNC, EL3HLT, EL3RST, ELNRNG, EUNATCH, ENOCSI, EL2HLT, EBADE, EBADR, EXFULL, ENOANO,
    EBADRQC, EBADSLT, EBFONT, ENOSTR, ENODATA, ETIME, ENOSR, ENONET, ENOPKG, EREMOTE, ENOLINK,
    EADV, ESRMNT, ECOMM, EPROTO, EMULTIHOP, EDOTDOT, EBADMSG, EOVERFLOW, ENOTUNIQ, EBADFD, EREMCHG,
    ELIBACC, ELIBBAD, ELIBSCN, ELIBMAX, ELIBEXEC, EILSEQ, ERESTART, ESTRPIPE, EUSERS, ENOTSOCK,
    EDESTADDRREQ, EMSGSIZE, EPROTOTYPE, ENOPROTOOPT, EPROTONOSUPPORT, ESOCKTNOSUPPORT, ENOTSUP,
    EPFNOSUPPORT, EAFNOSUPPORT, EADDRINUSE, EADDRNOTAVAIL, ENETDOWN, ENETUNREACH, ENETRESET,
    ECONNABORTED, ECONNRESET, ENOBUFS, EISCONN, ENOTCONN, ESHUTDOWN, ETOOMANYREFS, ETIMEDOUT,
    ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH, EALREADY, EINPROGRESS, ESTALE, EUCLEAN, ENOTNAM,
    ENAVAIL, EISNAM, EREMOTEIO, EDQUOT, ENOMEDIUM, EMEDIUMTYPE, ECANCELED, ENOKEY, EKEYEXPIRED,
    EKEYREVOKED, EKEYREJECTED, EOWNERDEAD, ENOTRECOVERABLE, ERFKILL, EHWPOISON,
    EWOULDBLOCK => "timeout", EDEADLOCK, EOPNOTSUPP,
];
