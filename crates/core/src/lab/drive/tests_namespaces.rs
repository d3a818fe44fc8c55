//! Creation, deletion and restoration of namespaces, with a scripted nvme-cli (`scripted`).

use super::*;
use crate::lab::scripted::Scripted;

/// No machine has a drive with this name: the kernel shows none of its namespaces.
const NODE: &str = "/dev/nvme-of-a-test";

fn controller(nvme: &Scripted) -> Controller {
    Controller::identify(&nvme.tool(), Path::new(NODE)).unwrap()
}

/// Like `rearrange`, without the kernel's part.
fn rearranged(nvme: &Scripted, count: u32) -> Result<NamespacesChanged> {
    let controller = controller(nvme);
    able(&controller, "/dev/nvme0n1", 0, count)?;
    let shape = |id: u64| (id, controller.shape(id).unwrap());
    let there: Vec<_> = controller.attached().into_iter().map(shape).collect();
    let change = change(&there, 1, count, controller.unallocated_bytes)
        .map_err(|short| no_room(&controller, "/dev/nvme0n1", count, short))?;
    let like = there[0].1.clone();
    let doomed = there.into_iter().filter(|(id, _)| change.delete.contains(id)).collect();
    NamespacesChanged::make(controller, doomed, change.create, &like)
}

/// Blocks of 512 bytes in 128 MiB.
const PART: u64 = 1 << 18;

#[test]
fn missing_namespaces_are_created_like_the_named_one_and_deleted_when_the_run_ends() {
    for (major, create, attach, detach, delete) in [
        (2, "create-ns", "attach-ns", "detach-ns", "delete-ns"),
        (3, "ns create", "ns attach", "ns detach", "ns delete"),
    ] {
        let nvme = Scripted::new(major, &[(1, PART / 8, 1), (2, PART / 8, 1)]);
        let changed = rearranged(&nvme, 4).unwrap();
        assert_eq!(changed.words(), "; created: 3, 4");
        assert_eq!(nvme.namespaces(), [1, 2, 3, 4].map(|id| (id, PART / 8, 1, true)));
        changed.put_back().unwrap();
        assert_eq!(nvme.namespaces(), [1, 2].map(|id| (id, PART / 8, 1, true)));
        let shape = "--nsze=32768 --ncap=32768 --flbas=1 --dps=0 --nmic=0";
        let made = |id| {
            [
                format!("{create} {NODE} {shape}"),
                format!("{attach} {NODE} --namespace-id={id} --controllers=3"),
            ]
        };
        let gone = |id| {
            [
                format!("{detach} {NODE} --namespace-id={id} --controllers=3"),
                format!("{delete} {NODE} --namespace-id={id}"),
            ]
        };
        assert_eq!(nvme.changes(), [made(3), made(4), gone(3), gone(4)].concat());
    }
}

#[test]
fn namespaces_too_many_or_of_another_shape_are_deleted_and_created_again_without_data() {
    for major in [2, 3] {
        // The third has larger blocks, the fourth is twice as long.
        let before = [
            (1, PART, 0, true),
            (2, PART, 0, true),
            (3, PART / 8, 1, true),
            (4, 2 * PART, 0, true),
        ];
        let nvme =
            Scripted::new(major, &before.map(|(id, blocks, format, _)| (id, blocks, format)));
        let changed = rearranged(&nvme, 3).unwrap();
        assert_eq!(nvme.namespaces(), [1, 2, 3].map(|id| (id, PART, 0, true)));
        let words = "; created: 3; deleted, to be created again without their data: 3, 4";
        assert_eq!(changed.words(), words);
        changed.put_back().unwrap();
        assert_eq!(nvme.namespaces(), before);

        let fewer = rearranged(&nvme, 2).unwrap();
        assert_eq!(nvme.namespaces(), before[..2]);
        fewer.put_back().unwrap();
        assert_eq!(nvme.namespaces(), before);
    }
}

#[test]
fn where_the_named_namespace_takes_all_there_is_the_error_says_how_large_one_may_be() {
    let nvme = Scripted::new(3, &[(1, 8 * PART, 0)]);
    let error = format!("{:?}", rearranged(&nvme, 4).unwrap_err());
    for part in ["need 3 GiB more, and 0 B is unallocated", "256 MiB or less", "`nvme create-ns`"] {
        assert!(error.contains(part), "'{part}' is not in: {error}");
    }
    assert_eq!((nvme.changes(), nvme.namespaces().len()), (vec![], 1));
}

#[test]
fn what_was_done_until_an_error_is_undone() {
    let nvme = Scripted::new(2, &[(1, PART, 0), (2, PART, 0)]);
    let (controller, before) = (controller(&nvme), nvme.namespaces());
    let like = controller.shape(1).unwrap();
    // Six fit, not seven: another program has allocated capacity since the query.
    let doomed = vec![(2, like.clone())];
    let error = format!("{:#}", NamespacesChanged::make(controller, doomed, 8, &like).unwrap_err());
    assert!(error.contains("Namespace Insufficient Capacity"), "{error}");
    assert_eq!(nvme.namespaces(), before);
}

#[test]
fn what_cannot_be_put_back_is_said() {
    let nvme = Scripted::new(2, &[(1, PART, 0), (2, 4 * PART, 0)]);
    let changed = rearranged(&nvme, 1).unwrap();
    // Another program allocates the space meanwhile.
    let shape = Shape { size: 6 * PART, capacity: 6 * PART, ..controller(&nvme).shape(1).unwrap() };
    controller(&nvme).create(&shape).unwrap();
    let error = format!("{:#}", changed.put_back().unwrap_err());
    assert!(error.contains("namespace 2 of 512 MiB is not there again"), "{error}");
}

#[test]
fn a_controller_that_cannot_create_namespaces_is_said_to_be_one() {
    let nvme = Scripted::new(2, &[(1, PART, 0)]);
    let can = controller(&nvme);
    let said = |change: fn(&mut Controller)| {
        let mut other = can.clone();
        change(&mut other);
        format!("{:?}", able(&other, "/dev/nvme0n1", 1, 6).unwrap_err())
    };
    let never = said(|of| of.manages_namespaces = false);
    assert!(never.contains("OACS bit 3 is not set") && never.contains("an equal slice"), "{never}");
    let emulated = said(|of| of.total_bytes = 0);
    assert!(emulated.contains("TNVMCAP is 0") && emulated.contains("an equal slice"), "{emulated}");
    let few = said(|of| of.most = 4);
    assert!(few.contains("use at most 4"), "{few}");
    able(&can, "/dev/nvme0n1", 1, 6).unwrap();
}
