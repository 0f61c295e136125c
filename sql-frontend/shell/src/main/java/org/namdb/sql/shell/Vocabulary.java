package org.namdb.sql.shell;

import java.util.Collection;

/// Words besides keywords and names of tables that a statement may hold, to complete what is typed.
///
/// @param functions names of functions
/// @param settings what SET and SHOW know
/// @param tableOptions what `CREATE TABLE .. WITH` knows
public record Vocabulary(
        Collection<String> functions,
        Collection<String> settings,
        Collection<String> tableOptions) {}
