//! First lines of published recordings, as printed in their own documentation or by users, and the
//! requests that they state.

use super::tests::{Row, compiled, source};
use crate::RequestKind::{self, Flush, Read, Write};

/// The requests of a sample without refusals: milliseconds, device, kind, offset and length.
fn requests(format: &str, text: impl AsRef<[u8]>) -> Vec<(f64, String, RequestKind, u64, u32)> {
    let (compiled, rows) = compiled(&source(text));
    assert_eq!((compiled.format, compiled.refusals.lines()), (format, Vec::new()));
    let row = |(at_ns, device, kind, offset, length): Row| {
        (at_ns as f64 / 1e6, device, kind, offset, length)
    };
    rows.into_iter().map(row).collect()
}

/// github.com/alibaba/block-traces, README.
#[test]
fn alibabas_sample() {
    let text = "419,W,8792731648,16384,1577808144360767\n\
                725,R,59110326272,360448,1577808144360813\n\
                12,R,350868463616,8192,1577808144360852\n\
                725,R,59110686720,466944,1577808144360891\n\
                736,R,72323657728,516096,1577808144360996\n\
                12,R,348404277248,8192,1577808144361031\n";
    let all = requests("Alibaba block traces", text);
    assert_eq!(all[0], (0.0, "419".into(), Write, 8_792_731_648, 16_384));
    assert_eq!(all[3], (0.124, "725".into(), Read, 59_110_686_720, 466_944));
    assert_eq!(all[3].3, all[1].3 + u64::from(all[1].4), "the second read of 725 is sequential");
    assert_eq!((all.len(), all[5].0), (6, 0.264));
}

/// SNIA IOTTA 27917.
#[test]
fn tencents_sample() {
    let text = "1538323200,12910952,128,0,1063\n1538323200,6338688,8,1,1627\n\
                1538323200,1904106400,384,0,1360\n1538323200,342884064,256,0,1360\n\
                1538323200,15114104,8,0,3607\n1538323200,140441472,32,0,1360\n\
                1538323200,15361816,520,1,1371\n1538323200,23803384,8,0,2363\n\
                1538323200,5331600,4,1,3171\n";
    let all = requests("Tencent block storage", text);
    assert_eq!(all[0], (0.0, "1063".into(), Read, 12_910_952 * 512, 65_536));
    assert_eq!(all[8], (0.0, "3171".into(), Write, 5_331_600 * 512, 2048));
    assert_eq!(all.iter().filter(|request| request.2 == Write).count(), 3);
}

/// SNIA IOTTA 388, hm_1: three of its lines.
#[test]
fn msr_cambridges_sample() {
    let text = "128166477394345573,hm,1,Read,383496192,32768,113736\n\
                128166483087163644,hm,1,Read,2822144,65536,71730\n\
                128166620794097839,hm,1,Read,3221266432,4096,121008\n";
    let all = requests("MSR Cambridge", text);
    assert_eq!(all[0], (0.0, "hm.1".into(), Read, 383_496_192, 32_768));
    // 569.2818071 s and 14,339.9752266 s after the first, in units of 100 ns.
    assert_eq!(all[1], (569_281.807_1, "hm.1".into(), Read, 2_822_144, 65_536));
    assert_eq!(all[2], (14_339_975.226_6, "hm.1".into(), Read, 3_221_266_432, 4096));
}

/// blktrace's user guide (doc/blktrace.tex), "blktrace -- live". That kernel queued only the first
/// of several merged requests (M).
#[test]
fn blkparses_sample() {
    let text = "  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]\n\
                \x20 8,0    3        2     0.000001829   697  P   R [kjournald]\n\
                \x20 8,0    3        3     0.000002197   697  Q   W 223490 + 8 [kjournald]\n\
                \x20 8,0    3        4     0.000005533   697  M   W 223498 + 8 [kjournald]\n\
                \x20 8,0    3       10     0.000024062   697  D   W 223490 + 56 [kjournald]\n\
                \x20 8,0    1       11     0.009507758     0  C   W 223490 + 56 [0]\n\
                \x20 8,0    1       14     0.009540313   697  Q   W 223546 + 8 [kjournald]\n\
                \x20 8,0    1       16     0.013542170     0  C   W 223546 + 8 [0]\n\
                ...\nCPU1 (8,0):\n Reads Queued:           0,        0KiB  Writes Queued:\n\
                Events (8,0): 89 entries, 0 skips\n";
    let all = requests("blkparse", text);
    assert_eq!(all[0], (0.0, "8,0".into(), Write, 223_490 * 512, 4096));
    assert_eq!(all[1..], [(9.538_116, "8,0".into(), Write, 223_546 * 512, 4096)]);
}

/// axboe/fio issue 1537: timestamps of several recordings, each of which restarts.
#[test]
fn a_users_iolog_of_version_3() {
    let text = "fio version 3 iolog\n\
                20 /dev/ram0 write 488197214720 4096\n21 /dev/ram0 read 482637861376 24576\n\
                22 /dev/ram0 read 494470889984 12288\n23 /dev/ram0 read 487460954624 65536\n\
                1000001 /dev/ram0 read 489065263616 53248\n\
                1000002 /dev/ram0 read 489065320960 24576\n\
                1000003 /dev/ram0 write 70974357504 4096\n\
                1000004 /dev/ram0 write 483084784128 8192\n\
                1000007 /dev/ram0 read 489065382400 65536\n\
                1 /dev/ram0 read 497433108992 4096\n";
    let all = requests("fio iolog", text);
    assert_eq!(all[0], (0.0, "/dev/ram0".into(), Read, 497_433_108_992, 4096));
    assert_eq!(all[1], (0.019, "/dev/ram0".into(), Write, 488_197_214_720, 4096));
    assert_eq!((all.len(), all[9].0, all[9].3), (10, 1000.006, 489_065_382_400));
}

/// axboe/fio issue 247: waits of 1,000 µs, which the user expected to accumulate.
#[test]
fn a_users_iolog_of_version_2() {
    let text = "fio version 2 iolog\n\\\\.\\PhysicalDrive0 add\n\\\\.\\PhysicalDrive0 open\n\
                \\\\.\\PhysicalDrive0 read 603182858240 131072\n\\\\.\\PhysicalDrive0 wait 1000 0\n\
                \\\\.\\PhysicalDrive0 read 7403516723200 131072\n\
                \\\\.\\PhysicalDrive0 wait 1000 0\n\
                \\\\.\\PhysicalDrive0 read 8432532848640 131072\n\
                \\\\.\\PhysicalDrive0 wait 1000 0\n\
                \\\\.\\PhysicalDrive0 write 4700536045568 131072\n";
    let all = requests("fio iolog", text);
    let times: Vec<f64> = all.iter().map(|request| request.0).collect();
    assert_eq!(times, [0.0, 1.0, 2.0, 3.0]);
    let drive = "\\\\.\\PhysicalDrive0".to_string();
    assert_eq!(all[3], (3.0, drive, Write, 4_700_536_045_568, 131_072));
}

/// UMass Trace Repository, Financial1.spc and a line of lower case with a further field.
#[test]
fn umass_sample() {
    let text = "0,20941264,8192,W,0.551706\n0,20939840,8192,W,0.554041\n\
                8,21888,32768,r,2077.065185,extra\n";
    let all = requests("SPC trace", text);
    assert_eq!(all[0], (0.0, "0".into(), Write, 20_941_264 * 512, 8192));
    assert_eq!(all[1].0, 2.335);
    assert_eq!(all[2], (2_076_513.479, "8".into(), Read, 21_888 * 512, 32_768));
}

/// SNIA IOTTA 4928, README.
#[test]
fn systors_sample() {
    let text = "Timestamp,Response,IOType,LUN,Offset,Size\n\
                1456095145.133076000,0.000806000,R,0,899056122368,131072\n\
                1456095145.633076000,,W,4,4096,8192\n";
    let all = requests("SYSTOR '17", text);
    assert_eq!(all[0], (0.0, "0".into(), Read, 899_056_122_368, 131_072));
    assert_eq!(all[1], (500.0, "4".into(), Write, 4096, 8192));
    // A line without a type states no request.
    let blank = format!("{text}1456095146.0,0.1,,0,4096,4096\n");
    let (compiled, rows) = compiled(&source(blank));
    assert_eq!((compiled.refusals.count, rows.len()), (1, 2));
}

/// SNIA IOTTA 391, README.
#[test]
fn fius_sample() {
    let text = "0 4892 syslogd 904265560 8 W 6 0 531e779eccc1f8ea3b5a3a2ae2b4c7cb\n\
                15000 2522 Web Content 32 16 R 8 1 0\n";
    let all = requests("FIU", text);
    assert_eq!(all[0], (0.0, "6,0".into(), Write, 904_265_560 * 512, 4096));
    assert_eq!(all[1], (0.015, "8,1".into(), Read, 32 * 512, 8192));
}

/// The columns of Baleen's traces of 2019 and of 2023.
#[test]
fn tectonics_sample() {
    let text = "# block_id io_offset io_size op_time op_name user_namespace user_name rs_shard_id \
                op_count host_name\n\
                7123456789 0 131072 1570209600.25 2 1 2 3 1 17\n\
                42 4096 8192 1570209600.5 4 1 2 3\n\
                7123456789 131072 4096 1570209601.25 5 1 2 3 1 17\n";
    let all = requests("Tectonic (Baleen)", text);
    let device = || "tectonic".to_string();
    assert_eq!(all[0], (0.0, device(), Read, 0, 131_072));
    assert_eq!(all[1], (250.0, device(), Write, (8 << 20) + 4096, 8192));
    assert_eq!(all[2], (1000.0, device(), Read, 131_072, 4096), "the block has its place");
}

/// Records of both versions, with the fields of libCacheSim's vscsi.h.
#[test]
fn cloudphysics_records() {
    let record = |version: u16, command: u16, length: u32, sector: u64, at_us: u64| {
        let (own, number) = ((version << 8).to_le_bytes(), 9u32.to_le_bytes());
        let (command, length) = (command.to_le_bytes(), length.to_le_bytes());
        let (sector, at_us) = (sector.to_le_bytes(), at_us.to_le_bytes());
        match version {
            1 => [&number[..], &length, &number, &command, &own, &sector, &at_us].concat(),
            _ => {
                let response = 77u64.to_le_bytes();
                let head = [&command[..], &own, &number, &length, &number].concat();
                [&head[..], &sector, &at_us, &response].concat()
            }
        }
    };
    for version in [1, 2] {
        let records = [
            record(version, 0x28, 4096, 1000, 5_000_000),
            record(version, 0x12, 96, 0, 5_000_001),
            record(version, 0x8a, 65_536, 2048, 5_000_250),
            record(version, 0x35, 0, 0, 5_001_000),
        ];
        let all = requests("vSCSI (CloudPhysics)", records.concat());
        let device = || "disk".to_string();
        assert_eq!(all[0], (0.0, device(), Read, 512_000, 4096));
        assert_eq!(all[1], (0.25, device(), Write, 2048 * 512, 65_536));
        assert_eq!(all[2..], [(1.0, device(), Flush, 0, 0)]);
        let (compiled, rows) = compiled(&source(&records.concat()[..records.concat().len() - 1]));
        assert_eq!((compiled.refusals.count, rows.len()), (1, 2), "cut within the last record");
    }
}
