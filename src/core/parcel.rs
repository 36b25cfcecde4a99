//! Values on their way from one Lua state to another, as plain data that belongs to neither. Must not know how a Lua
//! state holds them.

use super::context::Shared;
use std::sync::Arc;

/// One value.
#[derive(Clone)]
pub enum Item {
    /// nil.
    Nil,
    /// A boolean.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A string's bytes.
    Text(Vec<u8>),
    /// A function as bytecode.
    Function(Vec<u8>),
    /// A light userdata.
    Light(usize),
    /// A context, counted.
    Context(Arc<Shared>),
    /// A table, by its place in the parcel.
    Table(usize),
}

/// Values in a row, and the tables that they hold.
#[derive(Clone, Default)]
pub struct Parcel {
    /// The values.
    pub items: Vec<Item>,
    /// Each table once, as keys and values. A table comes behind every table it holds.
    pub tables: Vec<Vec<(Item, Item)>>,
}
