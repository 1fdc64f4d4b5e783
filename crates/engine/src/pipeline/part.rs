//! Parts: what the pipeline reads.

/// A source of items that are read sequentially.
pub trait Part: Send {
    /// What is processed.
    type Item: Send;

    /// The next item. A large one is deferred unless `any_size`.
    fn next(&mut self, any_size: bool) -> NextItem<Self::Item>;
}

/// The next item of a part.
#[derive(Debug)]
pub enum NextItem<T> {
    /// An item.
    Item(T),
    /// An item that is read only when its part is the head.
    Large,
    /// Nothing.
    End,
}

/// An iterator as a part.
#[derive(Debug)]
pub struct Items<I>(pub I);

impl<I: Iterator<Item: Send> + Send> Part for Items<I> {
    type Item = I::Item;

    fn next(&mut self, _any_size: bool) -> NextItem<I::Item> {
        self.0.next().map_or(NextItem::End, NextItem::Item)
    }
}

impl<P: Part + ?Sized> Part for Box<P> {
    type Item = P::Item;

    fn next(&mut self, any_size: bool) -> NextItem<P::Item> {
        (**self).next(any_size)
    }
}
