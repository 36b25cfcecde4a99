//! Links the system's libzmq. Must not know how one is built.

/// The oldest library that exports every stable function of `zmq.h` 4.3.5.
const OLDEST: &str = "4.3.4";

pub fn link() {
    let library = match pkg_config::Config::new()
        .atleast_version(OLDEST)
        .probe("libzmq")
    {
        Ok(library) => library,
        Err(error) => crate::fail(format!(
            "{error}\n\nfeature system-libzmq: pkg-config finds no libzmq {OLDEST} or newer. Install \
             it with its headers and pkg-config (Debian, Ubuntu: apt install libzmq3-dev \
             pkg-config), or build without the feature."
        )),
    };
    if let Some(include) = library.include_paths.first() {
        println!("cargo:include={}", include.display());
    }
    if let Some(lib) = library.link_paths.first() {
        println!("cargo:lib={}", lib.display());
    }
    println!("cargo:lto=0");
    println!("cargo:link_args=");
    let link: Vec<_> = library
        .libs
        .iter()
        .map(|name| format!("-l{name}"))
        .collect();
    println!("cargo:rustc-env=ZMQ_SYS_FLAGS=-O3 {}", link.join(" "));
}
