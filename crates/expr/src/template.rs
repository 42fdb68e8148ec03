//! Answer templates over the expression language.
