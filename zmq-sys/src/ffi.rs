//! What `zmq.h` of libzmq 4.3.5 declares, drafts included. Generated: see README.md.
use libc::{iovec, sigset_t};

pub type zmq_free_fn =
    ::std::option::Option<unsafe extern "C" fn(data_: *mut libc::c_void, hint_: *mut libc::c_void)>;
pub type zmq_fd_t = libc::c_int;
pub type zmq_timer_fn =
    ::std::option::Option<unsafe extern "C" fn(timer_id: libc::c_int, arg: *mut libc::c_void)>;
pub type zmq_thread_fn = ::std::option::Option<unsafe extern "C" fn(arg1: *mut libc::c_void)>;
#[repr(C)]
#[repr(align(8))]
#[derive(Debug, Copy, Clone)]
pub struct zmq_msg_t {
    pub __: [libc::c_uchar; 64usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct zmq_pollitem_t {
    pub socket: *mut libc::c_void,
    pub fd: zmq_fd_t,
    pub events: libc::c_short,
    pub revents: libc::c_short,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct zmq_poller_event_t {
    pub socket: *mut libc::c_void,
    pub fd: zmq_fd_t,
    pub user_data: *mut libc::c_void,
    pub events: libc::c_short,
}
pub const ZMQ_VERSION_MAJOR: u32 = 4;
pub const ZMQ_VERSION_MINOR: u32 = 3;
pub const ZMQ_VERSION_PATCH: u32 = 5;
pub const ZMQ_DEFINED_STDINT: u32 = 1;
pub const ZMQ_HAUSNUMERO: u32 = 156384712;
pub const EFSM: u32 = 156384763;
pub const ENOCOMPATPROTO: u32 = 156384764;
pub const ETERM: u32 = 156384765;
pub const EMTHREAD: u32 = 156384766;
pub const ZMQ_IO_THREADS: u32 = 1;
pub const ZMQ_MAX_SOCKETS: u32 = 2;
pub const ZMQ_SOCKET_LIMIT: u32 = 3;
pub const ZMQ_THREAD_PRIORITY: u32 = 3;
pub const ZMQ_THREAD_SCHED_POLICY: u32 = 4;
pub const ZMQ_MAX_MSGSZ: u32 = 5;
pub const ZMQ_MSG_T_SIZE: u32 = 6;
pub const ZMQ_THREAD_AFFINITY_CPU_ADD: u32 = 7;
pub const ZMQ_THREAD_AFFINITY_CPU_REMOVE: u32 = 8;
pub const ZMQ_THREAD_NAME_PREFIX: u32 = 9;
pub const ZMQ_IO_THREADS_DFLT: u32 = 1;
pub const ZMQ_MAX_SOCKETS_DFLT: u32 = 1023;
pub const ZMQ_THREAD_PRIORITY_DFLT: i32 = -1;
pub const ZMQ_THREAD_SCHED_POLICY_DFLT: i32 = -1;
pub const ZMQ_PAIR: u32 = 0;
pub const ZMQ_PUB: u32 = 1;
pub const ZMQ_SUB: u32 = 2;
pub const ZMQ_REQ: u32 = 3;
pub const ZMQ_REP: u32 = 4;
pub const ZMQ_DEALER: u32 = 5;
pub const ZMQ_ROUTER: u32 = 6;
pub const ZMQ_PULL: u32 = 7;
pub const ZMQ_PUSH: u32 = 8;
pub const ZMQ_XPUB: u32 = 9;
pub const ZMQ_XSUB: u32 = 10;
pub const ZMQ_STREAM: u32 = 11;
pub const ZMQ_XREQ: u32 = 5;
pub const ZMQ_XREP: u32 = 6;
pub const ZMQ_AFFINITY: u32 = 4;
pub const ZMQ_ROUTING_ID: u32 = 5;
pub const ZMQ_SUBSCRIBE: u32 = 6;
pub const ZMQ_UNSUBSCRIBE: u32 = 7;
pub const ZMQ_RATE: u32 = 8;
pub const ZMQ_RECOVERY_IVL: u32 = 9;
pub const ZMQ_SNDBUF: u32 = 11;
pub const ZMQ_RCVBUF: u32 = 12;
pub const ZMQ_RCVMORE: u32 = 13;
pub const ZMQ_FD: u32 = 14;
pub const ZMQ_EVENTS: u32 = 15;
pub const ZMQ_TYPE: u32 = 16;
pub const ZMQ_LINGER: u32 = 17;
pub const ZMQ_RECONNECT_IVL: u32 = 18;
pub const ZMQ_BACKLOG: u32 = 19;
pub const ZMQ_RECONNECT_IVL_MAX: u32 = 21;
pub const ZMQ_MAXMSGSIZE: u32 = 22;
pub const ZMQ_SNDHWM: u32 = 23;
pub const ZMQ_RCVHWM: u32 = 24;
pub const ZMQ_MULTICAST_HOPS: u32 = 25;
pub const ZMQ_RCVTIMEO: u32 = 27;
pub const ZMQ_SNDTIMEO: u32 = 28;
pub const ZMQ_LAST_ENDPOINT: u32 = 32;
pub const ZMQ_ROUTER_MANDATORY: u32 = 33;
pub const ZMQ_TCP_KEEPALIVE: u32 = 34;
pub const ZMQ_TCP_KEEPALIVE_CNT: u32 = 35;
pub const ZMQ_TCP_KEEPALIVE_IDLE: u32 = 36;
pub const ZMQ_TCP_KEEPALIVE_INTVL: u32 = 37;
pub const ZMQ_IMMEDIATE: u32 = 39;
pub const ZMQ_XPUB_VERBOSE: u32 = 40;
pub const ZMQ_ROUTER_RAW: u32 = 41;
pub const ZMQ_IPV6: u32 = 42;
pub const ZMQ_MECHANISM: u32 = 43;
pub const ZMQ_PLAIN_SERVER: u32 = 44;
pub const ZMQ_PLAIN_USERNAME: u32 = 45;
pub const ZMQ_PLAIN_PASSWORD: u32 = 46;
pub const ZMQ_CURVE_SERVER: u32 = 47;
pub const ZMQ_CURVE_PUBLICKEY: u32 = 48;
pub const ZMQ_CURVE_SECRETKEY: u32 = 49;
pub const ZMQ_CURVE_SERVERKEY: u32 = 50;
pub const ZMQ_PROBE_ROUTER: u32 = 51;
pub const ZMQ_REQ_CORRELATE: u32 = 52;
pub const ZMQ_REQ_RELAXED: u32 = 53;
pub const ZMQ_CONFLATE: u32 = 54;
pub const ZMQ_ZAP_DOMAIN: u32 = 55;
pub const ZMQ_ROUTER_HANDOVER: u32 = 56;
pub const ZMQ_TOS: u32 = 57;
pub const ZMQ_CONNECT_ROUTING_ID: u32 = 61;
pub const ZMQ_GSSAPI_SERVER: u32 = 62;
pub const ZMQ_GSSAPI_PRINCIPAL: u32 = 63;
pub const ZMQ_GSSAPI_SERVICE_PRINCIPAL: u32 = 64;
pub const ZMQ_GSSAPI_PLAINTEXT: u32 = 65;
pub const ZMQ_HANDSHAKE_IVL: u32 = 66;
pub const ZMQ_SOCKS_PROXY: u32 = 68;
pub const ZMQ_XPUB_NODROP: u32 = 69;
pub const ZMQ_BLOCKY: u32 = 70;
pub const ZMQ_XPUB_MANUAL: u32 = 71;
pub const ZMQ_XPUB_WELCOME_MSG: u32 = 72;
pub const ZMQ_STREAM_NOTIFY: u32 = 73;
pub const ZMQ_INVERT_MATCHING: u32 = 74;
pub const ZMQ_HEARTBEAT_IVL: u32 = 75;
pub const ZMQ_HEARTBEAT_TTL: u32 = 76;
pub const ZMQ_HEARTBEAT_TIMEOUT: u32 = 77;
pub const ZMQ_XPUB_VERBOSER: u32 = 78;
pub const ZMQ_CONNECT_TIMEOUT: u32 = 79;
pub const ZMQ_TCP_MAXRT: u32 = 80;
pub const ZMQ_THREAD_SAFE: u32 = 81;
pub const ZMQ_MULTICAST_MAXTPDU: u32 = 84;
pub const ZMQ_VMCI_BUFFER_SIZE: u32 = 85;
pub const ZMQ_VMCI_BUFFER_MIN_SIZE: u32 = 86;
pub const ZMQ_VMCI_BUFFER_MAX_SIZE: u32 = 87;
pub const ZMQ_VMCI_CONNECT_TIMEOUT: u32 = 88;
pub const ZMQ_USE_FD: u32 = 89;
pub const ZMQ_GSSAPI_PRINCIPAL_NAMETYPE: u32 = 90;
pub const ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE: u32 = 91;
pub const ZMQ_BINDTODEVICE: u32 = 92;
pub const ZMQ_MORE: u32 = 1;
pub const ZMQ_SHARED: u32 = 3;
pub const ZMQ_DONTWAIT: u32 = 1;
pub const ZMQ_SNDMORE: u32 = 2;
pub const ZMQ_NULL: u32 = 0;
pub const ZMQ_PLAIN: u32 = 1;
pub const ZMQ_CURVE: u32 = 2;
pub const ZMQ_GSSAPI: u32 = 3;
pub const ZMQ_GROUP_MAX_LENGTH: u32 = 255;
pub const ZMQ_IDENTITY: u32 = 5;
pub const ZMQ_CONNECT_RID: u32 = 61;
pub const ZMQ_TCP_ACCEPT_FILTER: u32 = 38;
pub const ZMQ_IPC_FILTER_PID: u32 = 58;
pub const ZMQ_IPC_FILTER_UID: u32 = 59;
pub const ZMQ_IPC_FILTER_GID: u32 = 60;
pub const ZMQ_IPV4ONLY: u32 = 31;
pub const ZMQ_DELAY_ATTACH_ON_CONNECT: u32 = 39;
pub const ZMQ_NOBLOCK: u32 = 1;
pub const ZMQ_FAIL_UNROUTABLE: u32 = 33;
pub const ZMQ_ROUTER_BEHAVIOR: u32 = 33;
pub const ZMQ_SRCFD: u32 = 2;
pub const ZMQ_GSSAPI_NT_HOSTBASED: u32 = 0;
pub const ZMQ_GSSAPI_NT_USER_NAME: u32 = 1;
pub const ZMQ_GSSAPI_NT_KRB5_PRINCIPAL: u32 = 2;
pub const ZMQ_EVENT_CONNECTED: u32 = 1;
pub const ZMQ_EVENT_CONNECT_DELAYED: u32 = 2;
pub const ZMQ_EVENT_CONNECT_RETRIED: u32 = 4;
pub const ZMQ_EVENT_LISTENING: u32 = 8;
pub const ZMQ_EVENT_BIND_FAILED: u32 = 16;
pub const ZMQ_EVENT_ACCEPTED: u32 = 32;
pub const ZMQ_EVENT_ACCEPT_FAILED: u32 = 64;
pub const ZMQ_EVENT_CLOSED: u32 = 128;
pub const ZMQ_EVENT_CLOSE_FAILED: u32 = 256;
pub const ZMQ_EVENT_DISCONNECTED: u32 = 512;
pub const ZMQ_EVENT_MONITOR_STOPPED: u32 = 1024;
pub const ZMQ_EVENT_ALL: u32 = 65535;
pub const ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: u32 = 2048;
pub const ZMQ_EVENT_HANDSHAKE_SUCCEEDED: u32 = 4096;
pub const ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: u32 = 8192;
pub const ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: u32 = 16384;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED: u32 = 268435456;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_UNEXPECTED_COMMAND: u32 = 268435457;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE: u32 = 268435458;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE: u32 = 268435459;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_UNSPECIFIED: u32 = 268435473;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_MESSAGE: u32 = 268435474;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_HELLO: u32 = 268435475;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_INITIATE: u32 = 268435476;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_ERROR: u32 = 268435477;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_READY: u32 = 268435478;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_MALFORMED_COMMAND_WELCOME: u32 = 268435479;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_METADATA: u32 = 268435480;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC: u32 = 285212673;
pub const ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: u32 = 285212674;
pub const ZMQ_PROTOCOL_ERROR_ZAP_UNSPECIFIED: u32 = 536870912;
pub const ZMQ_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY: u32 = 536870913;
pub const ZMQ_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID: u32 = 536870914;
pub const ZMQ_PROTOCOL_ERROR_ZAP_BAD_VERSION: u32 = 536870915;
pub const ZMQ_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE: u32 = 536870916;
pub const ZMQ_PROTOCOL_ERROR_ZAP_INVALID_METADATA: u32 = 536870917;
pub const ZMQ_PROTOCOL_ERROR_WS_UNSPECIFIED: u32 = 805306368;
pub const ZMQ_POLLIN: u32 = 1;
pub const ZMQ_POLLOUT: u32 = 2;
pub const ZMQ_POLLERR: u32 = 4;
pub const ZMQ_POLLPRI: u32 = 8;
pub const ZMQ_POLLITEMS_DFLT: u32 = 16;
pub const ZMQ_HAS_CAPABILITIES: u32 = 1;
pub const ZMQ_STREAMER: u32 = 1;
pub const ZMQ_FORWARDER: u32 = 2;
pub const ZMQ_QUEUE: u32 = 3;
pub const ZMQ_SERVER: u32 = 12;
pub const ZMQ_CLIENT: u32 = 13;
pub const ZMQ_RADIO: u32 = 14;
pub const ZMQ_DISH: u32 = 15;
pub const ZMQ_GATHER: u32 = 16;
pub const ZMQ_SCATTER: u32 = 17;
pub const ZMQ_DGRAM: u32 = 18;
pub const ZMQ_PEER: u32 = 19;
pub const ZMQ_CHANNEL: u32 = 20;
pub const ZMQ_ZAP_ENFORCE_DOMAIN: u32 = 93;
pub const ZMQ_LOOPBACK_FASTPATH: u32 = 94;
pub const ZMQ_METADATA: u32 = 95;
pub const ZMQ_MULTICAST_LOOP: u32 = 96;
pub const ZMQ_ROUTER_NOTIFY: u32 = 97;
pub const ZMQ_XPUB_MANUAL_LAST_VALUE: u32 = 98;
pub const ZMQ_SOCKS_USERNAME: u32 = 99;
pub const ZMQ_SOCKS_PASSWORD: u32 = 100;
pub const ZMQ_IN_BATCH_SIZE: u32 = 101;
pub const ZMQ_OUT_BATCH_SIZE: u32 = 102;
pub const ZMQ_WSS_KEY_PEM: u32 = 103;
pub const ZMQ_WSS_CERT_PEM: u32 = 104;
pub const ZMQ_WSS_TRUST_PEM: u32 = 105;
pub const ZMQ_WSS_HOSTNAME: u32 = 106;
pub const ZMQ_WSS_TRUST_SYSTEM: u32 = 107;
pub const ZMQ_ONLY_FIRST_SUBSCRIBE: u32 = 108;
pub const ZMQ_RECONNECT_STOP: u32 = 109;
pub const ZMQ_HELLO_MSG: u32 = 110;
pub const ZMQ_DISCONNECT_MSG: u32 = 111;
pub const ZMQ_PRIORITY: u32 = 112;
pub const ZMQ_BUSY_POLL: u32 = 113;
pub const ZMQ_HICCUP_MSG: u32 = 114;
pub const ZMQ_XSUB_VERBOSE_UNSUBSCRIBE: u32 = 115;
pub const ZMQ_TOPICS_COUNT: u32 = 116;
pub const ZMQ_NORM_MODE: u32 = 117;
pub const ZMQ_NORM_UNICAST_NACK: u32 = 118;
pub const ZMQ_NORM_BUFFER_SIZE: u32 = 119;
pub const ZMQ_NORM_SEGMENT_SIZE: u32 = 120;
pub const ZMQ_NORM_BLOCK_SIZE: u32 = 121;
pub const ZMQ_NORM_NUM_PARITY: u32 = 122;
pub const ZMQ_NORM_NUM_AUTOPARITY: u32 = 123;
pub const ZMQ_NORM_PUSH: u32 = 124;
pub const ZMQ_NORM_FIXED: u32 = 0;
pub const ZMQ_NORM_CC: u32 = 1;
pub const ZMQ_NORM_CCL: u32 = 2;
pub const ZMQ_NORM_CCE: u32 = 3;
pub const ZMQ_NORM_CCE_ECNONLY: u32 = 4;
pub const ZMQ_RECONNECT_STOP_CONN_REFUSED: u32 = 1;
pub const ZMQ_RECONNECT_STOP_HANDSHAKE_FAILED: u32 = 2;
pub const ZMQ_RECONNECT_STOP_AFTER_DISCONNECT: u32 = 4;
pub const ZMQ_ZERO_COPY_RECV: u32 = 10;
pub const ZMQ_MSG_PROPERTY_ROUTING_ID: &[u8; 11] = b"Routing-Id\0";
pub const ZMQ_MSG_PROPERTY_SOCKET_TYPE: &[u8; 12] = b"Socket-Type\0";
pub const ZMQ_MSG_PROPERTY_USER_ID: &[u8; 8] = b"User-Id\0";
pub const ZMQ_MSG_PROPERTY_PEER_ADDRESS: &[u8; 13] = b"Peer-Address\0";
pub const ZMQ_NOTIFY_CONNECT: u32 = 1;
pub const ZMQ_NOTIFY_DISCONNECT: u32 = 2;
pub const ZMQ_EVENT_PIPES_STATS: u32 = 65536;
pub const ZMQ_CURRENT_EVENT_VERSION: u32 = 1;
pub const ZMQ_CURRENT_EVENT_VERSION_DRAFT: u32 = 2;
pub const ZMQ_EVENT_ALL_V1: u32 = 65535;
pub const ZMQ_EVENT_ALL_V2: u32 = 131071;
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of zmq_msg_t"][::std::mem::size_of::<zmq_msg_t>() - 64usize];
    ["Alignment of zmq_msg_t"][::std::mem::align_of::<zmq_msg_t>() - 8usize];
    ["Offset of field: zmq_msg_t::__"][::std::mem::offset_of!(zmq_msg_t, __) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of zmq_pollitem_t"][::std::mem::size_of::<zmq_pollitem_t>() - 16usize];
    ["Alignment of zmq_pollitem_t"][::std::mem::align_of::<zmq_pollitem_t>() - 8usize];
    ["Offset of field: zmq_pollitem_t::socket"]
        [::std::mem::offset_of!(zmq_pollitem_t, socket) - 0usize];
    ["Offset of field: zmq_pollitem_t::fd"][::std::mem::offset_of!(zmq_pollitem_t, fd) - 8usize];
    ["Offset of field: zmq_pollitem_t::events"]
        [::std::mem::offset_of!(zmq_pollitem_t, events) - 12usize];
    ["Offset of field: zmq_pollitem_t::revents"]
        [::std::mem::offset_of!(zmq_pollitem_t, revents) - 14usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of zmq_poller_event_t"][::std::mem::size_of::<zmq_poller_event_t>() - 32usize];
    ["Alignment of zmq_poller_event_t"][::std::mem::align_of::<zmq_poller_event_t>() - 8usize];
    ["Offset of field: zmq_poller_event_t::socket"]
        [::std::mem::offset_of!(zmq_poller_event_t, socket) - 0usize];
    ["Offset of field: zmq_poller_event_t::fd"]
        [::std::mem::offset_of!(zmq_poller_event_t, fd) - 8usize];
    ["Offset of field: zmq_poller_event_t::user_data"]
        [::std::mem::offset_of!(zmq_poller_event_t, user_data) - 16usize];
    ["Offset of field: zmq_poller_event_t::events"]
        [::std::mem::offset_of!(zmq_poller_event_t, events) - 24usize];
};
impl Default for zmq_msg_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for zmq_pollitem_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for zmq_poller_event_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
extern "C" {
    pub fn zmq_errno() -> libc::c_int;
    pub fn zmq_strerror(errnum_: libc::c_int) -> *const libc::c_char;
    pub fn zmq_version(
        major_: *mut libc::c_int,
        minor_: *mut libc::c_int,
        patch_: *mut libc::c_int,
    );
    pub fn zmq_ctx_new() -> *mut libc::c_void;
    pub fn zmq_ctx_term(context_: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_ctx_shutdown(context_: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_ctx_set(
        context_: *mut libc::c_void,
        option_: libc::c_int,
        optval_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_ctx_get(context_: *mut libc::c_void, option_: libc::c_int) -> libc::c_int;
    pub fn zmq_init(io_threads_: libc::c_int) -> *mut libc::c_void;
    pub fn zmq_term(context_: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_ctx_destroy(context_: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_msg_init(msg_: *mut zmq_msg_t) -> libc::c_int;
    pub fn zmq_msg_init_size(msg_: *mut zmq_msg_t, size_: usize) -> libc::c_int;
    pub fn zmq_msg_init_data(
        msg_: *mut zmq_msg_t,
        data_: *mut libc::c_void,
        size_: usize,
        ffn_: zmq_free_fn,
        hint_: *mut libc::c_void,
    ) -> libc::c_int;
    pub fn zmq_msg_send(
        msg_: *mut zmq_msg_t,
        s_: *mut libc::c_void,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_msg_recv(
        msg_: *mut zmq_msg_t,
        s_: *mut libc::c_void,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_msg_close(msg_: *mut zmq_msg_t) -> libc::c_int;
    pub fn zmq_msg_move(dest_: *mut zmq_msg_t, src_: *mut zmq_msg_t) -> libc::c_int;
    pub fn zmq_msg_copy(dest_: *mut zmq_msg_t, src_: *mut zmq_msg_t) -> libc::c_int;
    pub fn zmq_msg_data(msg_: *mut zmq_msg_t) -> *mut libc::c_void;
    pub fn zmq_msg_size(msg_: *const zmq_msg_t) -> usize;
    pub fn zmq_msg_more(msg_: *const zmq_msg_t) -> libc::c_int;
    pub fn zmq_msg_get(msg_: *const zmq_msg_t, property_: libc::c_int) -> libc::c_int;
    pub fn zmq_msg_set(
        msg_: *mut zmq_msg_t,
        property_: libc::c_int,
        optval_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_msg_gets(
        msg_: *const zmq_msg_t,
        property_: *const libc::c_char,
    ) -> *const libc::c_char;
    pub fn zmq_socket(arg1: *mut libc::c_void, type_: libc::c_int) -> *mut libc::c_void;
    pub fn zmq_close(s_: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_setsockopt(
        s_: *mut libc::c_void,
        option_: libc::c_int,
        optval_: *const libc::c_void,
        optvallen_: usize,
    ) -> libc::c_int;
    pub fn zmq_getsockopt(
        s_: *mut libc::c_void,
        option_: libc::c_int,
        optval_: *mut libc::c_void,
        optvallen_: *mut usize,
    ) -> libc::c_int;
    pub fn zmq_bind(s_: *mut libc::c_void, addr_: *const libc::c_char) -> libc::c_int;
    pub fn zmq_connect(s_: *mut libc::c_void, addr_: *const libc::c_char) -> libc::c_int;
    pub fn zmq_unbind(s_: *mut libc::c_void, addr_: *const libc::c_char) -> libc::c_int;
    pub fn zmq_disconnect(s_: *mut libc::c_void, addr_: *const libc::c_char) -> libc::c_int;
    pub fn zmq_send(
        s_: *mut libc::c_void,
        buf_: *const libc::c_void,
        len_: usize,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_send_const(
        s_: *mut libc::c_void,
        buf_: *const libc::c_void,
        len_: usize,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_recv(
        s_: *mut libc::c_void,
        buf_: *mut libc::c_void,
        len_: usize,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_socket_monitor(
        s_: *mut libc::c_void,
        addr_: *const libc::c_char,
        events_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_poll(
        items_: *mut zmq_pollitem_t,
        nitems_: libc::c_int,
        timeout_: libc::c_long,
    ) -> libc::c_int;
    pub fn zmq_proxy(
        frontend_: *mut libc::c_void,
        backend_: *mut libc::c_void,
        capture_: *mut libc::c_void,
    ) -> libc::c_int;
    pub fn zmq_proxy_steerable(
        frontend_: *mut libc::c_void,
        backend_: *mut libc::c_void,
        capture_: *mut libc::c_void,
        control_: *mut libc::c_void,
    ) -> libc::c_int;
    pub fn zmq_has(capability_: *const libc::c_char) -> libc::c_int;
    pub fn zmq_device(
        type_: libc::c_int,
        frontend_: *mut libc::c_void,
        backend_: *mut libc::c_void,
    ) -> libc::c_int;
    pub fn zmq_sendmsg(
        s_: *mut libc::c_void,
        msg_: *mut zmq_msg_t,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_recvmsg(
        s_: *mut libc::c_void,
        msg_: *mut zmq_msg_t,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_sendiov(
        s_: *mut libc::c_void,
        iov_: *mut iovec,
        count_: usize,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_recviov(
        s_: *mut libc::c_void,
        iov_: *mut iovec,
        count_: *mut usize,
        flags_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_z85_encode(
        dest_: *mut libc::c_char,
        data_: *const u8,
        size_: usize,
    ) -> *mut libc::c_char;
    pub fn zmq_z85_decode(dest_: *mut u8, string_: *const libc::c_char) -> *mut u8;
    pub fn zmq_curve_keypair(
        z85_public_key_: *mut libc::c_char,
        z85_secret_key_: *mut libc::c_char,
    ) -> libc::c_int;
    pub fn zmq_curve_public(
        z85_public_key_: *mut libc::c_char,
        z85_secret_key_: *const libc::c_char,
    ) -> libc::c_int;
    pub fn zmq_atomic_counter_new() -> *mut libc::c_void;
    pub fn zmq_atomic_counter_set(counter_: *mut libc::c_void, value_: libc::c_int);
    pub fn zmq_atomic_counter_inc(counter_: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_atomic_counter_dec(counter_: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_atomic_counter_value(counter_: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_atomic_counter_destroy(counter_p_: *mut *mut libc::c_void);
    pub fn zmq_timers_new() -> *mut libc::c_void;
    pub fn zmq_timers_destroy(timers_p: *mut *mut libc::c_void) -> libc::c_int;
    pub fn zmq_timers_add(
        timers: *mut libc::c_void,
        interval: usize,
        handler: zmq_timer_fn,
        arg: *mut libc::c_void,
    ) -> libc::c_int;
    pub fn zmq_timers_cancel(timers: *mut libc::c_void, timer_id: libc::c_int) -> libc::c_int;
    pub fn zmq_timers_set_interval(
        timers: *mut libc::c_void,
        timer_id: libc::c_int,
        interval: usize,
    ) -> libc::c_int;
    pub fn zmq_timers_reset(timers: *mut libc::c_void, timer_id: libc::c_int) -> libc::c_int;
    pub fn zmq_timers_timeout(timers: *mut libc::c_void) -> libc::c_long;
    pub fn zmq_timers_execute(timers: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_stopwatch_start() -> *mut libc::c_void;
    pub fn zmq_stopwatch_intermediate(watch_: *mut libc::c_void) -> libc::c_ulong;
    pub fn zmq_stopwatch_stop(watch_: *mut libc::c_void) -> libc::c_ulong;
    pub fn zmq_sleep(seconds_: libc::c_int);
    pub fn zmq_threadstart(func_: zmq_thread_fn, arg_: *mut libc::c_void) -> *mut libc::c_void;
    pub fn zmq_threadclose(thread_: *mut libc::c_void);
    pub fn zmq_ctx_set_ext(
        context_: *mut libc::c_void,
        option_: libc::c_int,
        optval_: *const libc::c_void,
        optvallen_: usize,
    ) -> libc::c_int;
    pub fn zmq_ctx_get_ext(
        context_: *mut libc::c_void,
        option_: libc::c_int,
        optval_: *mut libc::c_void,
        optvallen_: *mut usize,
    ) -> libc::c_int;
    pub fn zmq_join(s: *mut libc::c_void, group: *const libc::c_char) -> libc::c_int;
    pub fn zmq_leave(s: *mut libc::c_void, group: *const libc::c_char) -> libc::c_int;
    pub fn zmq_connect_peer(s_: *mut libc::c_void, addr_: *const libc::c_char) -> u32;
    pub fn zmq_msg_set_routing_id(msg: *mut zmq_msg_t, routing_id: u32) -> libc::c_int;
    pub fn zmq_msg_routing_id(msg: *mut zmq_msg_t) -> u32;
    pub fn zmq_msg_set_group(msg: *mut zmq_msg_t, group: *const libc::c_char) -> libc::c_int;
    pub fn zmq_msg_group(msg: *mut zmq_msg_t) -> *const libc::c_char;
    pub fn zmq_msg_init_buffer(
        msg_: *mut zmq_msg_t,
        buf_: *const libc::c_void,
        size_: usize,
    ) -> libc::c_int;
    pub fn zmq_poller_new() -> *mut libc::c_void;
    pub fn zmq_poller_destroy(poller_p: *mut *mut libc::c_void) -> libc::c_int;
    pub fn zmq_poller_size(poller: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_poller_add(
        poller: *mut libc::c_void,
        socket: *mut libc::c_void,
        user_data: *mut libc::c_void,
        events: libc::c_short,
    ) -> libc::c_int;
    pub fn zmq_poller_modify(
        poller: *mut libc::c_void,
        socket: *mut libc::c_void,
        events: libc::c_short,
    ) -> libc::c_int;
    pub fn zmq_poller_remove(poller: *mut libc::c_void, socket: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_poller_wait(
        poller: *mut libc::c_void,
        event: *mut zmq_poller_event_t,
        timeout: libc::c_long,
    ) -> libc::c_int;
    pub fn zmq_poller_wait_all(
        poller: *mut libc::c_void,
        events: *mut zmq_poller_event_t,
        n_events: libc::c_int,
        timeout: libc::c_long,
    ) -> libc::c_int;
    pub fn zmq_poller_fd(poller: *mut libc::c_void, fd: *mut zmq_fd_t) -> libc::c_int;
    pub fn zmq_poller_add_fd(
        poller: *mut libc::c_void,
        fd: zmq_fd_t,
        user_data: *mut libc::c_void,
        events: libc::c_short,
    ) -> libc::c_int;
    pub fn zmq_poller_modify_fd(
        poller: *mut libc::c_void,
        fd: zmq_fd_t,
        events: libc::c_short,
    ) -> libc::c_int;
    pub fn zmq_poller_remove_fd(poller: *mut libc::c_void, fd: zmq_fd_t) -> libc::c_int;
    pub fn zmq_socket_get_peer_state(
        socket: *mut libc::c_void,
        routing_id: *const libc::c_void,
        routing_id_size: usize,
    ) -> libc::c_int;
    pub fn zmq_socket_monitor_versioned(
        s_: *mut libc::c_void,
        addr_: *const libc::c_char,
        events_: u64,
        event_version_: libc::c_int,
        type_: libc::c_int,
    ) -> libc::c_int;
    pub fn zmq_socket_monitor_pipes_stats(s: *mut libc::c_void) -> libc::c_int;
    pub fn zmq_ppoll(
        items_: *mut zmq_pollitem_t,
        nitems_: libc::c_int,
        timeout_: libc::c_long,
        sigmask_: *const sigset_t,
    ) -> libc::c_int;
}
