//! A scripted nvme-cli for tests: it accepts the commands and prints the answers found in the
//! sources of versions 2 and 3 (nvme.c, nvme-print-json.c and plugins/ns), for a controller whose
//! namespaces are files. Nothing was recorded from a drive.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::lab::nvme::NvmeCli;

pub struct Scripted {
    folder: tempfile::TempDir,
}

/// With blocks of 512 and 4,096 bytes; 1 GiB in total.
const SCRIPT: &str = r##"#!/bin/sh
cd "@FOLDER@" || exit 1
major=@MAJOR@
[ "$1" = version ] && echo "nvme version $major.0 (git $major.0)" && exit
echo "$*" >> commands
command=$1
shift
# Version 3 has its commands in groups; the old spellings can be left out when it is built.
if [ $major -ge 3 ]; then
    case $command in
        id | ns | log) command="$command $1"; shift ;;
        *-ns | *-ctrl | *ns-list) echo "ERROR: Invalid sub-command '$command'" >&2; exit 22 ;;
    esac
fi
for option in "$@"; do
    value=${option#*=}
    case $option in
        --namespace-id=*) nsid=$value ;;
        --nsze=*) size=$value ;;
        --ncap=*) capacity=$value ;;
        --flbas=*) format=$value ;;
        --dps=*) protection=$value ;;
        --nmic=*) sharing=$value ;;
        --controllers=*) controllers=$value ;;
        --all) all=1 ;;
        --*) ;;
        *) node=$option ;;
    esac
done
bytes() { # FORMAT BLOCKS
    [ "$1" = 1 ] && echo $(($2 * 4096)) || echo $(($2 * 512))
}
unallocated() {
    left=$((1 << 30))
    for file in ns/*; do
        [ -e "$file" ] || continue
        read -r _ ncap flbas _ < "$file"
        left=$((left - $(bytes "$flbas" "$ncap")))
    done
    echo $left
}
said() { # Version 3 says it with --verbose only.
    [ $major -ge 3 ] || echo "$1"
}
status() {
    echo "NVMe status: $1" >&2
    exit 1
}
attachment() { # 0 or 1
    # "attach: a namespace device opened (dev: nvme0n1, nsid: 2)"
    case ${node#/dev/nvme} in
        *n*)
            [ $major -ge 3 ] &&
                echo "attach: a namespace device opened (dev: $node)" >&2 && exit 22
            ;;
    esac
    [ "$controllers" = 3 ] || status "Controller List Invalid: (0x211c)"
    read -r a b c d e _ < "ns/$nsid" || status "Invalid Namespace or Format: (0x400b)"
    echo "$a $b $c $d $e $1" > "ns/$nsid"
    said "$command: Success, nsid:$nsid"
}
case $command in
    id-ctrl | "id ctrl")
        echo '{ "vid":4932, "sn":"S1", "cntlid":3, "oacs":14, "nn":32,'
        echo "\"tnvmcap\":$((1 << 30)), \"unvmcap\":$(unallocated) }"
        ;;
    list-ns | "id ns-list")
        [ $major -ge 3 ] && key=NSID || key=nsid
        listed=
        for file in ns/*; do
            [ -e "$file" ] || continue
            read -r _ _ _ _ _ attached < "$file"
            [ "$attached$all" = 0 ] || listed="$listed${listed:+,}{\"$key\":${file#ns/}}"
        done
        echo "{\"nsid_list\":[$listed]}"
        ;;
    id-ns | "id ns")
        read -r size capacity format protection sharing _ < "ns/$nsid"
        echo "{\"nsze\":$size,\"ncap\":$capacity,\"flbas\":$format,\"dps\":$protection,"
        echo "\"nmic\":$sharing,\"lbafs\":["
        echo '{"ms":0,"ds":9,"rp":0},{"ms":0,"ds":12,"rp":0}]}'
        ;;
    create-ns | "ns create")
        [ "$(bytes "$format" "$capacity")" -le "$(unallocated)" ] ||
            status "Namespace Insufficient Capacity: Creating the namespace requires more free \
space than is currently available(0x2115)"
        id=1
        while [ -e ns/$id ]; do id=$((id + 1)); done
        echo "$size $capacity $format $protection $sharing 0" > ns/$id
        said "create-ns: Success, created nsid:$id"
        ;;
    delete-ns | "ns delete")
        rm "ns/$nsid" || status "Invalid Namespace or Format: (0x400b)"
        said "delete-ns: Success, deleted nsid:$nsid"
        ;;
    attach-ns | "ns attach") attachment 1 ;;
    detach-ns | "ns detach") attachment 0 ;;
    sanitize) ;;
    get-log)
        read -r low high status rest < log || exit 1
        sed -i 1d log
        printf "\\$low\\$high\\$status\\$rest"
        head -c 16 /dev/zero
        ;;
    *) echo "ERROR: Invalid sub-command '$command'" >&2; exit 22 ;;
esac
"##;

impl Scripted {
    /// A controller with these namespaces, all attached: number, blocks, format (0: 512 bytes, 1:
    /// 4,096).
    pub fn new(major: u32, namespaces: &[(u64, u64, u64)]) -> Scripted {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("ns")).unwrap();
        for (id, blocks, format) in namespaces {
            fs::write(at("ns").join(id.to_string()), format!("{blocks} {blocks} {format} 0 0 1\n"))
                .unwrap();
        }
        let script = SCRIPT
            .replace("@FOLDER@", &folder.path().display().to_string())
            .replace("@MAJOR@", &major.to_string());
        fs::write(at("nvme"), script).unwrap();
        fs::set_permissions(at("nvme"), fs::Permissions::from_mode(0o755)).unwrap();
        Scripted { folder }
    }

    pub fn tool(&self) -> NvmeCli {
        NvmeCli::on(&format!("{}:/usr/bin:/bin", self.folder.path().display()))
    }

    /// The next answers of the Sanitize Status log page, (SPROG, SSTAT) each.
    pub fn sanitizes(&self, answers: &[(u16, u16)]) {
        let line = |(progress, status): &(u16, u16)| {
            let bytes = [progress.to_le_bytes(), status.to_le_bytes()].concat();
            bytes.iter().map(|byte| format!("{byte:03o} ")).collect::<String>() + "\n"
        };
        fs::write(self.file("log"), answers.iter().map(line).collect::<String>()).unwrap();
    }

    /// Its arguments, except for version queries.
    pub fn commands(&self) -> Vec<String> {
        let text = fs::read_to_string(self.file("commands")).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    /// The commands that change something.
    pub fn changes(&self) -> Vec<String> {
        let mut all = self.commands();
        all.retain(|c| !c.contains("--output-format"));
        all
    }

    /// Each namespace: number, blocks, format, and whether it is attached.
    pub fn namespaces(&self) -> Vec<(u64, u64, u64, bool)> {
        let entries = fs::read_dir(self.file("ns")).unwrap().flatten();
        let read = |path: PathBuf| {
            let text = fs::read_to_string(&path).unwrap();
            let n: Vec<u64> = text.split_whitespace().map(|n| n.parse().unwrap()).collect();
            let id = path.file_name().unwrap().to_string_lossy().parse().unwrap();
            (id, n[0], n[2], n[5] == 1)
        };
        let mut found: Vec<_> = entries.map(|entry| read(entry.path())).collect();
        found.sort_unstable();
        found
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
