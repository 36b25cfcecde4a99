// The receiving side of the throughput pair: PULL, timed from the first message to the last.
// Its lines are those of libzmq's local_thr; it must not know which program sends.
#include "common.hpp"

#include <algorithm>

int main (int argc, char **argv)
{
    const Arguments a = arguments (
      argc, argv,
      "Receives <message-count> messages of <message-size> bytes and prints the mean throughput.",
      "bind-to", "message-count");
    const std::string data = content (a.size);
    const char *const wrong = "a message of the wrong size or content arrived";

    void *ctx = zmq_ctx_new ();
    check (ctx, "context");
    void *socket = zmq_socket (ctx, ZMQ_PULL);
    check (socket, "socket");
    bind (socket, a.endpoint);

    zmq_msg_t msg;
    zmq_msg_init (&msg);
    check (zmq_msg_recv (&msg, socket, 0) >= 0, "recv");
    if (!holds (&msg, data))
        fail ("local_thr", wrong);

    void *watch = zmq_stopwatch_start ();
    // Every size is checked and one content in a thousand, as the Lua programs do.
    for (long left = a.count - 1; left > 0;) {
        const long block = std::min (left, 1000L);
        for (long i = 0; i < block; i++) {
            check (zmq_msg_recv (&msg, socket, 0) >= 0, "recv");
            if (zmq_msg_size (&msg) != a.size)
                fail ("local_thr", wrong);
        }
        if (!holds (&msg, data))
            fail ("local_thr", wrong);
        left -= block;
    }
    const double us = std::max (zmq_stopwatch_stop (watch), 1UL);

    const double rate = a.count / us * 1e6;
    printf ("message size: %zu [B]\n", a.size);
    printf ("message count: %ld\n", a.count);
    printf ("mean throughput: %.0f [msg/s]\n", rate);
    printf ("mean throughput: %.3f [Mb/s]\n", rate * a.size * 8 / 1e6);

    zmq_msg_close (&msg);
    zmq_close (socket);
    zmq_ctx_term (ctx);
}
