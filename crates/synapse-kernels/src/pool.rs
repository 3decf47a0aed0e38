//! Workers that spin, then park.
