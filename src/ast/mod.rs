//! Structural patterns on syntax trees.
