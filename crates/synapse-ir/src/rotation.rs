//! What a file says about rotation and windows, where a step leaves it to the file.

use synapse_archdef::Definition;
use synapse_diag::{Diagnostic, catalog::bind as rule};
use synapse_format::{Array, Value};

use crate::keys::Keys;

/// Base of the frequencies where the file is silent: that of the RoFormer paper.
const DEFAULT_BASE: f64 = 10_000.0;

/// Rotation of one kind of layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rotation {
    /// Base of the frequencies.
    pub base: f64,
    /// Divides every frequency.
    pub scale: f64,
}

/// The file's word on windows and rotation, for every layer.
pub(crate) struct Positions {
    everywhere: Rotation,
    /// Where layers with a window exist: their cycle, window and rotation.
    local: Option<Local>,
}

struct Local {
    cycle: usize,
    window: usize,
    rotation: Rotation,
}

impl Positions {
    pub fn read(definition: &Definition, keys: &Keys<'_>) -> Result<Positions, Diagnostic> {
        let base = keys.at_least_one("rope.freq_base")?.unwrap_or(DEFAULT_BASE);
        let everywhere = Rotation { base, scale: scaling(keys, &definition.name)? };
        let local = match definition.param("sliding_window_type") {
            Some(cycle) => local(cycle as usize, keys)?,
            None => None,
        };
        Ok(Positions { everywhere, local })
    }

    fn local_in(&self, layer: Option<usize>) -> Option<&Local> {
        self.local.as_ref().filter(|l| layer.is_some_and(|i| (i + 1) % l.cycle != 0))
    }

    /// The window of a layer, `None` where it sees everything.
    pub fn window(&self, layer: Option<usize>) -> Option<usize> {
        self.local_in(layer).map(|l| l.window)
    }

    /// The rotation of a layer.
    pub fn rotation(&self, layer: Option<usize>) -> Rotation {
        self.local_in(layer).map_or(self.everywhere, |l| l.rotation)
    }
}

/// The divisor of all frequencies: 1, or the factor of linear scaling.
fn scaling(keys: &Keys<'_>, arch: &str) -> Result<f64, Diagnostic> {
    let kind = keys.text("rope.scaling.type")?;
    match kind {
        None | Some("none") => {
            // An older key for the same thing.
            Ok(keys.at_least_one("rope.scale_linear")?.unwrap_or(1.0))
        }
        Some("linear") => {
            let factor = keys.at_least_one("rope.scaling.factor")?;
            factor.ok_or_else(|| {
                keys.unacceptable(
                    "rope.scaling.type",
                    "\"linear\"",
                    format!("`{}` is missing", keys.full("rope.scaling.factor")),
                )
            })
        }
        Some(other) => {
            Err(Diagnostic::new(&rule::SCALING_UNKNOWN).arg("kind", other).arg("arch", arch))
        }
    }
}

/// Layers with a window: all but every `cycle`-th, where the file declares a window.
fn local(cycle: usize, keys: &Keys<'_>) -> Result<Option<Local>, Diagnostic> {
    let own = keys.at_least_one("rope.freq_base_swa")?;
    let older = keys.at_least_one("rope.local_freq_base")?;
    let window = keys.integer("attention.sliding_window")?.filter(|&w| w > 0);
    check_pattern(cycle, keys)?;
    let Some(window) = window else { return Ok(None) };
    Ok(Some(Local {
        cycle,
        window: usize::try_from(window).unwrap_or(usize::MAX),
        rotation: Rotation { base: own.or(older).unwrap_or(DEFAULT_BASE), scale: 1.0 },
    }))
}

/// A file that spells the pattern out must agree with the definition's cycle.
fn check_pattern(cycle: usize, keys: &Keys<'_>) -> Result<(), Diagnostic> {
    const KEY: &str = "attention.sliding_window_pattern";
    let Some(value) = keys.peek(KEY) else { return Ok(()) };
    keys.mark(KEY);
    let agrees = match value {
        Value::Array(Array::Bool(local)) => {
            local.iter().enumerate().all(|(i, &is_local)| is_local == ((i + 1) % cycle != 0))
        }
        other => other.as_u64() == Some(cycle as u64),
    };
    if agrees {
        return Ok(());
    }
    Err(keys.unacceptable(
        KEY,
        crate::keys::show(value),
        format!("the definition says `param sliding_window_type {cycle}`"),
    ))
}
