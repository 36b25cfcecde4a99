-- What `luarocks make` reads. Every file under lua/ is listed in it; spec/rockspec_spec.lua compares.
rockspec_format = "3.0"
package = "rzmq"
version = "scm-1"

-- `luarocks make` builds the checkout it stands in and never fetches this.
source = { url = "file://." }

description = {
  summary = "All of ZeroMQ for Lua 5.1 and LuaJIT, with libzmq built in",
  license = "MIT OR Apache-2.0",
  labels = { "zeromq", "messaging", "network" },
}

supported_platforms = { "linux" }
dependencies = { "lua >= 5.1, < 5.2" }

build = {
  type = "command",
  -- RZMQ_SYSTEM_LIBZMQ=1 links the system's libzmq instead of building libzmq in.
  build_command = [[cargo build --release ${RZMQ_SYSTEM_LIBZMQ:+--features system-libzmq} ]]
    .. [[&& cp "${CARGO_TARGET_DIR:-target}/release/librzmq_core.so" rzmq_core.so]],
  install = {
    lib = { "rzmq_core.so" },
    lua = {
      ["rzmq"] = "lua/rzmq.lua",
      ["rzmq.auth"] = "lua/rzmq/auth.lua",
      ["rzmq.auth.address"] = "lua/rzmq/auth/address.lua",
      ["rzmq.auth.certificate"] = "lua/rzmq/auth/certificate.lua",
      ["rzmq.auth.zap"] = "lua/rzmq/auth/zap.lua",
      ["rzmq.backend"] = "lua/rzmq/backend.lua",
      ["rzmq.compat"] = "lua/rzmq/compat.lua",
      ["rzmq.compat.lzmq"] = "lua/rzmq/compat/lzmq.lua",
      ["rzmq.compat.lzmq.context"] = "lua/rzmq/compat/lzmq/context.lua",
      ["rzmq.compat.lzmq.failure"] = "lua/rzmq/compat/lzmq/failure.lua",
      ["rzmq.compat.lzmq.message"] = "lua/rzmq/compat/lzmq/message.lua",
      ["rzmq.compat.lzmq.poller"] = "lua/rzmq/compat/lzmq/poller.lua",
      ["rzmq.compat.lzmq.socket"] = "lua/rzmq/compat/lzmq/socket.lua",
      ["rzmq.compat.lzmq.threads"] = "lua/rzmq/compat/lzmq/threads.lua",
      ["rzmq.compat.poll_us"] = "lua/rzmq/compat/poll_us.lua",
      ["rzmq.compat.poller"] = "lua/rzmq/compat/poller.lua",
      ["rzmq.compat.shape"] = "lua/rzmq/compat/shape.lua",
      ["rzmq.compat.socket"] = "lua/rzmq/compat/socket.lua",
      ["rzmq.compat.threads"] = "lua/rzmq/compat/threads.lua",
      ["rzmq.context"] = "lua/rzmq/context.lua",
      ["rzmq.error"] = "lua/rzmq/error.lua",
      ["rzmq.ffi"] = "lua/rzmq/ffi.lua",
      ["rzmq.loop"] = "lua/rzmq/loop.lua",
      ["rzmq.loop.event"] = "lua/rzmq/loop/event.lua",
      ["rzmq.meta"] = "lua/rzmq/meta.lua",
      ["rzmq.monitor"] = "lua/rzmq/monitor.lua",
      ["rzmq.poller"] = "lua/rzmq/poller.lua",
      ["rzmq.threads"] = "lua/rzmq/threads.lua",
      ["rzmq.timer"] = "lua/rzmq/timer.lua",
      ["rzmq.timers"] = "lua/rzmq/timers.lua",
      ["rzmq.utils"] = "lua/rzmq/utils.lua",
    },
  },
}
