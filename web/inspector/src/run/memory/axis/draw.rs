//! Paints the axis: lanes of bars, errors above all of them, time below; and the marker, the window, the bookmarks.

use web_sys::CanvasRenderingContext2d as Pen;

use super::counts::{Counts, Lane};
use crate::format::short_time;
use crate::i18n::Lang;
use crate::run::columns::{Window, ms_to_f64, to_f64};
use crate::run::paint::{flag, nice_time_step};

/// The height of the strip of errors and bookmarks.
pub(super) const STRIP: f64 = 20.0;
/// The height of a lane with the gap below it. The style sheet's labels have the same.
pub(super) const LANE: f64 = 20.0;
/// The height of the axis below the lanes.
pub(super) const AXIS: f64 = 20.0;
/// The tallest and the lowest bar.
const TALL: f64 = 17.0;
const LOW: f64 = 3.0;
/// No bar is narrower, and no error's.
const LEAST: f64 = 1.0;
const LEAST_ERROR: f64 = 2.0;

/// The colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Palette {
    pub(super) lanes: Vec<String>,
    pub(super) error: String,
    pub(super) sunken: String,
    pub(super) panel: String,
    pub(super) text: String,
    pub(super) hairline: String,
    pub(super) accent: String,
}

impl Palette {
    fn lane(&self, at: usize, lane: &Lane) -> &str {
        if lane.error {
            return &self.error;
        }
        self.lanes.get(at % self.lanes.len().max(1)).map_or("", String::as_str)
    }
}

/// What is painted.
pub(super) struct Scene<'a> {
    pub(super) counts: &'a Counts,
    pub(super) lanes: &'a [Lane],
    pub(super) window: Window,
    pub(super) width: f64,
    pub(super) lang: Lang,
    pub(super) palette: &'a Palette,
}

/// The height of so many lanes with what is above and below them.
pub(super) fn height(lanes: usize) -> f64 {
    STRIP + to_f64(lanes) * LANE + AXIS
}

/// Paints what does not move with the marker. Bars that look the same and touch are one bar.
pub(super) fn base(pen: &Pen, scene: &Scene<'_>) {
    let Scene { counts, lanes, window, width, palette, .. } = *scene;
    pen.set_fill_style_str(&palette.sunken);
    for row in (0..lanes.len()).filter(|row| row % 2 == 0) {
        pen.fill_rect(0.0, STRIP + to_f64(row) * LANE, width, LANE);
    }
    let shown = counts.shown(window);
    // Edges in whole pixels, so that bars neither blur nor vanish.
    let edges: Vec<f64> = counts
        .edges
        .get(shown.start..=shown.end)
        .unwrap_or_default()
        .iter()
        .map(|edge| window.pixel(*edge, width).round())
        .collect();
    let scale = counts.most.ln_1p().max(f64::MIN_POSITIVE);
    for (row, lane) in lanes.iter().enumerate() {
        pen.set_fill_style_str(palette.lane(row, lane));
        let bottom = STRIP + to_f64(row + 1) * LANE - 1.0;
        let least = if lane.error { LEAST_ERROR } else { LEAST };
        let mut bars = Bars { least, now: None };
        for (place, ends) in edges.windows(2).enumerate() {
            let n = counts.part(shown.start + place).get(row).copied().unwrap_or(0.0);
            let [from, to] = ends else { continue };
            let high = if n > 0.0 { (LOW + (TALL - LOW) * n.ln_1p() / scale).round() } else { 0.0 };
            bars.add(*from, *to, high, &mut |x, wide, high| pen.fill_rect(x, bottom - high, wide, high));
        }
        bars.end(&mut |x, wide, high| pen.fill_rect(x, bottom - high, wide, high));
    }
    pen.set_fill_style_str(&palette.error);
    let mut marks = Bars { least: LEAST_ERROR, now: None };
    let mut mark = |x: f64, wide: f64, _: f64| pen.fill_rect(x, 3.0, wide, STRIP - 6.0);
    for (place, ends) in edges.windows(2).enumerate() {
        let [from, to] = ends else { continue };
        let part = counts.part(shown.start + place);
        let wrong = lanes.iter().zip(part).any(|(lane, n)| lane.error && *n > 0.0);
        marks.add(*from, (*to).min(*from + LEAST_ERROR), if wrong { 1.0 } else { 0.0 }, &mut mark);
    }
    marks.end(&mut mark);
    times(pen, scene);
}

/// Whole numbers, so what is nearly the same is the same.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.5
}

/// Bars from left to right: the same height side by side is one bar, several on one pixel are the tallest.
struct Bars {
    least: f64,
    now: Option<(f64, f64, f64)>,
}

impl Bars {
    fn add(&mut self, from: f64, to: f64, high: f64, paint: &mut dyn FnMut(f64, f64, f64)) {
        if high <= 0.0 {
            return;
        }
        let to = to.max(from + self.least);
        match &mut self.now {
            Some((_, end, tall)) if same(*tall, high) && from <= *end => *end = end.max(to),
            Some((begin, end, tall)) if same(*begin, from) => {
                *end = end.max(to);
                *tall = tall.max(high);
            }
            _ => {
                self.end(paint);
                self.now = Some((from, to, high));
            }
        }
    }

    fn end(&mut self, paint: &mut dyn FnMut(f64, f64, f64)) {
        if let Some((from, to, high)) = self.now.take() {
            paint(from, to - from, high);
        }
    }
}

/// The instants below the lanes.
fn times(pen: &Pen, scene: &Scene<'_>) {
    let Scene { lanes, window, width, palette, lang, .. } = *scene;
    let top = height(lanes.len()) - AXIS;
    pen.set_fill_style_str(&palette.hairline);
    pen.fill_rect(0.0, top, width, 1.0);
    pen.set_fill_style_str(&palette.text);
    pen.set_font("11px system-ui, sans-serif");
    pen.set_text_baseline("middle");
    pen.set_text_align("left");
    let step = nice_time_step(window.span() / (width / 130.0));
    let mut at = (window.low / step).ceil() * step;
    let mut free = 0.0;
    while at < window.high {
        #[expect(clippy::cast_possible_truncation, reason = "an instant of the window")]
        let ms = at as i64;
        let mut text = short_time(ms, lang);
        if step < 60_000.0 {
            text.push_str(&format!(":{:02}", ms.div_euclid(1_000).rem_euclid(60)));
        }
        let x = window.pixel(at, width);
        let wide = pen.measure_text(&text).map_or(100.0, |measure| measure.width());
        if x >= free && x + wide + 4.0 <= width {
            pen.fill_rect(x.round(), top, 1.0, 5.0);
            let _ = pen.fill_text(&text, x + 4.0, top + AXIS / 2.0 + 1.0);
            free = x + wide + 16.0;
        }
        at += step;
    }
}

/// What lies above the lanes.
pub(super) struct Above<'a> {
    /// The window that the question has.
    pub(super) asked: (Option<f64>, Option<f64>),
    /// The part under the marker.
    pub(super) marked: Option<(f64, f64)>,
    /// The bookmarks.
    pub(super) bookmarks: &'a [i64],
}

/// Paints the window, the marker and the bookmarks.
pub(super) fn overlay(pen: &Pen, scene: &Scene<'_>, above: &Above<'_>) {
    let Scene { lanes, window, width, palette, .. } = *scene;
    let bottom = height(lanes.len()) - AXIS;
    if above.asked != (None, None) {
        let pixel = |time: Option<f64>, other: f64| time.map_or(other, |time| window.pixel(time, width)).round();
        let (from, to) = (pixel(above.asked.0, -4.0), pixel(above.asked.1, width + 4.0));
        // One pixel at least, however far out.
        let to = to.max(from + 1.0);
        pen.set_global_alpha(0.6);
        pen.set_fill_style_str(&palette.panel);
        let (left, right) = (from.clamp(0.0, width), to.clamp(0.0, width));
        pen.fill_rect(0.0, 0.0, left, bottom);
        pen.fill_rect(right, 0.0, width - right, bottom);
        pen.set_global_alpha(1.0);
        pen.set_fill_style_str(&palette.accent);
        for x in [from - 2.0, to] {
            pen.fill_rect(x, 0.0, 2.0, bottom);
        }
        pen.fill_rect(left, bottom - 2.0, right - left, 3.0);
    }
    pen.set_fill_style_str(&palette.accent);
    for time in above.bookmarks {
        let x = window.pixel(ms_to_f64(*time), width).round();
        if (-6.0..=width + 6.0).contains(&x) {
            flag(pen, x, bottom);
        }
    }
    if let Some((from, to)) = above.marked {
        let (from, to) = (window.pixel(from, width).round(), window.pixel(to, width).round());
        pen.set_stroke_style_str(&palette.text);
        pen.set_line_width(1.0);
        pen.stroke_rect(from - 0.5, 0.5, (to - from).max(1.0) + 1.0, bottom - 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(list: &[(f64, f64, f64)], least: f64) -> Vec<(f64, f64, f64)> {
        let mut out = Vec::new();
        let mut bars = Bars { least, now: None };
        for (from, to, high) in list {
            bars.add(*from, *to, *high, &mut |x, wide, high| out.push((x, wide, high)));
        }
        bars.end(&mut |x, wide, high| out.push((x, wide, high)));
        out
    }

    #[test]
    fn nothing_that_happened_is_narrower_than_a_pixel_or_lost_beside_others() {
        assert_eq!(bars(&[(3.0, 3.0, 5.0)], 1.0), [(3.0, 1.0, 5.0)]);
        assert_eq!(bars(&[(3.0, 3.0, 5.0), (3.0, 3.0, 9.0), (3.0, 4.0, 2.0)], 1.0), [(3.0, 1.0, 9.0)]);
        assert_eq!(
            bars(&[(0.0, 2.0, 4.0), (2.0, 4.0, 4.0), (4.0, 6.0, 0.0), (6.0, 8.0, 4.0)], 1.0),
            [(0.0, 4.0, 4.0), (6.0, 2.0, 4.0)]
        );
        assert_eq!(bars(&[(9.0, 9.0, 1.0)], LEAST_ERROR), [(9.0, 2.0, 1.0)]);
    }
}
