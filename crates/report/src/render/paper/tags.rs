//! The logical structure of a PDF: its contents in reading order, for readers who cannot see the
//! page.

use krilla::tagging::{Identifier, Node, TagGroup, TagKind, TagTree};

/// A position in the structure.
pub type TagId = usize;

struct Element {
    kind: TagKind,
    children: Vec<TagId>,
    /// Its contents on the pages.
    content: Vec<Identifier>,
}

/// The structure during layout and drawing.
#[derive(Default)]
pub struct Tags {
    all: Vec<Element>,
    /// The document itself.
    top: Vec<TagId>,
    open: Vec<TagId>,
}

impl Tags {
    /// An element within the open one.
    pub fn leaf(&mut self, kind: impl Into<TagKind>) -> TagId {
        let id = self.all.len();
        self.all.push(Element { kind: kind.into(), children: Vec::new(), content: Vec::new() });
        match self.open.last() {
            Some(parent) => self.all[*parent].children.push(id),
            None => self.top.push(id),
        }
        id
    }

    /// The same, containing the elements created until `end`.
    pub fn begin(&mut self, kind: impl Into<TagKind>) -> TagId {
        let id = self.leaf(kind);
        self.open.push(id);
        id
    }

    pub fn end(&mut self) {
        self.open.pop();
    }

    /// Inserts the elements created by `make` after the document's first `place` elements: the
    /// contents are known last and read first.
    pub fn put_at(&mut self, place: usize, make: impl FnOnce(&mut Tags)) {
        let from = self.top.len();
        make(self);
        let late: Vec<TagId> = self.top.drain(from..).collect();
        self.top.splice(place..place, late);
    }

    /// Number of top-level elements.
    pub fn at_top(&self) -> usize {
        self.top.len()
    }

    /// Assigns a drawn item to an element.
    pub fn drawn(&mut self, id: TagId, content: Identifier) {
        self.all[id].content.push(content);
    }

    pub fn tree(self, language: &str) -> TagTree {
        let mut tree = TagTree::new().with_lang(Some(language.to_string()));
        self.top.iter().for_each(|id| tree.push(self.group(*id)));
        tree
    }

    fn group(&self, id: TagId) -> TagGroup {
        let element = &self.all[id];
        let mut children: Vec<Node> =
            element.children.iter().map(|child| Node::Group(self.group(*child))).collect();
        children.extend(element.content.iter().map(|content| Node::Leaf(*content)));
        TagGroup::with_children(element.kind.clone(), children)
    }
}
