// Throughput between two threads over inproc: PUSH in a thread, PULL here, timed from the first
// message to the last. Its lines are those of libzmq's inproc_thr.
#include "common.hpp"

#include <algorithm>
#include <thread>

static void send_all (void *ctx, const std::string &data, long count)
{
    void *push = zmq_socket (ctx, ZMQ_PUSH);
    check (push, "socket");
    check (!zmq_connect (push, "inproc://thr_test"), "connect");
    for (long i = 0; i < count; i++) {
        zmq_msg_t msg;
        check (!zmq_msg_init_size (&msg, data.size ()), "message");
        memcpy (zmq_msg_data (&msg), data.data (), data.size ());
        check (zmq_msg_send (&msg, push, 0) >= 0, "send");
    }
    zmq_close (push);
}

int main (int argc, char **argv)
{
    const Arguments a = arguments (
      argc, argv,
      "Sends <message-count> messages of <message-size> bytes from one thread to another and prints "
      "the\nmean throughput.",
      NULL, "message-count");
    const std::string data = content (a.size);
    const char *const wrong = "a message of the wrong size or content arrived";

    void *ctx = zmq_ctx_new ();
    check (ctx, "context");
    void *pull = zmq_socket (ctx, ZMQ_PULL);
    check (pull, "socket");
    check (!zmq_bind (pull, "inproc://thr_test"), "bind");
    std::thread sender (send_all, ctx, data, a.count);

    zmq_msg_t msg;
    zmq_msg_init (&msg);
    check (zmq_msg_recv (&msg, pull, 0) >= 0, "recv");
    if (!holds (&msg, data))
        fail ("inproc_thr", wrong);

    void *watch = zmq_stopwatch_start ();
    // Every size is checked and one content in a thousand, as the Lua program does.
    for (long left = a.count - 1; left > 0;) {
        const long block = std::min (left, 1000L);
        for (long i = 0; i < block; i++) {
            check (zmq_msg_recv (&msg, pull, 0) >= 0, "recv");
            if (zmq_msg_size (&msg) != a.size)
                fail ("inproc_thr", wrong);
        }
        if (!holds (&msg, data))
            fail ("inproc_thr", wrong);
        left -= block;
    }
    const double us = std::max (zmq_stopwatch_stop (watch), 1UL);
    sender.join ();

    const double rate = a.count / us * 1e6;
    printf ("message size: %zu [B]\n", a.size);
    printf ("message count: %ld\n", a.count);
    printf ("mean throughput: %.0f [msg/s]\n", rate);
    printf ("mean throughput: %.3f [Mb/s]\n", rate * a.size * 8 / 1e6);

    zmq_msg_close (&msg);
    zmq_close (pull);
    zmq_ctx_term (ctx);
}
