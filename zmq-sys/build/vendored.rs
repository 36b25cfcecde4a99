//! Builds libzmq 4.3.5 in: whole, and as one program where the tools can. Must not know Rust's side.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{edits, platform};

/// Fat objects, because tests and other programs may be linked by a linker without the plugin. GCC's limits on inlining
/// would leave the accessors of a message as calls: raising them takes a send from 332 to 252 instructions. -O3 gains
/// nothing on top of that, and makes the library a sixth larger.
const AS_ONE_PROGRAM: &str = "-O2 -flto -ffat-lto-objects -fno-semantic-interposition \
    -fvisibility=hidden -fno-plt -finline-functions --param inline-unit-growth=400 \
    --param max-inline-insns-auto=100 --param max-inline-insns-single=600 \
    --param inline-min-speedup=5 --param large-unit-insns=100000";
/// On x86 GCC copies what it knows to be short by `rep movsq`, whose start takes longer than to copy a message of 30
/// bytes: that was a fifth of the receiving process.
const SHORT_COPIES: (&str, &str) = (
    "x86_64",
    " -mmemcpy-strategy=unrolled_loop:64:noalign,libcall:-1:noalign",
);
/// What zeromq-src tells libzmq on Linux, and the probes of `platform` don't.
const DEFINES: &[&str] = &[
    "ZMQ_BUILD_DRAFT_API",
    "ZMQ_HAVE_CURVE",
    "ZMQ_HAVE_LINUX",
    "ZMQ_HAVE_WS",
    "ZMQ_IOTHREAD_POLLER_USE_EPOLL",
    "ZMQ_POLL_BASED_ON_POLL",
    "ZMQ_STATIC",
    "ZMQ_USE_BUILTIN_SHA1",
    "ZMQ_USE_CV_IMPL_STL11",
    "ZMQ_USE_LIBSODIUM",
];
/// Of the linkers rustc drives, this one loads the compiler's plugin.
const LINK_ARGS: &str = "-fuse-ld=bfd -flto=auto";

pub fn build() {
    let sodium = zeromq_src::LibLocation::new(sodium("LIB"), sodium("INCLUDE"));
    let compiler = cc::Build::new()
        .cpp(true)
        .std("c++11")
        .warnings(false)
        .get_compiler();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));

    let mut one_program = String::from(AS_ONE_PROGRAM);
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok(SHORT_COPIES.0) {
        one_program += SHORT_COPIES.1;
    }
    let lto = can_lto(&compiler, &one_program, &out);
    if !lto {
        println!(
            "cargo:warning=libzmq is not compiled as one program (that takes GCC and a link with \
             -fuse-ld=bfd and its LTO plugin): it works, but a little slower"
        );
    }
    let optimise = if lto { &one_program } else { "-O3" };
    let link_args = if lto { LINK_ARGS } else { "" };

    // The user's own flags come last and win; libzmq's warnings (-w) are not ours to show.
    let users = env::var("CXXFLAGS").unwrap_or_default();
    let defines = platform::defines(&compiler).join(" ");
    env::set_var("CXXFLAGS", format!("-w {optimise} {defines} {users}"));
    link_stdlib_statically(&compiler);

    let sodium_lib = sodium.lib_dir().join("libsodium.a");
    let source = out.join("source");
    let copied = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => edits::copy_source(&source),
        _ => Err("edited on Linux only".into()),
    };
    println!(
        "cargo:rustc-env=ZMQ_SYS_EDITED={}",
        u8::from(copied.is_ok())
    );
    match copied {
        Ok(()) => compile(&source, &out.join("lib"), &sodium),
        Err(why) => {
            println!("cargo:warning=libzmq is built as it came, a little slower: {why}");
            zeromq_src::Build::new()
                .enable_draft(true)
                .with_libsodium(Some(sodium))
                .build();
        }
    }

    println!("cargo:lto={}", u8::from(lto));
    println!("cargo:link_args={link_args}");
    println!(
        "cargo:rustc-env=ZMQ_SYS_FLAGS=-I{include} {optimise} {link_args} {zmq} {sodium} \
         -lstdc++ -lpthread",
        include = out.join("source/include").display(),
        zmq = out.join("lib/libzmq.a").display(),
        sodium = sodium_lib.display(),
    );
}

/// Compiles our copy of the source on Linux, where zeromq-src compiles only its own.
fn compile(source: &Path, lib: &Path, sodium: &zeromq_src::LibLocation) {
    let files = |folder: &str, extension: &str| {
        let entries = std::fs::read_dir(source.join(folder)).expect("it was just made");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
        files.retain(|path| {
            // Those of wss need GnuTLS's headers, whether or not they are used.
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(extension) && !name.starts_with("wss_")
        });
        files.sort();
        files
    };
    // What the platform offers comes as flags.
    std::fs::write(source.join("src/platform.hpp"), "").expect("OUT_DIR is writable");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++11").warnings(false);
    build.includes([
        source.join("include"),
        source.join("src"),
        source.join("external/sha1"),
    ]);
    build.include(sodium.include_dir());
    for define in DEFINES {
        build.define(define, "1");
    }
    build
        .files(files("src", ".cpp"))
        .files(files("external/sha1", ".c"))
        .out_dir(lib)
        .compile("zmq");
    println!("cargo:rustc-link-search={}", sodium.lib_dir().display());
    println!("cargo:rustc-link-lib=static=sodium");
    println!("cargo:include={}", source.join("include").display());
    println!("cargo:lib={}", lib.display());
}

/// A folder of the libsodium that libsodium-sys-stable has built from the source inside it.
fn sodium(kind: &str) -> PathBuf {
    let folder = env::var_os(format!("DEP_SODIUM_{kind}"));
    folder.map(PathBuf::from).unwrap_or_else(|| {
        crate::fail(format!(
            "libsodium-sys-stable names no folder DEP_SODIUM_{kind}: unset SODIUM_LIB_DIR and \
             SODIUM_USE_PKG_CONFIG, so that it builds the source inside it"
        ))
    })
}

/// Whether the C++ compiler is GCC and the linker that rustc will call can link what it compiles:
/// tried with an object that holds nothing but LTO code, so that only the plugin finds its `main`.
fn can_lto(compiler: &cc::Tool, flags: &str, out: &Path) -> bool {
    if !compiler.is_like_gnu() {
        return false;
    }
    let (source, object, program) = (out.join("lto.cpp"), out.join("lto.o"), out.join("lto"));
    std::fs::write(&source, "int main() { return 0; }\n").expect("OUT_DIR is writable");
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());

    let mut compile = compiler.to_command();
    compile
        .args(flags.split_whitespace())
        .args(["-fno-fat-lto-objects", "-c"])
        .arg(&source)
        .arg("-o")
        .arg(&object);
    let mut link = Command::new(linker);
    link.args(LINK_ARGS.split(' '))
        .arg(&object)
        .arg("-o")
        .arg(&program);
    [compile, link]
        .iter_mut()
        .all(|command| command.output().is_ok_and(|o| o.status.success()))
}

/// Puts libstdc++ into the module where the compiler has it as an archive. libgcc stays shared:
/// Rust's own unwinder is that library, and a process should have one.
fn link_stdlib_statically(compiler: &cc::Tool) {
    const IS_LIBCXX: platform::Row = ("", &["ciso646"], "_LIBCPP_VERSION;");
    if env::var_os("CXXSTDLIB").is_some() || platform::holds(compiler, &IS_LIBCXX) {
        return;
    }
    let Ok(found) = compiler
        .to_command()
        .arg("-print-file-name=libstdc++.a")
        .output()
    else {
        return;
    };
    let archive = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
    // GCC and Clang answer the bare name when they have no such file.
    if let (true, Some(folder)) = (archive.is_absolute(), archive.parent()) {
        println!("cargo:rustc-link-search=native={}", folder.display());
        env::set_var("CXXSTDLIB", "static:-bundle=stdc++");
    }
}
