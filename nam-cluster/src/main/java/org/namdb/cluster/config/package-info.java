/// What a cluster is made of, as its operators write it down: one YAML file that all of its
/// processes read, values of the environment and of the command line over it, and where each value
/// came from.
///
/// Glossary: *setting*, a value with a name as `membership.lease`; *origin*, where it was set.
@NullMarked
package org.namdb.cluster.config;

import org.jspecify.annotations.NullMarked;
