// The sending side of the throughput pair: PUSH. Prints nothing, as libzmq's remote_thr.
// It must not know which program receives.
#include "common.hpp"

int main (int argc, char **argv)
{
    const Arguments a =
      arguments (argc, argv, "Sends <message-count> messages of <message-size> bytes.",
                 "connect-to", "message-count");
    const std::string data = content (a.size);

    void *ctx = zmq_ctx_new ();
    check (ctx, "context");
    void *socket = zmq_socket (ctx, ZMQ_PUSH);
    check (socket, "socket");
    check (!zmq_connect (socket, a.endpoint.c_str ()), "connect");

    // libzmq's own program leaves the bytes as they come; these are filled, so that both sides
    // can be checked and so that C++ does the work that any program has to do.
    for (long i = 0; i < a.count; i++) {
        zmq_msg_t msg;
        check (!zmq_msg_init_size (&msg, a.size), "msg_init_size");
        memcpy (zmq_msg_data (&msg), data.data (), a.size);
        check (zmq_msg_send (&msg, socket, 0) >= 0, "send");
    }

    zmq_close (socket);
    zmq_ctx_term (ctx);
}
