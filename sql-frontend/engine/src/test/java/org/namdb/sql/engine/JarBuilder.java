package org.namdb.sql.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/// Jars of procedures, from their source.
public final class JarBuilder {
    private static final String SERVICES =
            "META-INF/services/org.namdb.sql.engine.procedure.Procedure";

    private JarBuilder() {}

    /// The source of a class in the package `bank`, with all imports that a procedure needs.
    public static String source(String body) {
        return """
        package bank;
        import java.math.BigDecimal;
        import java.util.*;
        import org.namdb.sql.engine.procedure.*;
        import org.namdb.sql.language.result.Result;
        """
                + body;
    }

    /// Compiles a class `bank.NAME`, and makes a jar that has it as a procedure.
    public static byte[] jar(String name, String body) {
        Map<String, byte[]> entries = classes(name, source(body));
        entries.put(SERVICES, ("# ours\nbank." + name + "\n").getBytes(StandardCharsets.UTF_8));
        return zip(entries);
    }

    static byte[] zip(Map<String, byte[]> entries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey()));
                jar.write(entry.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static Map<String, byte[]> classes(String name, String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, byte[]> classes = new LinkedHashMap<>();
        JavaFileManager files =
                new ForwardingJavaFileManager<>(compiler.getStandardFileManager(null, null, null)) {
                    @Override
                    public JavaFileObject getJavaFileForOutput(
                            Location location,
                            String className,
                            JavaFileObject.Kind kind,
                            FileObject sibling) {
                        return new Written(className, classes);
                    }
                };
        StringWriter messages = new StringWriter();
        boolean isDone =
                compiler.getTask(
                                messages,
                                files,
                                null,
                                List.of("-proc:none", "-cp", System.getProperty("java.class.path")),
                                null,
                                List.of(new Source(name, source)))
                        .call();
        if (!isDone) {
            throw new IllegalArgumentException(messages.toString());
        }
        return classes;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        private Source(String name, String text) {
            super(URI.create("string:///bank/" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoresErrors) {
            return text;
        }
    }

    private static final class Written extends SimpleJavaFileObject {
        private final String entry;
        private final Map<String, byte[]> classes;

        private Written(String className, Map<String, byte[]> classes) {
            super(URI.create("string:///" + className), Kind.CLASS);
            this.entry = className.replace('.', '/') + ".class";
            this.classes = classes;
        }

        @Override
        public ByteArrayOutputStream openOutputStream() {
            return new ByteArrayOutputStream() {
                @Override
                public void close() {
                    classes.put(entry, toByteArray());
                }
            };
        }
    }
}
