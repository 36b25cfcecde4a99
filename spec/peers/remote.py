"""A pyzmq that spec/pyzmq_spec.lua drives: it prints the endpoint of its REP socket and does what is
asked there, one multipart request and reply each. It must not know what the specs expect.

usage: remote.py FOLDER     (where its ipc endpoints are to be)
"""

import sys

import zmq
from zmq.auth.thread import ThreadAuthenticator
from zmq.auth.certs import create_certificates, load_certificate
from zmq.utils.monitor import recv_monitor_message

LIMIT = 5000  # ms that a send or receive may take

context = zmq.Context()  # a new one after each reset
sockets = {}
monitors = {}
authenticators = []


def option(name, value):
    """The option of that name, and the value as its kind."""
    which = getattr(zmq, name.upper())
    kind = getattr(which, "_opt_type", None)
    is_text = kind is not None and kind.name == "bytes"
    return which, value if is_text else int(value)


def make(name, kind, *options):
    """socket NAME TYPE [OPTION VALUE]..."""
    s = sockets[name] = context.socket(getattr(zmq, kind.decode()))
    s.linger, s.rcvtimeo, s.sndtimeo = 0, LIMIT, LIMIT
    change(name, *options)


def change(name, *options):
    """set NAME [OPTION VALUE]..."""
    for key, value in zip(options[::2], options[1::2]):
        sockets[name].set(*option(key.decode(), value))


def bind(name, endpoint):
    """bind NAME ENDPOINT -> the resolved endpoint"""
    sockets[name].bind(endpoint.decode())
    return [sockets[name].last_endpoint]


def connect(name, endpoint):
    """connect NAME ENDPOINT"""
    sockets[name].connect(endpoint.decode())


def send(name, *frames):
    """send NAME FRAME..."""
    sockets[name].send_multipart(frames)


def recv(name):
    """recv NAME -> the frames"""
    return sockets[name].recv_multipart()


def recv_user(name):
    """recv_user NAME -> the user id, and the frames"""
    frames = sockets[name].recv_multipart(copy=False)
    return [frames[0]["User-Id"].encode()] + [frame.bytes for frame in frames]


def echo(name, count):
    """echo NAME COUNT: sends back as many messages as it gets"""
    for _ in range(int(count)):
        send(name, *recv(name))


def monitor(name):
    """monitor NAME: from now on its events are kept"""
    monitors[name] = sockets[name].get_monitor_socket()
    monitors[name].rcvtimeo = LIMIT


def event(name, *wanted):
    """event NAME EVENT... -> the name and value of the next event that is one of these"""
    while True:
        found = recv_monitor_message(monitors[name])
        text = found["event"].name.encode()
        if text in wanted:
            return [text, str(int(found["value"])).encode()]


def events(name):
    """events NAME -> the names of the events that are there"""
    names = []
    while monitors[name].poll(0):
        names.append(recv_monitor_message(monitors[name])["event"].name.encode())
    return names


def auth():
    """auth: from now on ZAP is handled"""
    one = ThreadAuthenticator(context)
    one.start()
    authenticators.append(one)


def allow(*addresses):
    """allow ADDRESS..."""
    authenticators[0].allow(*(address.decode() for address in addresses))


def deny(*addresses):
    """deny ADDRESS..."""
    authenticators[0].deny(*(address.decode() for address in addresses))


def plain(domain, user, password):
    """plain DOMAIN USER PASSWORD"""
    passwords = {user.decode(): password.decode()}
    authenticators[0].configure_plain(domain=domain.decode(), passwords=passwords)


def curve(domain, location):
    """curve DOMAIN LOCATION"""
    authenticators[0].configure_curve(domain=domain.decode(), location=location.decode())


def create(directory, name, *metadata):
    """create DIRECTORY NAME [KEY VALUE]... -> the two paths"""
    pairs = [text.decode() for text in metadata]
    pairs = dict(zip(pairs[::2], pairs[1::2]))
    return [path.encode() for path in create_certificates(directory.decode(), name.decode(), pairs)]


def load(path):
    """load PATH -> the keys"""
    return [key for key in load_certificate(path.decode()) if key]


def reset():
    """reset: closes everything"""
    for name, s in list(sockets.items()):
        if name in monitors:
            s.disable_monitor()
            monitors.pop(name).close()
        s.close()
        del sockets[name]
    while authenticators:
        authenticators.pop().stop()
    # Until the old context has ended, its ZAP endpoint may still be taken.
    global context
    context.destroy(linger=0)
    context = zmq.Context()


COMMANDS = {"socket": make, "set": change}
for function in (bind, connect, send, recv, recv_user, echo, monitor, event, events, auth, allow,
                 deny, plain, curve, create, load, reset):
    COMMANDS[function.__name__] = function

own = zmq.Context()
control = own.socket(zmq.REP)
control.bind("tcp://127.0.0.1:*")
print(control.last_endpoint.decode(), flush=True)
while True:
    command, *arguments = control.recv_multipart()
    if command == b"quit":
        break
    try:
        reply = COMMANDS[command.decode()](*arguments) or []
        control.send_multipart([b"ok", *reply])
    except Exception as error:  # whatever it is, the spec tells it
        control.send_multipart([b"error", f"{type(error).__name__}: {error}".encode()])
reset()
own.destroy(linger=1000)
