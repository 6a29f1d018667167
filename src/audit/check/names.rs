//! A5, A6: empty lists and irregular names.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;
use crate::text::json::Value;

use super::{Check, Input, finding};

pub(super) struct Names;

impl Check for Names {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let session = input.subject.session;
        for recorded in &input.subject.recorded {
            if !recorded.is_list {
                let message = "`injectedRules` is no list; nothing of it is used".to_owned();
                findings.push(finding(session, code::INVALID_ENTRY, recorded.entry, message));
                continue;
            }
            if recorded.elements.is_empty() {
                let message = "the injection names no rule".to_owned();
                findings.push(finding(session, code::EMPTY_INJECTION, recorded.entry, message));
            }
            let mut seen = BTreeSet::new();
            let odd: Vec<String> = recorded
                .elements
                .iter()
                .filter_map(|element| match element {
                    Value::String(name) if name.is_blank() => Some(format!("{} is blank", element.to_json())),
                    Value::String(name) if *name != name.trim() => Some(format!("{} is padded", element.to_json())),
                    Value::String(name) if !seen.insert(name.clone()) => {
                        Some(format!("{} stands there twice", element.to_json()))
                    }
                    Value::String(_) => None,
                    other => Some(format!("{} is no name", other.kind())),
                })
                .collect();
            if !odd.is_empty() {
                findings.push(finding(session, code::IRREGULAR_NAME, recorded.entry, odd.join("; ")));
            }
        }
        Ok(())
    }
}
