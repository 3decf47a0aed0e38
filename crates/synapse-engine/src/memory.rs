//! How much memory there is, and how much this process uses. Linux tells through `/proc` and
//! `/sys`; where they do not exist nothing is known, and nothing is refused.

use std::fs;
use std::path::Path;

/// What this process holds, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessMemory {
    /// Its own pages: buffers, keys and values, tables.
    pub private: u64,
    /// Pages of mapped files, such as weights, that are in memory.
    pub mapped: u64,
}

impl ProcessMemory {
    /// The memory of this process now; `None` where the system does not say.
    pub fn now() -> Option<ProcessMemory> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        Some(ProcessMemory {
            private: field_in_kib(&status, "RssAnon:")?,
            mapped: field_in_kib(&status, "RssFile:")?,
        })
    }

    /// The larger of each.
    pub fn most(self, other: ProcessMemory) -> ProcessMemory {
        ProcessMemory {
            private: self.private.max(other.private),
            mapped: self.mapped.max(other.mapped),
        }
    }
}

/// Bytes that this process can still allocate: the least of what the machine has free, what the
/// control group leaves, and what the address-space limit leaves. `None` where nothing is known.
pub fn available() -> Option<u64> {
    [machine(), control_group(), address_space()].into_iter().flatten().min()
}

/// Bytes as people read them, such as `1.5 GiB`.
pub fn describe(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

fn machine() -> Option<u64> {
    field_in_kib(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(limit.saturating_sub(field_in_kib(&status, "VmSize:")?))
}

/// What the tightest control group on the way to the root leaves (version 2), or the memory
/// group's own limit (version 1).
fn control_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let left = |folder: &Path, limit: &str, used: &str| {
        let limit = number_in(&folder.join(limit))?;
        Some(limit.saturating_sub(number_in(&folder.join(used))?))
    };
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let (root, limit, used) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            c if c.split(',').any(|c| c == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        let folder = Path::new(root).join(group.trim_start_matches('/'));
        let up_to_root = folder.ancestors().take_while(|f| f.starts_with(root));
        least = up_to_root.filter_map(|f| left(f, limit, used)).chain(least).min();
    }
    least
}

/// The number in a file; `None` where it says `max` or is not there.
fn number_in(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// A field of a `/proc` table, which counts in KiB.
fn field_in_kib(table: &str, name: &str) -> Option<u64> {
    let rest = table.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_a_proc_table_counts_in_kib() {
        let table = "MemTotal:  100 kB\nMemAvailable:   7 kB\n";
        assert_eq!(field_in_kib(table, "MemAvailable:"), Some(7 * 1024));
        assert_eq!(field_in_kib(table, "SwapFree:"), None);
    }

    #[test]
    fn sizes_read_as_people_write_them() {
        assert_eq!(describe(12), "12 bytes");
        assert_eq!(describe(1536), "1.5 KiB");
        assert_eq!(describe(3 << 30), "3.0 GiB");
        assert_eq!(describe(u64::MAX), "16777216.0 TiB");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_memory_and_some_is_left() {
        assert!(ProcessMemory::now().unwrap().private > 0);
        assert!(available().unwrap() > 0);
    }
}
