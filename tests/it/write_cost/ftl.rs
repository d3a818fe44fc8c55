//! A drive whose write amplification is known: a page-mapped flash translation layer with greedy
//! cleaning, which counts what the host and the cleaning write, and the same as a file (`mounted`).
//! It can keep the writes of several placement handles apart.

/// What no page of the flash holds.
const NOTHING: u32 = u32::MAX;

/// Erased blocks that the cleaning keeps: one that it writes to, and one spare.
pub const RESERVE: u32 = 2;

/// The flash translation layer. A write goes to the block that is open for writes by its placement
/// handle; when only the reserve is left, the block with the fewest valid pages is copied and
/// erased. What the cleaning copies goes to one block, whatever handle wrote it (FDP's "initially
/// isolated").
pub struct Ftl {
    pages_per_block: u32,
    /// Of each logical page, where it is.
    map: Vec<u32>,
    /// Of each physical page, whose it is.
    owner: Vec<u32>,
    /// Of each block, the number of its valid pages.
    valid: Vec<u32>,
    /// Full blocks by their number of valid pages, and where in its list each block stands.
    full: Vec<Vec<u32>>,
    place: Vec<u32>,
    erased: Vec<u32>,
    /// The block of each placement handle.
    hosts: Vec<Frontier>,
    /// The first page of each handle's range but the first one's.
    ranges: Vec<u32>,
    cleaning: Frontier,
    /// Pages that the host wrote.
    pub host_pages: u64,
    /// Pages written to the flash.
    pub media_pages: u64,
}

/// The block that is being written to.
#[derive(Clone, Copy)]
struct Frontier {
    block: u32,
    next: u32,
}

impl Ftl {
    /// An empty drive.
    pub fn new(logical_pages: u32, blocks: u32, pages_per_block: u32) -> Ftl {
        Ftl::placing(logical_pages, blocks, pages_per_block, &[])
    }

    /// An empty drive that takes the handle of a write from its page: each of `ranges` is the first
    /// page that the next handle writes.
    pub fn placing(logical_pages: u32, blocks: u32, pages_per_block: u32, ranges: &[u32]) -> Ftl {
        let handles = ranges.len() as u32 + 1;
        let full = blocks - RESERVE - handles - 1;
        assert!(logical_pages < full * pages_per_block, "no spare blocks");
        let mut erased: Vec<u32> = (0..blocks).rev().collect();
        let mut open = || Frontier { block: erased.pop().unwrap(), next: 0 };
        let hosts = (0..handles).map(|_| open()).collect();
        let cleaning = open();
        Ftl {
            pages_per_block,
            map: vec![NOTHING; logical_pages as usize],
            owner: vec![NOTHING; (blocks * pages_per_block) as usize],
            valid: vec![0; blocks as usize],
            full: vec![Vec::new(); pages_per_block as usize + 1],
            place: vec![NOTHING; blocks as usize],
            erased,
            hosts,
            ranges: ranges.to_vec(),
            cleaning,
            host_pages: 0,
            media_pages: 0,
        }
    }

    /// Pages that the host sees.
    pub fn logical_pages(&self) -> u32 {
        self.map.len() as u32
    }

    /// Pages of the flash that hold data when the drive is full, as the closed forms count them:
    /// without the reserve and the half that is empty of each of the open blocks.
    pub fn used_pages(&self) -> f64 {
        let open = self.hosts.len() as f64 + 1.0;
        let blocks = self.valid.len() as f64 - f64::from(RESERVE) - open / 2.0;
        blocks * f64::from(self.pages_per_block)
    }

    /// Media writes for each host write since these counts (host, media).
    pub fn amplification_since(&self, before: (u64, u64)) -> f64 {
        (self.media_pages - before.1) as f64 / (self.host_pages - before.0) as f64
    }

    /// Both counts (host, media).
    pub fn counts(&self) -> (u64, u64) {
        (self.host_pages, self.media_pages)
    }

    /// The host writes a page.
    pub fn write(&mut self, page: u32) {
        self.host_pages += 1;
        let handle = self.ranges.partition_point(|first| *first <= page);
        let is_full = self.hosts[handle].next == self.pages_per_block;
        while self.erased.len() as u32 <= RESERVE && is_full {
            self.clean();
        }
        self.hosts[handle] = self.program(page, self.hosts[handle]);
    }

    /// Puts a page at a frontier, whose next is given back.
    fn program(&mut self, page: u32, mut at: Frontier) -> Frontier {
        if at.next == self.pages_per_block {
            self.file(at.block);
            at = Frontier { block: self.erased.pop().expect("the reserve"), next: 0 };
        }
        let old = std::mem::replace(
            &mut self.map[page as usize],
            at.block * self.pages_per_block + at.next,
        );
        if old != NOTHING {
            self.invalidate(old);
        }
        self.owner[self.map[page as usize] as usize] = page;
        self.valid[at.block as usize] += 1;
        self.media_pages += 1;
        Frontier { next: at.next + 1, ..at }
    }

    fn invalidate(&mut self, physical: u32) {
        self.owner[physical as usize] = NOTHING;
        let block = physical / self.pages_per_block;
        let is_full = self.place[block as usize] != NOTHING;
        if is_full {
            self.unfile(block);
        }
        self.valid[block as usize] -= 1;
        if is_full {
            self.file(block);
        }
    }

    /// Copies what the block with the fewest valid pages holds, and erases it.
    fn clean(&mut self) {
        let victim = *self.full.iter().find_map(|list| list.last()).expect("a full block");
        self.unfile(victim);
        let first = victim * self.pages_per_block;
        for physical in first..first + self.pages_per_block {
            let page = self.owner[physical as usize];
            if page != NOTHING {
                self.cleaning = self.program(page, self.cleaning);
            }
        }
        self.erased.push(victim);
    }

    fn file(&mut self, block: u32) {
        let list = &mut self.full[self.valid[block as usize] as usize];
        self.place[block as usize] = list.len() as u32;
        list.push(block);
    }

    fn unfile(&mut self, block: u32) {
        let list = &mut self.full[self.valid[block as usize] as usize];
        let at = std::mem::replace(&mut self.place[block as usize], NOTHING);
        list.swap_remove(at as usize);
        if let Some(moved) = list.get(at as usize) {
            self.place[*moved as usize] = at;
        }
    }
}
