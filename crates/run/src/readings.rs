//! Two readings of documents, for commands that decide about each document by itself and by what all
//! have in common: [`first`] finds something in each, [`second`] visits some of them again and writes
//! all records where they belong.

pub(crate) mod first;
pub(crate) mod second;
