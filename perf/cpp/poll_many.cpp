// What a wake costs among many sockets: one busy PULL behind <idle-sockets> idle ones in a
// zmq_poller, which the system's libzmq may lack: only the built-in one runs it.
#define ZMQ_BUILD_DRAFT_API
#include "common.hpp"

#include <sys/resource.h>

#include <vector>

int main (int argc, char **argv)
{
    if (argc != 3)
        fail (argv[0], "usage: poll_many <idle-sockets> <wakes>");
    const long idle = whole ("idle-sockets", argv[1], 0);
    const long wakes = whole ("wakes", argv[2], 1);
    rlimit limit;
    getrlimit (RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < static_cast<rlim_t> (idle) + 64) {
        limit.rlim_cur = static_cast<rlim_t> (idle) + 64;
        check (!setrlimit (RLIMIT_NOFILE, &limit), "raising the limit on descriptors");
    }

    void *ctx = zmq_ctx_new ();
    check (ctx, "context");
    check (!zmq_ctx_set (ctx, ZMQ_MAX_SOCKETS, static_cast<int> (idle) + 2), "max_sockets");
    void *poller = zmq_poller_new ();
    check (poller, "poller");
    std::vector<void *> sockets;
    for (long i = 0; i < idle; i++) {
        sockets.push_back (zmq_socket (ctx, ZMQ_PULL));
        check (sockets.back (), "socket");
        check (!zmq_poller_add (poller, sockets.back (), NULL, ZMQ_POLLIN), "add");
    }
    void *pull = zmq_socket (ctx, ZMQ_PULL), *push = zmq_socket (ctx, ZMQ_PUSH);
    check (pull && push, "socket");
    check (!zmq_bind (pull, "inproc://busy") && !zmq_connect (push, "inproc://busy"), "connect");
    check (!zmq_poller_add (poller, pull, pull, ZMQ_POLLIN), "add");

    zmq_poller_event_t events[16];
    char data[1];
    void *watch = NULL;
    // The first wakes are not timed.
    for (long i = -wakes / 10; i < wakes; i++) {
        if (i == 0)
            watch = zmq_stopwatch_start ();
        check (zmq_send (push, "x", 1, 0) == 1, "send");
        const int ready = zmq_poller_wait_all (poller, events, 16, -1);
        check (ready == 1 && events[0].user_data == pull, "wait");
        check (zmq_recv (events[0].user_data, data, 1, 0) == 1, "recv");
    }
    const double us = static_cast<double> (zmq_stopwatch_stop (watch));
    printf ("idle sockets: %ld\n", idle);
    printf ("wakes: %ld\n", wakes);
    printf ("mean time a wake: %.3f [us]\n", us / wakes);

    zmq_poller_destroy (&poller);
    sockets.push_back (pull);
    sockets.push_back (push);
    for (void *socket : sockets)
        zmq_close (socket);
    zmq_ctx_term (ctx);
}
