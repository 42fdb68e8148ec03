//! What the page loads at first: everything but the large views.

fn main() {
    inspector_page::shell();
}
