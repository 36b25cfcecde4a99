//! What a row about an option says; used for socket and context options alike.

/// The C type of an option's value and how it meets a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// C `int`, 4 bytes.
    Int,
    /// C `int` that is 0 or 1.
    Bool,
    /// `int64_t`.
    I64,
    /// `uint64_t`.
    U64,
    /// A file descriptor: `int` on Unix, `SOCKET` on Windows.
    Fd,
    /// Text. It is set without a NUL; what is read loses one trailing NUL. Where libzmq lets an
    /// option be emptied it wants a NULL pointer with length 0, not a pointer to nothing.
    Str,
    /// Binary: every byte is kept.
    Bytes,
    /// A CURVE key: set as 32 bytes or 40 characters of Z85, read with a buffer of exactly 32
    /// bytes (raw) or 41 (Z85 and NUL).
    Key,
    /// Bytes or text that a program may give as a list; libzmq is called once per entry, and each
    /// entry adds to those before.
    Strings,
}

/// What libzmq itself allows; its man pages are wrong in places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Can be set and read.
    ReadWrite,
    /// Setting fails with EINVAL.
    ReadOnly,
    /// Reading fails with EINVAL.
    WriteOnly,
}

/// When a new value takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At once.
    Anytime,
    /// Only binds and connects made later see it.
    BeforeBind,
    /// The next connect takes it, later ones don't.
    NextConnect,
    /// Context options: only before the context's first socket.
    BeforeSocket,
    /// Context options: only sockets created later see it.
    NewSockets,
}

/// A legal value that differs from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// For `Int`, `Bool`, `I64`, `U64` and `Fd`.
    Int(i64),
    /// For `Str`, `Strings` and `Key` (Z85).
    Str(&'static str),
    /// For `Bytes`.
    Bytes(&'static [u8]),
    /// Read only, or not settable without an environment the row's comment names.
    None,
}

/// A socket and a value with which a test can exercise the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// A socket type's name, as in `CONSTANTS`; empty for context options.
    pub socket: &'static str,
    /// What to set.
    pub value: Value,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// libzmq's name in lower case without `ZMQ_`.
    pub name: &'static str,
    /// libzmq's number.
    pub number: i32,
    /// Type of the value.
    pub kind: Kind,
    /// What libzmq allows.
    pub access: Access,
    /// Unit of the value, such as "ms"; empty when it has none.
    pub unit: &'static str,
    /// What libzmq starts with: a plain number where the value is one, "" for an empty value and
    /// for what only the socket's state decides, "not set" where nothing can be read yet.
    pub default: &'static str,
    /// First release that knows the number; (3, 1, 0) stands for older ones too.
    pub since: (u8, u8, u8),
    /// "all", or the socket types for which it means something, separated by ", ".
    pub sockets: &'static str,
    /// When a new value takes effect.
    pub when: When,
    /// What `zmq_has` must confirm, else libzmq answers EINVAL. WSS and norm options need drafts
    /// as well.
    pub capability: Option<&'static str>,
    /// Whether the header names it only under ZMQ_BUILD_DRAFT_API. Many such options are in every
    /// build of libzmq all the same; `capability` is "draft" for those that are not.
    pub draft: bool,
    /// Further names, libzmq's own old ones.
    pub aliases: &'static [&'static str],
    /// One to three sentences.
    pub doc: &'static str,
    /// How a test can exercise it.
    pub test: Test,
}

impl OptionRow {
    /// The row for a number that no row names: an int, which libzmq judges.
    pub const fn unnamed(name: &'static str, number: i32) -> OptionRow {
        OptionRow {
            name,
            number,
            ..ROW
        }
    }
}

/// The commonest answers, so that a row states only what is its own.
pub(super) const ROW: OptionRow = OptionRow {
    name: "",
    number: 0,
    kind: Kind::Int,
    access: Access::ReadWrite,
    unit: "",
    default: "",
    since: (3, 1, 0),
    sockets: "all",
    when: When::BeforeBind,
    capability: None,
    draft: false,
    aliases: &[],
    doc: "",
    test: Test {
        socket: "",
        value: Value::None,
    },
};

pub(super) const fn int(socket: &'static str, value: i64) -> Test {
    Test {
        socket,
        value: Value::Int(value),
    }
}

pub(super) const fn text(socket: &'static str, value: &'static str) -> Test {
    Test {
        socket,
        value: Value::Str(value),
    }
}

pub(super) const fn bytes(socket: &'static str, value: &'static [u8]) -> Test {
    Test {
        socket,
        value: Value::Bytes(value),
    }
}

/// For options that are read only, or whose row tells why no fixed value is legal.
pub(super) const fn unset(socket: &'static str) -> Test {
    Test {
        socket,
        value: Value::None,
    }
}

/// Whether `name` (bare, any case) is the row's name or one of its aliases.
pub(super) fn is_named(row: &OptionRow, name: &str) -> bool {
    row.name.eq_ignore_ascii_case(name)
        || row
            .aliases
            .iter()
            .any(|alias| alias.eq_ignore_ascii_case(name))
}
