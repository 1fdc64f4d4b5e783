//! Identifiers of sets, of the chunks that store them, of scan tasks and of posting lists.

use lookalike_spill::Number;
use std::fmt;

/// A number of 32 bits that identifies one kind of thing; stored as its number.
macro_rules! id {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Index into arrays with one entry for each.
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<u32> for $name {
            fn from(number: u32) -> Self {
                Self(number)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl Number for $name {
            const BYTES: usize = u32::BYTES;

            #[inline]
            fn put(self, bytes: &mut [u8]) {
                self.0.put(bytes);
            }

            #[inline]
            fn get(bytes: &[u8]) -> Self {
                Self(u32::get(bytes))
            }
        }
    };
}

id! {
    /// Number of a set in a join within one process: dense, from 0, in order of precedence.
    ///
    /// The pure steps are generic over the identifier: any `Copy + Ord` type does whose order is
    /// that of precedence, for example a `u64` rank on a cluster.
    ///
    /// ```
    /// use lookalike_join::SetId;
    ///
    /// assert!(SetId(3) < SetId(4));
    /// assert_eq!(SetId::from(3).index(), 3);
    /// ```
    SetId
}

id! {
    /// Number of a chunk of a [`SetSource`](crate::SetSource): dense, from 0, in storage order.
    ChunkId
}

id! {
    /// Number of a task of a [`SetScan`](crate::SetScan): dense, from 0, in storage order.
    TaskId
}

id! {
    /// Number of a posting list in an [`InvertedIndex`](crate::InvertedIndex): dense, from 0.
    ListId
}
