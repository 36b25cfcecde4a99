// The echoing side of the latency pair: REP. Prints nothing, as libzmq's local_lat.
// It must not know which program asks.
#include "common.hpp"

int main (int argc, char **argv)
{
    const Arguments a = arguments (
      argc, argv, "Returns <roundtrip-count> messages of <message-size> bytes to the sender.",
      "bind-to", "roundtrip-count");

    void *ctx = zmq_ctx_new ();
    check (ctx, "context");
    void *socket = zmq_socket (ctx, ZMQ_REP);
    check (socket, "socket");
    bind (socket, a.endpoint);

    zmq_msg_t msg;
    zmq_msg_init (&msg);
    for (long i = 0; i < a.count; i++) {
        check (zmq_msg_recv (&msg, socket, 0) >= 0, "recv");
        if (zmq_msg_size (&msg) != a.size)
            fail ("local_lat", "a message of the wrong size arrived");
        check (zmq_msg_send (&msg, socket, 0) >= 0, "send");
    }

    zmq_msg_close (&msg);
    zmq_close (socket);
    zmq_ctx_term (ctx);
}
