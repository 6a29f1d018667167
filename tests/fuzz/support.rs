#[path = "../support/forms.rs"]
pub mod forms;
