package org.namdb.sql.shell;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Takes results, and throws a [LostOutputException] when they can't be written. A [PrintWriter]
/// alone keeps that to itself, and a full disk would lose an export unnoticed.
public final class ResultWriter extends PrintWriter {
    private final @Nullable OutputStream bytes;

    private ResultWriter(Block block, @Nullable OutputStream bytes) {
        super(block);
        this.bytes = bytes;
    }

    /// Writes to the process's standard output. `System.out` would not report errors.
    public static ResultWriter standardOutput() {
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        return new ResultWriter(
                new Block(new OutputStreamWriter(out, System.out.charset())),
                StandardStreams.isOutputTerminal() ? null : out);
    }

    /// Writes text in UTF-8, in blocks, and bytes among it.
    public static ResultWriter of(OutputStream target) {
        return new ResultWriter(
                new Block(new OutputStreamWriter(target, StandardCharsets.UTF_8)), target);
    }

    /// Writes to another writer, in blocks.
    public static ResultWriter of(Writer target) {
        return new ResultWriter(new Block(target), null);
    }

    /// Takes bytes, behind the text that was written; null for a terminal, and where there is text
    /// alone.
    @Nullable OutputStream bytes() {
        flush();
        return bytes;
    }

    /// Collects a block and writes it. What could not be written is dropped, so that the next
    /// statement tries again with its own.
    private static final class Block extends Writer {
        private static final int CHARACTERS = 1 << 13;

        private final Writer target;
        private final StringBuilder block = new StringBuilder();

        Block(Writer target) {
            this.target = target;
        }

        @Override
        public void write(char[] characters, int offset, int length) {
            block.append(characters, offset, length);
            writeIfFull();
        }

        @Override
        public void write(String text, int offset, int length) {
            block.append(text, offset, offset + length);
            writeIfFull();
        }

        @Override
        public void flush() {
            String text = block.toString();
            block.setLength(0);
            try {
                if (!text.isEmpty()) {
                    target.write(text);
                }
                target.flush();
            } catch (IOException e) {
                throw new LostOutputException(e);
            }
        }

        @Override
        public void close() {
            try (target) {
                flush();
            } catch (IOException e) {
                throw new LostOutputException(e);
            }
        }

        private void writeIfFull() {
            if (block.length() >= CHARACTERS) {
                flush();
            }
        }
    }
}
