//! What is around every view.

use super::view::Client;
use lookalike_report::clean;

/// The head, the navigation and the foot.
pub(super) struct Shell {
    pub(super) title: String,
    /// Address and name of each view, and whether it is this one.
    pub(super) views: Vec<(&'static str, &'static str, bool)>,
    /// The name of the token, where there are tokens.
    pub(super) client: Option<String>,
}

/// The views that the navigation names.
const VIEWS: [(&str, &str); 7] = [
    ("/search", "Search"),
    ("/compare", "Compare"),
    ("/passages", "Passages"),
    ("/filter", "Filter"),
    ("/review", "Review"),
    ("/sweeps", "Sweeps"),
    ("/about", "Index"),
];

impl Shell {
    /// Around a view with this title, which is below the address `current`.
    pub(super) fn new(title: &str, current: &str, client: &Client) -> Self {
        let client = client.0.as_deref().map(|name| clean::line(name, clean::MEDIUM));
        Self { client, ..Self::of(&VIEWS, title, current) }
    }

    /// Around a view of others than those of a service.
    pub(super) fn of(views: &[(&'static str, &'static str)], title: &str, current: &str) -> Self {
        Self {
            title: clean::line(title, clean::MEDIUM),
            views: views.iter().map(|&(path, name)| (path, name, path == current)).collect(),
            client: None,
        }
    }

    /// Around what is no view.
    pub(super) fn plain(title: &str) -> Self {
        Self::of(&[], title, "")
    }
}
