//! The three sections of a definition.

/// A section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Once, before the layers.
    Prologue,
    /// Once per layer.
    Block,
    /// Once, after the layers.
    Epilogue,
}

impl Section {
    /// All of them, in the order in which they must stand.
    pub const ALL: [Section; 3] = [Section::Prologue, Section::Block, Section::Epilogue];

    /// As it is spelled.
    pub fn name(self) -> &'static str {
        match self {
            Section::Prologue => "prologue",
            Section::Block => "block",
            Section::Epilogue => "epilogue",
        }
    }

    /// The section that is spelled `name`.
    pub fn named(name: &str) -> Option<Section> {
        Section::ALL.into_iter().find(|s| s.name() == name)
    }
}
