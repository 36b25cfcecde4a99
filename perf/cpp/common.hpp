// What the C++ programs share: the command line, the contents of a message, endings.
// It must hold nothing that is timed, and use libzmq's C API alone: it is built on two libzmqs.
#pragma once

#include <zmq.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

struct Arguments {
    std::string endpoint;
    size_t size;
    long count;
};

[[noreturn]] inline void fail (const char *what, const char *why)
{
    fprintf (stderr, "%s: %s\n", what, why);
    exit (1);
}

// Ends the program with libzmq's text when a call failed.
inline void check (bool ok, const char *call)
{
    if (!ok)
        fail (call, zmq_strerror (errno));
}

inline long whole (const char *name, const char *text, long least)
{
    char *end;
    errno = 0;
    const long n = strtol (text, &end, 10);
    if (errno || end == text || *end || n < least)
        fail (name, ("must be a whole number from " + std::to_string (least) + " up, not "
                     + text).c_str ());
    return n;
}

// `peer` names the endpoint in the usage; a program without one gives NULL.
inline Arguments arguments (int argc, char **argv, const char *about, const char *peer,
                            const char *unit)
{
    const std::string usage = std::string ("usage: ") + argv[0]
                              + (peer ? std::string (" <") + peer + ">" : "")
                              + " <message-size> <" + unit + ">";
    if (argc == 2 && (!strcmp (argv[1], "--help") || !strcmp (argv[1], "-h"))) {
        printf ("%s\n%s\n", usage.c_str (), about);
        exit (0);
    }
    const int given = peer ? 3 : 2;
    if (argc != 1 + given)
        fail (argv[0], ("expected " + std::to_string (given) + " arguments\n" + usage).c_str ());
    return {peer ? argv[1] : "", static_cast<size_t> (whole ("message-size", argv[given - 1], 0)),
            whole (unit, argv[given], 1)};
}

// The bytes of every message: the same in the Lua programs.
inline std::string content (size_t size)
{
    std::string data (size, '0');
    if (size > 0)
        data[0] = '<';
    if (size > 1)
        data[size - 1] = '>';
    return data;
}

inline bool holds (zmq_msg_t *msg, const std::string &data)
{
    return zmq_msg_size (msg) == data.size ()
           && !memcmp (zmq_msg_data (msg), data.data (), data.size ());
}

// Binds. A wildcard's endpoint goes to stderr, for the other side.
inline void bind (void *socket, const std::string &endpoint)
{
    check (!zmq_bind (socket, endpoint.c_str ()), "bind");
    if (endpoint.find ('*') == std::string::npos)
        return;
    char bound[1024];
    size_t length = sizeof bound;
    check (!zmq_getsockopt (socket, ZMQ_LAST_ENDPOINT, bound, &length), "getsockopt");
    fprintf (stderr, "endpoint: %s\n", bound);
}
