package org.namdb.sql.engine.expression.function;

import java.util.List;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.type.SqlType;

/// One function of a name: what it takes and gives. NULL in, NULL out.
///
/// @param parameters the types of the arguments
record FunctionSignature(
        String name,
        SqlType result,
        List<SqlType> parameters,
        Volatility volatility,
        FunctionBody body) {}
