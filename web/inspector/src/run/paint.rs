//! Paints the timeline: lanes, marks, gaps, the axis; and above them the cursor and what lies after it.

use throughline_protocol::lane::LANES;
use web_sys::{CanvasRenderingContext2d as Pen, HtmlCanvasElement};

use super::columns::{Axis, Columns, Window, clamp, ms_to_f64, nice_step, to_f64};
use crate::format::{cut, duration, number, short_time};
use crate::i18n::Lang;

/// The height of a lane with the gap below it, in CSS pixels. The style sheet's lane labels have the same.
pub(crate) const LANE: f64 = 20.0;

/// The height of the axis below the lanes.
pub(crate) const AXIS: f64 = 20.0;

/// The height of a mark.
const MARK: f64 = 16.0;

/// The widest mark.
const WIDEST: f64 = 18.0;

/// From this width on a mark has room for its glyph.
const GLYPH_WIDTH: f64 = 11.0;

/// The height of the whole.
pub(crate) fn height() -> f64 {
    to_f64(LANES.len()) * LANE + AXIS
}

/// The glyph of each lane, so that colour is never alone.
pub(crate) const GLYPHS: [&str; 9] = ["▪", "✦", "▶", "◆", "●", "▬", "◷", "❖", "✕"];

/// The glyph of a lane.
pub(crate) fn glyph(lane: &str) -> &'static str {
    LANES.iter().position(|name| *name == lane).and_then(|at| GLYPHS.get(at)).copied().unwrap_or("▪")
}

/// The colours, read from the style sheet when the theme changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Palette {
    /// One for each lane.
    pub(crate) lanes: Vec<String>,
    /// On a mark.
    pub(crate) ink: String,
    /// The panel.
    pub(crate) panel: String,
    /// Every other lane.
    pub(crate) sunken: String,
    /// The axis' words.
    pub(crate) text: String,
    /// Lines that only decorate.
    pub(crate) hairline: String,
    /// The cursor.
    pub(crate) accent: String,
}

/// What is painted.
pub(crate) struct Scene<'a> {
    /// The records.
    pub(crate) columns: &'a Columns,
    /// The part that is shown.
    pub(crate) window: Window,
    /// Along what.
    pub(crate) axis: Axis,
    /// In which language.
    pub(crate) lang: Lang,
    /// In which colours.
    pub(crate) palette: &'a Palette,
}

/// How wide a mark is.
fn mark_width(scene: &Scene<'_>, width: f64) -> f64 {
    match scene.axis {
        Axis::Order => (width / scene.window.span() - 1.0).clamp(1.5, WIDEST),
        Axis::Time => 4.0,
    }
}

/// Fits the canvas to its place on the screen and clears it; gives a pen in CSS pixels.
pub(crate) fn pen(canvas: &HtmlCanvasElement, width: f64, height: f64, ratio: f64) -> Option<Pen> {
    use wasm_bindgen::JsCast as _;
    let (wide, high) = (clamp(width * ratio, 32_000), clamp(height * ratio, 32_000));
    let (wide, high) = (u32::try_from(wide).ok()?, u32::try_from(high).ok()?);
    if canvas.width() != wide || canvas.height() != high {
        canvas.set_width(wide);
        canvas.set_height(high);
    }
    let pen = canvas.get_context("2d").ok()??.dyn_into::<Pen>().ok()?;
    let _ = pen.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    pen.clear_rect(0.0, 0.0, width, height);
    Some(pen)
}

/// Paints everything that does not move with the cursor.
pub(crate) fn base(pen: &Pen, scene: &Scene<'_>, width: f64) {
    let palette = scene.palette;
    for (row, _) in LANES.iter().enumerate().filter(|(row, _)| row % 2 == 1) {
        pen.set_fill_style_str(&palette.sunken);
        pen.fill_rect(0.0, to_f64(row) * LANE, width, LANE);
    }
    let shown = scene.columns.between(scene.window.low, scene.window.high, scene.axis);
    gaps(pen, scene, shown.clone(), width);
    marks(pen, scene, shown, width);
    axis(pen, scene, width);
}

fn marks(pen: &Pen, scene: &Scene<'_>, shown: std::ops::Range<usize>, width: f64) {
    let palette = scene.palette;
    let wide = mark_width(scene, width);
    let top = (LANE - MARK) / 2.0;
    pen.set_text_align("center");
    pen.set_text_baseline("middle");
    pen.set_font("10px system-ui, sans-serif");
    for (row, _) in LANES.iter().enumerate() {
        let (Some(colour), Some(glyph)) = (palette.lanes.get(row), GLYPHS.get(row)) else { continue };
        let y = to_f64(row) * LANE + top;
        pen.set_fill_style_str(colour);
        // Marks that would fall on the same pixels are painted once: a lane never costs more than its width.
        let mut painted = f64::NEG_INFINITY;
        let mut places = Vec::new();
        for at in shown.clone().filter(|at| scene.columns.lane.get(*at).is_some_and(|lane| usize::from(*lane) == row)) {
            let x = scene.window.pixel(scene.columns.place(at, scene.axis), width);
            if x - painted < 1.0 {
                continue;
            }
            painted = x;
            pen.fill_rect(x, y, wide, MARK);
            places.push(x);
        }
        if wide >= GLYPH_WIDTH {
            pen.set_fill_style_str(&palette.ink);
            for x in places {
                let _ = pen.fill_text(glyph, x + wide / 2.0, y + MARK / 2.0 + 0.5);
            }
        }
    }
}

/// A dashed line where the clock jumped.
fn gaps(pen: &Pen, scene: &Scene<'_>, shown: std::ops::Range<usize>, width: f64) {
    if scene.axis == Axis::Time {
        return;
    }
    pen.set_stroke_style_str(&scene.palette.text);
    pen.set_line_width(1.0);
    let dash = js_sys::Array::of2(&2.0.into(), &3.0.into());
    let _ = pen.set_line_dash(&dash);
    for at in shown.filter(|at| scene.columns.gap(*at).is_some()) {
        let x = scene.window.pixel(to_f64(at), width).floor() - 0.5;
        pen.begin_path();
        pen.move_to(x, 0.0);
        pen.line_to(x, height() - AXIS);
        pen.stroke();
    }
    let _ = pen.set_line_dash(&js_sys::Array::new());
}

fn axis(pen: &Pen, scene: &Scene<'_>, width: f64) {
    let palette = scene.palette;
    let top = height() - AXIS;
    pen.set_fill_style_str(&palette.hairline);
    pen.fill_rect(0.0, top, width, 1.0);
    pen.set_fill_style_str(&palette.text);
    pen.set_font("11px system-ui, sans-serif");
    pen.set_text_baseline("middle");
    pen.set_text_align("left");
    let y = top + AXIS / 2.0 + 1.0;
    let mut free_from = f64::NEG_INFINITY;
    let mut label = |x: f64, text: &str| {
        let wide = pen.measure_text(text).map_or(60.0, |measure| measure.width());
        if x >= free_from && x >= 0.0 && x + wide <= width {
            let _ = pen.fill_text(text, x, y);
            free_from = x + wide + 12.0;
        }
    };
    match scene.axis {
        Axis::Order => {
            let shown = scene.columns.between(scene.window.low, scene.window.high, scene.axis);
            let step = clamp(nice_step(scene.window.span(), width / 90.0), usize::MAX >> 12).max(1);
            // Jumps of the clock say more than numbers, so they have the room first.
            let jumps: Vec<_> = shown.clone().filter(|at| scene.columns.gap(*at).is_some()).collect();
            let room =
                |at: usize| jumps.iter().all(|jump| to_f64(jump.abs_diff(at)) * width / scene.window.span() > 48.0);
            for at in shown {
                let text = match scene.columns.gap(at) {
                    Some(gap) => format!("+{}", duration(gap)),
                    None if ((at + 1) % step == 0 || at == 0) && room(at) => number(at as u64 + 1, scene.lang),
                    None => continue,
                };
                label(scene.window.pixel(to_f64(at), width) + 1.0, &text);
            }
        }
        Axis::Time => {
            let step = nice_time_step(scene.window.span() / (width / 130.0));
            let mut at = (scene.window.low / step).ceil() * step;
            while at < scene.window.high {
                #[expect(clippy::cast_possible_truncation, reason = "an instant of the window")]
                label(scene.window.pixel(at, width), &cut(&short_time(at as i64, scene.lang), 24));
                at += step;
            }
        }
    }
}

/// A step of a second, minute, hour or day that is at least `rough` milliseconds.
pub(crate) fn nice_time_step(rough: f64) -> f64 {
    const STEPS: [i64; 13] = [
        1_000,
        5_000,
        15_000,
        60_000,
        300_000,
        900_000,
        3_600_000,
        10_800_000,
        21_600_000,
        43_200_000,
        86_400_000,
        604_800_000,
        2_592_000_000,
    ];
    STEPS.into_iter().map(ms_to_f64).find(|step| *step >= rough).unwrap_or(rough)
}

/// A bookmark: the same however far one has zoomed out.
pub(crate) fn flag(pen: &Pen, x: f64, bottom: f64) {
    pen.fill_rect(x, 0.0, 1.0, bottom);
    pen.begin_path();
    pen.move_to(x, 1.0);
    pen.line_to(x + 9.0, 5.0);
    pen.line_to(x, 9.0);
    pen.fill();
}

/// Paints the cursor, the pointer, the bookmarks, and a veil over what lies after the cursor.
pub(crate) fn overlay(pen: &Pen, scene: &Scene<'_>, width: f64, at: u64, hover: Option<u64>, marks: &[u64]) {
    let palette = scene.palette;
    let wide = mark_width(scene, width);
    let lanes = height() - AXIS;
    let place = |seq: u64| {
        let at = usize::try_from(seq.saturating_sub(1)).unwrap_or(usize::MAX);
        scene.window.pixel(scene.columns.place(at, scene.axis), width)
    };
    if at == 0 {
        return;
    }
    let x = place(at);
    if at < scene.columns.head() {
        pen.set_global_alpha(0.55);
        pen.set_fill_style_str(&palette.panel);
        let after = (x + wide + 1.0).max(0.0);
        pen.fill_rect(after, 0.0, (width - after).max(0.0), lanes);
        pen.set_global_alpha(1.0);
    }
    pen.set_fill_style_str(&palette.accent);
    for seq in marks {
        flag(pen, place(*seq).round(), lanes);
    }
    if let Some(seq) = hover.filter(|seq| *seq != at) {
        pen.set_global_alpha(0.5);
        pen.set_stroke_style_str(&palette.accent);
        pen.set_line_width(1.0);
        pen.stroke_rect(place(seq) - 1.5, 0.5, wide + 3.0, lanes - 1.0);
        pen.set_global_alpha(1.0);
    }
    pen.set_stroke_style_str(&palette.accent);
    pen.set_line_width(2.0);
    pen.stroke_rect(x - 2.0, 1.0, wide + 4.0, lanes - 2.0);
    pen.set_fill_style_str(&palette.accent);
    pen.begin_path();
    pen.move_to(x + wide / 2.0 - 5.0, lanes + 6.0);
    pen.line_to(x + wide / 2.0 + 5.0, lanes + 6.0);
    pen.line_to(x + wide / 2.0, lanes);
    pen.fill();
}

/// The record under a point, or the nearest one in that lane within a few pixels, or the nearest one at all.
pub(crate) fn hit(scene: &Scene<'_>, x: f64, y: f64, width: f64) -> Option<u64> {
    let columns = scene.columns;
    if columns.len() == 0 || y < 0.0 || y > height() {
        return None;
    }
    let wide = mark_width(scene, width);
    let reach = 6.0 / width * scene.window.span();
    let place = scene.window.place(x, width);
    let row = clamp(y / LANE, LANES.len());
    let back = wide / width * scene.window.span();
    let near = columns.between(place - back - reach, place + reach, scene.axis);
    let distance = |at: usize| {
        let left = scene.window.pixel(columns.place(at, scene.axis), width);
        if x < left { left - x } else { (x - left - wide).max(0.0) }
    };
    let in_lane = near
        .filter(|at| columns.lane.get(*at).is_some_and(|lane| usize::from(*lane) == row))
        .map(|at| (distance(at), at))
        .filter(|(far, _)| *far <= 6.0)
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let at = match in_lane {
        Some((_, at)) => at,
        None => match scene.axis {
            Axis::Order => clamp(place.floor(), columns.len() - 1),
            Axis::Time => {
                columns.between(place, place, Axis::Time).min_by(|a, b| distance(*a).total_cmp(&distance(*b)))?
            }
        },
    };
    Some(at as u64 + 1)
}
