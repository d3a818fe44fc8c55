//! Recorded and constructed logs: the values of each, and data that is not such a log.

use super::*;

fn le(log: &mut [u8], at: usize, bytes: usize, value: u128) {
    log[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}

fn value(values: &Values, name: &str) -> Option<f64> {
    values.iter().find(|v| v.0 == name).map(|v| v.1)
}

#[test]
fn the_health_log_is_read_by_the_specifications_offsets() {
    let mut log = vec![0u8; 512];
    le(&mut log, 1, 2, 273 + 41);
    le(&mut log, 48, 16, 7);
    le(&mut log, 200, 2, 273 + 55);
    le(&mut log, 224, 4, 90);
    let values = smart(&log).unwrap();
    let of = |name: &str| value(&values, name);
    assert_eq!((of("celsius"), of("sensor1_celsius")), (Some(41.0), Some(55.0)));
    assert_eq!(of("host_written_bytes"), Some(7.0 * 512_000.0));
    assert_eq!(of(names::THROTTLE_LIGHT_S), Some(90.0));
    assert_eq!(of("sensor2_celsius"), None, "a sensor that is not there");
    assert!(smart(&log[..100]).is_err());
}

/// Recorded health logs: data units written, and the terabytes that smartctl prints for them. The
/// specification rounds up: 3 is 2,001 to 3,000 blocks of 512 bytes.
#[test]
fn recorded_data_units_are_thousands_of_blocks_of_512_bytes() {
    let recorded = [
        // linux-nvme/nvme-cli, issue 48; exelban/stats, pull request 2760.
        (64_663_716, 33.1),
        (79_581_408, 40.7),
        // v-zhuravlev/zbx-smartctl, issue 129 (INTEL SSDPEDME400G4); nvme-cli, issue 1745.
        (682_594_316, 349.0),
        (1_277_863_316, 654.0),
        // Values above 32 bits, and above 64.
        (1 << 40, 562_949.95),
        (1 << 70, (1u128 << 70) as f64 * 512_000.0 / 1e12),
    ];
    for (units, terabytes) in recorded {
        let mut log = vec![0u8; 512];
        le(&mut log, 48, 16, units);
        let bytes = value(&smart(&log).unwrap(), "host_written_bytes").unwrap();
        assert!((bytes / 1e12 / terabytes - 1.0).abs() < 2e-3, "{units}: {bytes}");
        assert_eq!(bytes % 512_000.0, 0.0);
    }
}

#[test]
fn media_writes_come_from_an_ocp_log_and_from_no_other() {
    let mut log = vec![0u8; 512];
    le(&mut log, 0, 16, 1 << 70);
    assert!(ocp(&log).is_none());
    log[496..512].copy_from_slice(&OCP_GUID);
    assert_eq!(ocp(&log).unwrap()[0], ("media_written_bytes".to_string(), (1u128 << 70) as f64));
}

#[test]
fn the_endurance_groups_and_fdps_logs_are_read_by_the_specifications_offsets() {
    // struct nvme_endurance_group_log and struct nvme_fdp_stats_log of libnvme (src/nvme/types.h).
    let mut log = vec![0u8; 512];
    le(&mut log, 64, 16, 12_000);
    le(&mut log, 80, 16, 31_000);
    let values = endurance_group(&log).unwrap();
    assert_eq!(value(&values, "group_host_written_bytes"), Some(12_000e9));
    assert_eq!(value(&values, "group_media_written_bytes"), Some(31_000e9));
    assert!(endurance_group(&[0; 512]).is_none(), "a drive that does not count");
    assert!(endurance_group(&[1; 64]).is_none());
    let mut log = vec![0u8; 64];
    le(&mut log, 0, 16, 4_096 * 1_000_001);
    le(&mut log, 16, 16, 4_096 * 1_425_000);
    let values = fdp(&log).unwrap();
    assert_eq!(value(&values, "fdp_host_written_bytes"), Some(4_096.0 * 1_000_001.0));
    assert_eq!(value(&values, "fdp_media_written_bytes"), Some(4_096.0 * 1_425_000.0));
}

/// A counter in its log: the reading's name, the log with other counters at 1, the function that
/// reads it, the counter's offset, its length in bytes and the value of one count.
type WideCounter = (&'static str, Vec<u8>, fn(&[u8]) -> Option<Values>, usize, usize, f64);

#[test]
fn every_counter_is_read_at_its_whole_width_which_no_drive_fills() {
    let ones = |places: &[usize]| {
        let mut log = vec![0u8; 512];
        places.iter().for_each(|at| log[*at] = 1);
        log
    };
    let mut ocp_log = ones(&[]);
    ocp_log[496..512].copy_from_slice(&OCP_GUID);
    let mut intel = ones(&[5, 17]);
    (intel[0], intel[12], intel[24]) = (0xAB, 0xF4, 0xF5);
    intel[29] = 1;
    let health = |log: &[u8]| smart(log).ok();
    let counters: [WideCounter; 7] = [
        ("host_written_bytes", ones(&[]), health, 48, 16, 512_000.0),
        ("media_written_bytes", ocp_log, ocp, 0, 16, 1.0),
        ("fdp_host_written_bytes", ones(&[]), fdp, 0, 16, 1.0),
        ("fdp_media_written_bytes", ones(&[]), fdp, 16, 16, 1.0),
        ("group_host_written_bytes", ones(&[80]), endurance_group, 64, 16, 1e9),
        ("vendor_media_written_bytes", intel.clone(), vendor, 17, 6, 33_554_432.0),
        ("vendor_host_written_bytes", intel, vendor, 29, 6, 33_554_432.0),
    ];
    for (name, mut log, read, at, bytes, unit) in counters {
        log[at..at + bytes].fill(0xFF);
        let most = value(&read(&log).expect(name), name).expect(name);
        let expected = (256f64.powi(bytes as i32) - 1.0) * unit;
        assert!((most / expected - 1.0).abs() < 1e-12, "{name}: {most} for {expected}");
        // 100 GB/s for a century: a counter that decreases was reset and did not wrap.
        assert!(most > 100e9 * 86_400.0 * 365.0 * 100.0, "{name}: {most}");
    }
}

/// Log CAh as printed by nvme-cli for an Intel drive (CacheLib, cachebench/util/NandWrites.cpp:
/// "nand_bytes_written : 100% sectors: 224943088"), in the layout of collectd's src/intel-nvme.h.
#[test]
fn intels_log_is_read_by_its_keys_in_units_of_32_mib() {
    let mut log = vec![0u8; 512];
    let keys = [0xAB, 0xAC, 0xAD, 0xB8, 0xC7, 0xE2, 0xE3, 0xE4, 0xEA, 0xF0, 0xF3, 0xF4, 0xF5];
    for (i, key) in keys.into_iter().enumerate() {
        (log[12 * i], log[12 * i + 3]) = (key, 100);
    }
    le(&mut log, 12 * 11 + 5, 6, 224_943_088);
    le(&mut log, 12 * 12 + 5, 6, 112_000_000);
    let values = vendor(&log).unwrap();
    assert_eq!(value(&values, "vendor_media_written_bytes"), Some(224_943_088.0 * 33_554_432.0));
    assert_eq!(value(&values, "vendor_host_written_bytes"), Some(112_000_000.0 * 33_554_432.0));
    // Another vendor's drive, as in linux-nvme/nvme-cli, issue 245: "nand_bytes_written : 0 %
    // sectors: 0, host_bytes_written : 0 % sectors: 0".
    let mut other = log.clone();
    le(&mut other, 12 * 11 + 5, 6, 0);
    le(&mut other, 12 * 12 + 5, 6, 0);
    assert!(vendor(&other).is_none(), "a drive that does not count");
    // Items have no fixed offsets: another model starts with these two.
    log.rotate_left(12 * 11);
    assert_eq!(vendor(&log).unwrap(), values);
    log[0] = 0;
    assert!(vendor(&log).is_none(), "another vendor's log CAh");
}

/// A replacement for nvme-cli in tests: it answers from files named after the log.
#[test]
fn each_log_that_a_drive_has_is_asked_for_with_its_group_and_others_are_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let script = format!(
        "#!/bin/sh\ncd {} || exit 1\necho \"$*\" >> commands\nfor o in \"$@\"; do case $o in \
         --log-id=*) log=${{o#*=}} ;; esac; done\ncase $1 in get-log) cat log-$log ;; *) cat $1 ;; \
         esac\n",
        folder.path().display()
    );
    std::fs::write(at("nvme"), script).unwrap();
    std::fs::set_permissions(at("nvme"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut identity = vec![0u8; 4096];
    identity[102] = 7;
    std::fs::write(at("id-ns"), &identity).unwrap();
    std::fs::write(at("id-ctrl"), [0x4D, 0x14]).unwrap();
    std::fs::write(at("log-0x2"), [0u8; 512]).unwrap();
    let mut fdp = vec![0u8; 64];
    le(&mut fdp, 0, 16, 8_192);
    le(&mut fdp, 16, 16, 12_288);
    std::fs::write(at("log-0x22"), fdp).unwrap();
    // Log 09h without counts; neither C0h nor CAh.
    std::fs::write(at("log-0x9"), [0u8; 512]).unwrap();

    let logs = NvmeLogs::through(at("nvme"));
    assert_eq!(WriteLog::of_drive(&logs, "nvme0n1"), [WriteLog::Fdp(7)]);
    let values = WriteLog::Fdp(7).read(&logs, "nvme0n1").unwrap();
    assert_eq!(value(&values, "nvme0n1_fdp_host_written_bytes"), Some(8_192.0));
    assert_eq!(value(&values, "nvme0n1_fdp_media_written_bytes"), Some(12_288.0));
    let commands = std::fs::read_to_string(at("commands")).unwrap();
    let asked = "get-log /dev/nvme0n1 --log-id=0x22 --log-len=64 --lsi=7 --raw-binary";
    assert!(commands.lines().any(|line| line == asked), "{commands}");
}

#[test]
fn a_composite_temperature_of_zero_kelvins_is_not_reported() {
    let mut log = vec![0u8; 512];
    assert_eq!(value(&smart(&log).unwrap(), "celsius"), None);
    le(&mut log, 1, 2, 273 + 41);
    assert_eq!(value(&smart(&log).unwrap(), "celsius"), Some(41.0));
}

#[test]
fn solidigms_log_is_asked_for_by_its_index_in_the_list_of_uuids() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mut list = vec![0u8; 4096];
    list[2 * 32 + 16..3 * 32].copy_from_slice(&SOLIDIGM_UUID);
    let mut log = vec![0u8; 512];
    for (i, (key, count)) in [(0xF5u8, 100u64), (0x05, 1), (0xF4, 200)].into_iter().enumerate() {
        log[12 * i] = key;
        le(&mut log, 12 * i + 5, 6, count.into());
    }
    let mut controller = vec![0u8; 4096];
    controller[..2].copy_from_slice(&0x025Eu16.to_le_bytes());
    for (name, bytes) in [("list", list), ("log", log), ("controller", controller)] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let program = folder.path().join("nvme");
    let script = "#!/bin/sh\ncd \"${0%/*}\"\ncase \"$*\" in\nid-uuid*) cat list ;;\nid-ctrl*) cat \
                  controller ;;\n*0xca*--uuid-index=2*) cat log ;;\n*) exit 1 ;;\nesac\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let logs = NvmeLogs::through(program);
    let found = WriteLog::of_drive(&logs, "nvme0n1");
    assert_eq!(found, [WriteLog::Vendor(Some(2))]);
    let values = found[0].read(&logs, "nvme0n1").unwrap();
    let media = value(&values, "nvme0n1_vendor_media_written_bytes");
    assert_eq!(media, Some(200.0 * 33_554_432.0));
}

/// The layout of nvme-cli's plugin for WDC: written as TLC at 0, as SLC at 16, read at 252.
#[test]
fn the_log_of_boot_drives_has_its_own_signature_and_both_kinds_of_flash_are_summed() {
    let mut log = vec![0u8; 512];
    le(&mut log, 0, 16, 7_000_000);
    le(&mut log, 16, 16, 500_000);
    le(&mut log, 252, 16, 9_000_000);
    assert!(ocp(&log).is_none(), "no signature");
    log[496..].copy_from_slice(&BOOT_GUID);
    let values = ocp(&log).unwrap();
    assert_eq!(value(&values, "media_written_bytes"), Some(7_500_000.0));
    assert_eq!(value(&values, "media_read_bytes"), Some(9_000_000.0));
    // The later log has the bytes read at 16.
    log[496..].copy_from_slice(&OCP_GUID);
    let values = ocp(&log).unwrap();
    assert_eq!(value(&values, "media_written_bytes"), Some(7_000_000.0));
    assert_eq!(value(&values, "media_read_bytes"), Some(500_000.0));
}

/// The layout of nvme-cli's plugin for Micron: the 64-bit number of words 44 and 45.
#[test]
fn microns_log_is_read_where_the_drive_has_no_newer_one_and_its_count_is_possible() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut log = vec![0u8; 512];
    le(&mut log, 176, 8, 3_000_000_000_000);
    let mut health = vec![0u8; 512];
    le(&mut health, 48, 16, 2_000_000);
    let found =
        |log: &[u8]| micron(log, &health).map(|values| value(&values, "media_written_bytes"));
    assert_eq!(found(&log), Some(Some(3e12)));
    let mut other = log.clone();
    for impossible in [0, 400_000_000_000, u64::MAX] {
        le(&mut other, 176, 8, impossible.into());
        assert_eq!(found(&other), None, "{impossible}");
    }
    let mut controller = vec![0u8; 4096];
    controller[..2].copy_from_slice(&0x1344u16.to_le_bytes());
    for (name, bytes) in [("0xd0", &log), ("0x2", &health), ("controller", &controller)] {
        std::fs::write(at(name), bytes).unwrap();
    }
    let script = "#!/bin/sh\ncd \"${0%/*}\"\nfor o in \"$@\"; do case $o in --log-id=*) \
                  log=${o#*=} ;; esac; done\ncase $1 in id-ctrl) cat controller ;; get-log) cat \
                  $log ;; *) exit 1 ;; esac\n";
    std::fs::write(at("nvme"), script).unwrap();
    std::fs::set_permissions(at("nvme"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let logs = NvmeLogs::through(at("nvme"));
    assert_eq!(WriteLog::of_drive(&logs, "nvme0n1"), [WriteLog::Micron]);
    let values = WriteLog::Micron.read(&logs, "nvme0n1").unwrap();
    assert_eq!(value(&values, "nvme0n1_media_written_bytes"), Some(3e12));
    // A drive with log FBh has another layout in D0h.
    std::fs::write(at("0xfb"), &log).unwrap();
    assert_eq!(WriteLog::of_drive(&logs, "nvme0n1"), []);
}
