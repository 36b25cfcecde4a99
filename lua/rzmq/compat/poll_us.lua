--- Makes poll timeouts of the lua-zmq façade microseconds; for threads, whose parent asked for
-- that.

return require("rzmq.compat").poll_us(true)
