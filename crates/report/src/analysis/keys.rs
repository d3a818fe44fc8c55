//! Keys of what facts join: subjects and steps. Each is a type of its own, so that a subject is not
//! looked up by the position of a step, a drive or an axis value.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A position in a `Keyed` list.
pub trait ListKey: Copy {
    /// The key of a position, from 0.
    fn of(index: usize) -> Self;

    /// The position, from 0.
    fn index(self) -> usize;
}

/// A subject of the facts, in the order of the plans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubjectKey(pub usize);

/// A step of the facts, in the order of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepKey(pub usize);

impl ListKey for SubjectKey {
    fn of(index: usize) -> SubjectKey {
        SubjectKey(index)
    }

    fn index(self) -> usize {
        self.0
    }
}

impl ListKey for StepKey {
    fn of(index: usize) -> StepKey {
        StepKey(index)
    }

    fn index(self) -> usize {
        self.0
    }
}

/// A list whose members have keys of one type; otherwise a slice.
#[derive(Clone, Debug)]
pub struct Keyed<K, T>(Vec<T>, PhantomData<fn(K) -> K>);

impl<K: ListKey, T> Keyed<K, T> {
    /// All keys, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = K> + Clone + use<K, T> {
        (0..self.0.len()).map(K::of)
    }

    /// Each member with its key, in order.
    pub fn keyed(&self) -> impl Iterator<Item = (K, &T)> + Clone {
        self.keys().zip(&self.0)
    }

    /// The key of the first member for which a condition holds.
    pub fn position(&self, holds: impl FnMut(&T) -> bool) -> Option<K> {
        self.0.iter().position(holds).map(K::of)
    }

    /// Adds a member, and returns its key.
    pub fn push(&mut self, member: T) -> K {
        self.0.push(member);
        K::of(self.0.len() - 1)
    }
}

impl<K, T> Deref for Keyed<K, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<K, T> DerefMut for Keyed<K, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<K: ListKey, T> Index<K> for Keyed<K, T> {
    type Output = T;

    fn index(&self, key: K) -> &T {
        &self.0[key.index()]
    }
}

impl<K: ListKey, T> IndexMut<K> for Keyed<K, T> {
    fn index_mut(&mut self, key: K) -> &mut T {
        &mut self.0[key.index()]
    }
}

impl<K, T> Default for Keyed<K, T> {
    fn default() -> Keyed<K, T> {
        Keyed(Vec::new(), PhantomData)
    }
}

impl<K, T> FromIterator<T> for Keyed<K, T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Keyed<K, T> {
        Keyed(Vec::from_iter(members), PhantomData)
    }
}

impl<K, T> IntoIterator for Keyed<K, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, K, T> IntoIterator for &'a Keyed<K, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
