//! Link settings of the module alone; where libzmq comes from is decided in `zmq-sys`.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // tests/schema.rs reads the real header.
    if let Ok(folder) = env::var("DEP_ZMQ_INCLUDE") {
        println!("cargo:rustc-env=ZMQ_INCLUDE={folder}");
    }
    // What libzmq's whole-program optimisation asks of the final link: a linker that runs GCC's plugin.
    for argument in env::var("DEP_ZMQ_LINK_ARGS")
        .unwrap_or_default()
        .split_whitespace()
    {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // libzmq's threads run this code until the process ends, whatever a Lua state does with its modules.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        // A twentieth of the file is addresses to relocate; packed, they take almost nothing.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,pack-relative-relocs");
    }
}
