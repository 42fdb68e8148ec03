//! Applying repairs.

use throughline_protocol::view::{Diagnostic, Fix};
use throughline_value::InOrder as _;

/// The text with the repairs applied. Of two repairs that overlap only the first is applied: check the
/// result and apply again. Insertions at one place are all applied, in the order given.
#[must_use]
pub fn apply_fixes(text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut fixes: Vec<&Fix> = diagnostics.iter().filter_map(|d| d.fix.as_ref()).collect();
    fixes.order_by_key(|fix| (fix.span.start, fix.span.end));
    fixes.dedup();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    // Where the last insertion went: a replacement that starts there waits for the next round.
    let mut inserted = None;
    for fix in fixes {
        let insertion = fix.span.start == fix.span.end;
        if !insertion && inserted == Some(fix.span.start) {
            continue;
        }
        let Some(before) = text.get(from..fix.span.start).filter(|_| fix.span.start >= from) else { continue };
        if text.get(fix.span.start..fix.span.end).is_none() {
            continue;
        }
        inserted = insertion.then_some(fix.span.start);
        out.push_str(before);
        out.push_str(&fix.replacement);
        from = fix.span.end;
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out
}
