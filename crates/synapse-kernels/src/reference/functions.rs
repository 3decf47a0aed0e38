//! Reference: functions.
