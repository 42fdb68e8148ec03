//! The machine, case by case.
