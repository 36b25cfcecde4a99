//! How many descriptors libzmq takes, and that none of them leaks into a child process. One test
//! alone in its program, because it counts all the descriptors of the process.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;

use libc::c_int;
use zmq_sys as zmq;

/// The process's descriptors and what each is.
fn descriptors() -> BTreeMap<c_int, String> {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let named = entries.map(|entry| entry.unwrap()).filter_map(|entry| {
        let fd = entry.file_name().to_str()?.parse().ok()?;
        // The descriptor that reads the folder is gone by the time it is looked at.
        let target = fs::read_link(entry.path()).ok()?;
        Some((fd, target.to_string_lossy().into_owned()))
    });
    let lasting = named.filter(|(_, target)| !target.starts_with("/proc/"));
    lasting.collect()
}

/// Those of `now` that were not among `before`.
fn opened<'a>(
    before: &BTreeMap<c_int, String>,
    now: &'a BTreeMap<c_int, String>,
) -> Vec<(c_int, &'a str)> {
    let new = now.iter().filter(|(fd, _)| !before.contains_key(fd));
    new.map(|(fd, what)| (*fd, what.as_str())).collect()
}

#[test]
fn few_descriptors_and_all_close_on_exec() {
    let at_first = descriptors();
    // SAFETY: each call gets open sockets, C strings, and buffers of the sizes told.
    unsafe {
        let context = zmq::zmq_ctx_new();
        let one = zmq::zmq_socket(context, zmq::ZMQ_PAIR as c_int);
        let before = descriptors();
        let other = zmq::zmq_socket(context, zmq::ZMQ_PAIR as c_int);
        let after = descriptors();
        let new = opened(&before, &after);
        assert_eq!(new.len(), 1, "a socket takes one descriptor: {new:?}");
        assert_eq!(new[0].1, "anon_inode:[eventfd]");

        // A listener, a connecting and an accepted socket, for each transport.
        for endpoint in [c"tcp://127.0.0.1:*", c"ipc://*"] {
            let [server, peer] = [(); 2].map(|()| zmq::zmq_socket(context, zmq::ZMQ_PAIR as c_int));
            let (mut bound, mut byte) = ([0u8; 256], [0u8; 1]);
            let mut size = bound.len();
            assert_eq!(zmq::zmq_bind(server, endpoint.as_ptr()), 0);
            let last = zmq::ZMQ_LAST_ENDPOINT as c_int;
            zmq::zmq_getsockopt(server, last, bound.as_mut_ptr().cast(), &mut size);
            assert_eq!(zmq::zmq_connect(peer, bound.as_ptr().cast()), 0);
            assert_eq!(zmq::zmq_send(peer, b"x".as_ptr().cast(), 1, 0), 1);
            assert_eq!(zmq::zmq_recv(server, byte.as_mut_ptr().cast(), 1, 0), 1);
            let open = descriptors();
            let ours = opened(&at_first, &open);
            let sockets = ours.iter().filter(|(_, what)| what.starts_with("socket:"));
            assert!(sockets.count() >= 3, "{ours:?}");
            for (fd, what) in ours {
                let flags = libc::fcntl(fd, libc::F_GETFD);
                assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC, "{fd} is {what}");
            }
            zmq::zmq_close(peer);
            zmq::zmq_close(server);
        }
        zmq::zmq_close(one);
        zmq::zmq_close(other);
        zmq::zmq_ctx_term(context);
    }
    assert_eq!(descriptors(), at_first);
}
