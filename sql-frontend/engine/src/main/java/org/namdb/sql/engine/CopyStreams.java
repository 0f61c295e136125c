package org.namdb.sql.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.copy.CopyFiles;
import org.namdb.sql.engine.copy.CopyFormat;
import org.namdb.sql.engine.copy.CopySource;
import org.namdb.sql.engine.copy.CopyTarget;
import org.namdb.sql.language.ast.Statement;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;

/// The source and target of COPY's rows: what the program has given for STDIN and STDOUT, or a
/// file, if the session has files.
final class CopyStreams {
    private final PlannedStatements planned;
    private final TransactionBlock block;
    private final @Nullable CopyFiles files;

    CopyStreams(PlannedStatements planned, TransactionBlock block, @Nullable CopyFiles files) {
        this.planned = planned;
        this.block = block;
        this.files = files;
    }

    /// Runs COPY.
    ///
    /// @param in STDIN, if there is one
    /// @param out STDOUT, if there is one
    /// @throws SqlException 42501 if it names a file and the session has none; 0A000 if it names a
    ///     stream that is not there
    Result run(Statement.Copy copy, @Nullable CopySource in, @Nullable CopyTarget out) {
        CopyRun run = new CopyRun(planned, block, copy);
        String file = copy.file();
        try {
            if (file != null) {
                return inFile(run, copy, file);
            }
            if (copy.isFrom() && in != null) {
                return run.in(in);
            }
            if (!copy.isFrom() && out != null) {
                return run.out(out);
            }
        } catch (NoSuchFileException e) {
            throw new SqlException(
                            SqlState.UNDEFINED_FILE,
                            "could not open file \"%s\" for %s: No such file or directory"
                                    .formatted(file, copy.isFrom() ? "reading" : "writing"))
                    .causedBy(e);
        } catch (IOException e) {
            throw new SqlException(SqlState.IO_ERROR, "COPY: " + e.getMessage()).causedBy(e);
        }
        throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        copy.isFrom()
                                ? "COPY FROM STDIN needs the data beside the statement"
                                : "COPY TO STDOUT needs somewhere to write to",
                        copy.position())
                .withHint("Programs call copyIn and copyOut; the shell has \\copy.");
    }

    private Result inFile(CopyRun run, Statement.Copy copy, String file) throws IOException {
        if (files == null) {
            throw noFiles(copy);
        }
        boolean isBinary = CopyFormat.of(copy.options()).isBinary();
        if (copy.isFrom() && isBinary) {
            try (InputStream data = files.openBinary(file)) {
                return run.in(CopySource.of(data));
            }
        }
        if (copy.isFrom()) {
            try (Reader data = files.open(file)) {
                return run.in(CopySource.of(data));
            }
        }
        if (isBinary) {
            try (OutputStream data = files.createBinary(file)) {
                return run.out(CopyTarget.of(data));
            }
        }
        try (Writer data = files.create(file)) {
            return run.out(CopyTarget.of(data));
        }
    }

    private static SqlException noFiles(Statement.Copy copy) {
        return new SqlException(
                        SqlState.INSUFFICIENT_PRIVILEGE,
                        copy.isFrom()
                                ? "permission denied to COPY from a file"
                                : "permission denied to COPY to a file",
                        copy.position())
                .withHint(
                        copy.isFrom()
                                ? "Anyone can COPY FROM STDIN; the shell's \\copy does that with a file of its own machine."
                                : "Anyone can COPY TO STDOUT; the shell's \\copy does that with a file of its own machine.");
    }
}
