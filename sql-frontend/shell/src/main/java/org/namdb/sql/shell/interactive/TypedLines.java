package org.namdb.sql.shell.interactive;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.UserInterruptException;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.shell.LineSource;
import org.namdb.sql.shell.MetaCommand;
import org.namdb.sql.shell.OpenText;
import org.namdb.sql.shell.Shell;

/// The lines that a person types. The editor gives whole statements, of one or many lines.
final class TypedLines implements LineSource {
    private final LineReader reader;
    private final StatementParser parser;
    private final Shell shell;
    private final Deque<String> lines = new ArrayDeque<>();

    TypedLines(LineReader reader, StatementParser parser, Shell shell) {
        this.reader = reader;
        this.parser = parser;
        this.shell = shell;
    }

    @Override
    public @Nullable String next(OpenText open) {
        while (lines.isEmpty()) {
            try {
                String text = read(open);
                MetaCommand bare = open == OpenText.NOTHING ? MetaCommand.ofBare(text) : null;
                (bare == null ? text : "\\" + bare.word()).lines().forEach(lines::add);
            } catch (UserInterruptException e) {
                if (open != OpenText.NOTHING) {
                    throw new ClearedException();
                }
            } catch (EndOfFileException e) {
                return null;
            }
        }
        return lines.poll();
    }

    @Override
    public String name() {
        return "";
    }

    @Override
    public boolean isInteractive() {
        return true;
    }

    private String read(OpenText open) {
        boolean isData = open == OpenText.COPY_DATA;
        parser.takeData(isData);
        reader.setVariable(LineReader.DISABLE_HISTORY, isData);
        reader.setVariable(LineReader.DISABLE_COMPLETION, isData);
        if (isData) {
            return reader.readLine(">> ");
        }
        reader.setVariable(LineReader.SECONDARY_PROMPT_PATTERN, shell.prompt("%M"));
        return reader.readLine(shell.prompt(open.sign()));
    }
}
