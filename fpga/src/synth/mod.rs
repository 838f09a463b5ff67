//! Tools that make bitstreams and netlists, and what they report.
