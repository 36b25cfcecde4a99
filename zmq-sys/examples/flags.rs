//! Prints, on one line, the flags with which a C or C++ program is compiled and linked against this
//! libzmq, as one program with it where that can be. They go after the program's own sources.

fn main() {
    println!("{}", env!("ZMQ_SYS_FLAGS"));
}
