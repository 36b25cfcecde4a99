//! Core on one end, the `zmq` crate on the other: another binding, whose sockets know nothing of ours. Both ways
//! round, over tcp. It must not reach into core beyond what any user of it may call.

use rzmq_core::core::option::Value;
use rzmq_core::core::registry::Owner;
use rzmq_core::core::{curve, Shared, Socket};
use rzmq_core::schema;
use std::sync::Arc;

/// How long a send or receive may take before the test fails, in ms.
const LIMIT: i32 = 5000;

type Message = Vec<Vec<u8>>;

/// Both ends' contexts.
struct Ends {
    ours: Arc<Shared>,
    owner: Owner,
    theirs: zmq::Context,
}

impl Ends {
    fn new() -> Ends {
        Ends {
            ours: Shared::new().unwrap(),
            owner: Owner::new(),
            theirs: zmq::Context::new(),
        }
    }

    fn ours(&self, kind: &str) -> Socket {
        let kind = schema::socket_type(kind).unwrap();
        let mut socket = Socket::open(&self.ours, kind, self.owner).unwrap();
        for name in ["sndtimeo", "rcvtimeo"] {
            set(&mut socket, name, Value::Int(LIMIT.into()));
        }
        set(&mut socket, "linger", Value::Int(0));
        socket
    }

    fn theirs(&self, kind: zmq::SocketType) -> zmq::Socket {
        let socket = self.theirs.socket(kind).unwrap();
        socket.set_sndtimeo(LIMIT).unwrap();
        socket.set_rcvtimeo(LIMIT).unwrap();
        socket.set_linger(0).unwrap();
        socket
    }
}

fn set(socket: &mut Socket, name: &str, value: Value) {
    let row = schema::socket_option(name).unwrap();
    socket.set(row, &value).unwrap();
}

fn bytes(text: impl AsRef<[u8]>) -> Value {
    Value::Bytes(text.as_ref().to_vec())
}

fn send(socket: &mut Socket, message: &Message) {
    socket.gather(message.len()).unwrap();
    for part in message {
        socket.add_part(part).unwrap();
    }
    socket.send_gathered(0).unwrap();
}

fn recv(socket: &mut Socket) -> Message {
    socket.recv_parts(0).unwrap();
    let message = socket.waiting().map(|part| part.bytes().to_vec()).collect();
    socket.parts_delivered();
    message
}

/// Binds one of the two to a free port and connects the other.
fn join(ours: &mut Socket, theirs: &zmq::Socket, we_bind: bool) {
    let wildcard = "tcp://127.0.0.1:*";
    if we_bind {
        ours.bind(wildcard.as_bytes()).unwrap();
        let endpoint = String::from_utf8(ours.last_endpoint().unwrap()).unwrap();
        theirs.connect(&endpoint).unwrap();
    } else {
        theirs.bind(wildcard).unwrap();
        let endpoint = theirs.get_last_endpoint().unwrap().unwrap();
        ours.connect(endpoint.as_bytes()).unwrap();
    }
}

/// Every kind of message: empty parts, every byte, big, and many parts.
fn messages() -> Vec<Message> {
    let every_byte: Vec<u8> = (0..=255).collect();
    vec![
        vec![b"hello".to_vec()],
        vec![vec![]],
        vec![vec![], vec![], b"x".to_vec()],
        vec![every_byte.clone(), vec![], every_byte],
        vec![vec![b'x'; 1 << 20], vec![b'y'; 255], vec![b'z'; 256]],
        (0..1000)
            .map(|part: i32| part.to_string().into_bytes())
            .collect(),
    ]
}

#[test]
fn messages_arrive_as_they_were_sent() {
    let ends = Ends::new();
    for we_bind in [true, false] {
        let (mut push, their_pull) = (ends.ours("PUSH"), ends.theirs(zmq::PULL));
        let (mut pull, their_push) = (ends.ours("PULL"), ends.theirs(zmq::PUSH));
        join(&mut push, &their_pull, we_bind);
        join(&mut pull, &their_push, we_bind);
        for message in messages() {
            send(&mut push, &message);
            assert!(their_pull.recv_multipart(0).unwrap() == message);
            their_push.send_multipart(&message, 0).unwrap();
            assert!(recv(&mut pull) == message);
        }
    }
}

#[test]
fn questions_are_answered() {
    let ends = Ends::new();
    for we_bind in [true, false] {
        let (mut req, their_rep) = (ends.ours("REQ"), ends.theirs(zmq::REP));
        let (mut rep, their_req) = (ends.ours("REP"), ends.theirs(zmq::REQ));
        join(&mut req, &their_rep, we_bind);
        join(&mut rep, &their_req, we_bind);
        for message in messages() {
            send(&mut req, &message);
            let question = their_rep.recv_multipart(0).unwrap();
            their_rep.send_multipart(&question, 0).unwrap();
            assert!(recv(&mut req) == message);

            their_req.send_multipart(&message, 0).unwrap();
            let question = recv(&mut rep);
            send(&mut rep, &question);
            assert!(their_req.recv_multipart(0).unwrap() == message);
        }
    }
}

#[test]
fn identities_lead_back() {
    let ends = Ends::new();
    for we_bind in [true, false] {
        let (mut router, their_dealer) = (ends.ours("ROUTER"), ends.theirs(zmq::DEALER));
        let (mut dealer, their_router) = (ends.ours("DEALER"), ends.theirs(zmq::ROUTER));
        their_dealer.set_identity(b"theirs\xff\x01").unwrap();
        set(&mut dealer, "routing_id", bytes(b"ours\xff\0"));
        join(&mut router, &their_dealer, we_bind);
        join(&mut dealer, &their_router, we_bind);

        their_dealer.send_multipart(["", "x"], 0).unwrap();
        let message = recv(&mut router);
        assert_eq!(
            message,
            [&b"theirs\xff\x01"[..], b"", b"x"].map(<[u8]>::to_vec)
        );
        send(&mut router, &message);
        assert_eq!(
            their_dealer.recv_multipart(0).unwrap(),
            [&b""[..], b"x"].map(<[u8]>::to_vec)
        );

        send(&mut dealer, &vec![b"y".to_vec(), vec![]]);
        let message = their_router.recv_multipart(0).unwrap();
        assert_eq!(message, [&b"ours\xff\0"[..], b"y", b""].map(<[u8]>::to_vec));
        their_router.send_multipart(&message, 0).unwrap();
        assert_eq!(recv(&mut dealer), [&b"y"[..], b""].map(<[u8]>::to_vec));
    }
}

#[test]
fn subscriptions_choose() {
    let ends = Ends::new();
    let (mut xpub, their_sub) = (ends.ours("XPUB"), ends.theirs(zmq::SUB));
    their_sub.set_subscribe(b"news").unwrap();
    join(&mut xpub, &their_sub, true);
    assert_eq!(recv(&mut xpub), [b"\x01news".to_vec()]);
    let (mut sub, their_xpub) = (ends.ours("SUB"), ends.theirs(zmq::XPUB));
    set(&mut sub, "subscribe", bytes("news"));
    join(&mut sub, &their_xpub, false);
    assert_eq!(
        their_xpub.recv_multipart(0).unwrap(),
        [b"\x01news".to_vec()]
    );
    for topic in ["new", "sports", "news"] {
        send(&mut xpub, &vec![topic.into(), b"text".to_vec()]);
        their_xpub.send_multipart([topic, "text"], 0).unwrap();
    }
    let wanted = [b"news".to_vec(), b"text".to_vec()];
    assert_eq!(their_sub.recv_multipart(0).unwrap(), wanted);
    assert_eq!(recv(&mut sub), wanted);
}

#[test]
fn curve_keys_of_one_open_the_other() {
    if !zmq::has("curve").unwrap_or(false) {
        return println!("skipped: this libzmq has no CURVE");
    }
    let ends = Ends::new();
    let (ours, theirs) = (curve::keypair().unwrap(), zmq::CurveKeyPair::new().unwrap());
    let text = String::from_utf8(ours.public.clone()).unwrap();
    assert_eq!(
        zmq::z85_decode(&text).unwrap(),
        curve::decode(&ours.public).unwrap()
    );
    assert_eq!(
        curve::public(&theirs.secret_key).unwrap(),
        curve::encode(&theirs.public_key).unwrap()
    );
    for we_serve in [true, false] {
        let (mut socket, peer) = (ends.ours("PAIR"), ends.theirs(zmq::PAIR));
        set(&mut socket, "curve_secretkey", bytes(&ours.secret));
        peer.set_curve_secretkey(&theirs.secret_key).unwrap();
        if we_serve {
            set(&mut socket, "curve_server", Value::Int(1));
            peer.set_curve_publickey(&theirs.public_key).unwrap();
            peer.set_curve_serverkey(&curve::decode(&ours.public).unwrap())
                .unwrap();
        } else {
            peer.set_curve_server(true).unwrap();
            set(&mut socket, "curve_publickey", bytes(&ours.public));
            set(&mut socket, "curve_serverkey", bytes(theirs.public_key));
        }
        join(&mut socket, &peer, we_serve);
        for message in messages() {
            send(&mut socket, &message);
            assert!(peer.recv_multipart(0).unwrap() == message);
            peer.send_multipart(&message, 0).unwrap();
            assert!(recv(&mut socket) == message);
        }
    }
}
