/// The ordered secondary index: a fine-grained B-link tree, whose nodes are spread over the memory
/// servers and reached by one-sided verbs alone.
///
/// Threads share a [BLinkTree][org.namdb.mvcc.tree.BLinkTree], which has the tree's address; each
/// works on it with a [TreeClient][org.namdb.mvcc.tree.TreeClient] of its own.
///
/// A tree may have no inner nodes: an index of separators, of whatever kind, leads to its leaves
/// (docs/decisions/0063).
///
/// Glossary. *Fences*: the range of keys that a node is responsible for; low is inclusive, high
/// exclusive. *Right sibling*: the next node of the same level, whose low fence is this node's high
/// fence. *Separator*: a key in an inner node, the low fence of the child beside it; a missing
/// separator costs a move to the right sibling and nothing else. *Latch*: the bit of the header
/// that a writer holds while it changes a node, with its timestamp slot beside it; readers never
/// take it, and waits for it have a timeout. *Repair*: of nodes whose latch a dead session holds
/// ([TreeRepair][org.namdb.mvcc.tree.TreeRepair]). *Dead node*: merged away, waiting to become
/// another node of the same tree.
///
/// Source: tree-index paper, section 4; Lehman and Yao for the links to the right.
@NullMarked
package org.namdb.mvcc.tree;

import org.jspecify.annotations.NullMarked;
