//! bind
