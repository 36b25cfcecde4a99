// The asking side of the latency pair: REQ, timed over all round trips.
// Its lines are those of libzmq's remote_lat; it must not know which program echoes.
#include "common.hpp"

int main (int argc, char **argv)
{
    const Arguments a = arguments (
      argc, argv,
      "Sends <roundtrip-count> messages of <message-size> bytes, each after the one before came\n"
      "back, and prints the average latency: half the time of a round trip.",
      "connect-to", "roundtrip-count");
    const std::string data = content (a.size);
    const char *const wrong = "a message of the wrong size or content came back";

    void *ctx = zmq_ctx_new ();
    check (ctx, "context");
    void *socket = zmq_socket (ctx, ZMQ_REQ);
    check (socket, "socket");
    check (!zmq_connect (socket, a.endpoint.c_str ()), "connect");

    zmq_msg_t msg;
    check (!zmq_msg_init_size (&msg, a.size), "msg_init_size");
    memcpy (zmq_msg_data (&msg), data.data (), a.size);

    void *watch = zmq_stopwatch_start ();
    for (long i = 0; i < a.count; i++) {
        check (zmq_msg_send (&msg, socket, 0) >= 0, "send");
        check (zmq_msg_recv (&msg, socket, 0) >= 0, "recv");
        if (zmq_msg_size (&msg) != a.size)
            fail ("remote_lat", wrong);
    }
    const double us = zmq_stopwatch_stop (watch);
    if (!holds (&msg, data))
        fail ("remote_lat", wrong);

    printf ("message size: %zu [B]\n", a.size);
    printf ("roundtrip count: %ld\n", a.count);
    printf ("average latency: %.3f [us]\n", us / (a.count * 2.0));

    zmq_msg_close (&msg);
    zmq_close (socket);
    zmq_ctx_term (ctx);
}
