//! Rotary tables and rotation.
