// Latency between two threads over inproc: REQ here, REP in a thread. Its lines are those of
// libzmq's inproc_lat.
#include "common.hpp"

#include <thread>

static void echo (void *ctx, long count)
{
    void *rep = zmq_socket (ctx, ZMQ_REP);
    check (rep, "socket");
    check (!zmq_connect (rep, "inproc://lat_test"), "connect");
    zmq_msg_t msg;
    zmq_msg_init (&msg);
    for (long i = 0; i < count; i++) {
        check (zmq_msg_recv (&msg, rep, 0) >= 0, "recv");
        check (zmq_msg_send (&msg, rep, 0) >= 0, "send");
    }
    zmq_msg_close (&msg);
    zmq_close (rep);
}

int main (int argc, char **argv)
{
    const Arguments a = arguments (
      argc, argv,
      "Sends a message of <message-size> bytes to another thread and back, <roundtrip-count> times, "
      "and\nprints the mean latency.",
      NULL, "roundtrip-count");
    const std::string data = content (a.size);

    void *ctx = zmq_ctx_new ();
    check (ctx, "context");
    void *req = zmq_socket (ctx, ZMQ_REQ);
    check (req, "socket");
    check (!zmq_bind (req, "inproc://lat_test"), "bind");
    std::thread other (echo, ctx, a.count);

    zmq_msg_t msg;
    check (!zmq_msg_init_size (&msg, a.size), "message");
    memcpy (zmq_msg_data (&msg), data.data (), data.size ());
    void *watch = zmq_stopwatch_start ();
    for (long i = 0; i < a.count; i++) {
        check (zmq_msg_send (&msg, req, 0) >= 0, "send");
        check (zmq_msg_recv (&msg, req, 0) >= 0, "recv");
        if (zmq_msg_size (&msg) != a.size)
            fail ("inproc_lat", "a message of the wrong size arrived");
    }
    const double us = static_cast<double> (zmq_stopwatch_stop (watch));
    other.join ();

    printf ("message size: %zu [B]\n", a.size);
    printf ("roundtrip count: %ld\n", a.count);
    printf ("average latency: %.3f [us]\n", us / (a.count * 2.0));

    zmq_msg_close (&msg);
    zmq_close (req);
    zmq_ctx_term (ctx);
}
