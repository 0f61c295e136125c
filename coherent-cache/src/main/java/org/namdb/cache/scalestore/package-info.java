/// ScaleStore: pages in the memory and on the disks of many nodes, kept coherent by messages.
///
/// Each page has a *directory*, the node on whose disk it lies, which knows its *owners*: one node
/// that may change it, or any number that read it. A node that has a page uses it without a message
/// (a *hit*). One that has not requests it from the directory, which records the new owner at once
/// and names who had the page before: the requester gets it from there, whether or not that node
/// has it yet (*anticipatory chaining*). So pages move in the order of the directory's grants. A
/// page that is long unused leaves a node's memory, and is on the disk when no node has it.
///
/// - *page store*: a node's part. *Page session*: a thread's access to it.
/// - *grant*: an ownership with its number, which the directory counts up for each page.
/// - *primary*: the owner that others copy the page from.
///
/// Source: ScaleStore, sections 2 to 5. Where it differs: docs/decisions/0093.
@NullMarked
package org.namdb.cache.scalestore;

import org.jspecify.annotations.NullMarked;
