//! The kernel command line in a brief: the parameters that may affect results, and the number of
//! others. The boot disk, for example, is not disclosed.

use crate::analysis::facts::ReportStatements;
use crate::language::Language;
use crate::say;
use dyno_core::plan::declaration::CommandLine;

/// Parameters by name (Documentation/admin-guide/kernel-parameters.txt); a trailing "*" matches all
/// with that prefix, such as a module's ("nvme.poll_queues"). The kernel treats "-" and "_" alike.
const RELEVANT: [&str; 61] = [
    // Processors, and other work on them.
    "isolcpus",
    "nohz",
    "nohz_full",
    "rcu_nocbs",
    "rcu_nocb_poll",
    "irqaffinity",
    "threadirqs",
    "maxcpus",
    "nr_cpus",
    "nosmt",
    "smt",
    "preempt",
    "skew_tick",
    "nowatchdog",
    "nmi_watchdog",
    "watchdog",
    "nosoftlockup",
    "audit",
    "selinux",
    "apparmor",
    "lsm",
    "clocksource",
    "tsc",
    // Frequencies and sleep.
    "intel_pstate",
    "amd_pstate",
    "cpufreq*",
    "cpuidle*",
    "intel_idle*",
    "processor.*",
    "idle",
    // Mitigations.
    "mitigations",
    "spectre*",
    "nospectre*",
    "spec_*",
    "pti",
    "nopti",
    "l1tf",
    "mds",
    "tsx*",
    "retbleed",
    "srbds",
    "mmio_stale_data",
    "gather_data_sampling",
    // Memory.
    "mem",
    "memmap",
    "numa*",
    "hugepages",
    "hugepagesz",
    "default_hugepagesz",
    "transparent_hugepage",
    "swiotlb",
    "cgroup*",
    "systemd.unified_cgroup_hierarchy",
    // Buses and storage.
    "iommu*",
    "intel_iommu",
    "amd_iommu",
    "pci",
    "pcie*",
    "nvme*",
    "blk*",
    "elevator",
];

/// The displayed part of the command line: all of it if the publisher requests it.
pub fn shown(l: Language, statements: &ReportStatements, value: &str) -> String {
    let whole = statements.declared.kernel_command_line == Some(CommandLine::Whole);
    if whole {
        return value.to_string();
    }
    let (relevant, others): (Vec<&str>, Vec<&str>) =
        value.split_whitespace().partition(|parameter| is_relevant(parameter));
    match (relevant.is_empty(), others.len()) {
        (_, 0) => value.to_string(),
        (true, n) => say!(l, "kernel-no-parameters", others = n),
        (false, n) => {
            say!(l, "kernel-parameters", shown = relevant.join(" "), others = n)
        }
    }
}

fn is_relevant(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().replace('-', "_");
    RELEVANT.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *known,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::facts::Facts;

    #[test]
    fn parameters_that_may_change_a_figure_are_shown_and_the_others_counted() {
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=1 isolcpus=2-7 rcu-nocbs=2-7 mem=256G quiet \
                    nvme.poll_queues=4 memory_corruption_check=1";
        let facts = Facts::default();
        assert_eq!(
            shown(Language::ENGLISH, &facts.statements, line),
            "isolcpus=2-7 rcu-nocbs=2-7 mem=256G nvme.poll_queues=4 (4 other parameters not shown)"
        );
        assert_eq!(
            shown(Language::ENGLISH, &facts.statements, "root=/dev/vda"),
            "none that is known to matter (1 other parameter not shown)"
        );
        let mut whole = Facts::default();
        whole.statements.declared.kernel_command_line = Some(CommandLine::Whole);
        assert_eq!(shown(Language::ENGLISH, &whole.statements, line), line);
    }
}
