//! ZeroMQ for Rust people: contexts, sockets, messages, options, pollers, proxies, monitors and how they end. No Lua here.
//!
//! `Socket`, `Message`, `Context` and `Poller` are `#[repr(C)]`, begin with a 64-bit tag and are the userdata payloads that
//! both adapters (`lua`, `abi`) use.

mod buffer;
pub mod context;
pub mod curve;
mod draft;
pub mod ending;
pub mod endpoint;
pub mod error;
pub mod files;
mod foreign;
mod guard;
pub mod held;
pub mod loan;
pub mod message;
pub mod monitor;
mod multipart;
mod naming;
pub mod option;
pub mod parcel;
pub mod poller;
pub mod proxy;
pub mod registry;
pub mod security;
mod slow;
pub mod socket;
pub mod tag;
pub mod thread;
pub mod timers;
mod transfer;

pub use buffer::Buffer;
pub use context::{Context, Shared};
pub use error::{Error, Result};
pub use loan::Tracker;
pub use message::Message;
pub use poller::Poller;
pub use socket::Socket;
pub use thread::Thread;
pub use timers::Timers;
pub use transfer::KEEP_INBOX;
