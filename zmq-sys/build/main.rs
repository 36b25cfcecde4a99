//! Decides where libzmq comes from and tells Cargo how to link it.
//!
//! Dependents read, as `DEP_ZMQ_<NAME>`: `include` (the folder of `zmq.h`), `lib` (the folder of the
//! library), `lto` (1 if it was compiled as one program) and `link_args` (what the final link must
//! then be given, separated by blanks).

mod edits;
mod platform;
mod system;
mod vendored;

fn main() {
    println!("cargo:rerun-if-changed=build");
    if std::env::var_os("CARGO_FEATURE_SYSTEM_LIBZMQ").is_some() {
        system::link();
    } else {
        vendored::build();
    }
}

/// Ends the build with a text for the user, whom a backtrace of this script wouldn't help.
fn fail(message: String) -> ! {
    eprintln!("error: {message}");
    std::process::exit(1)
}
