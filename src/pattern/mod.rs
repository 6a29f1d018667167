//! Conditions with ECMAScript meaning over UTF-16 code units.
