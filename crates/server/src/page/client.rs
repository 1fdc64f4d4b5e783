//! Who asks for a view.

/// The name of the token of who asks, if there are tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct Client(pub(super) Option<String>);
