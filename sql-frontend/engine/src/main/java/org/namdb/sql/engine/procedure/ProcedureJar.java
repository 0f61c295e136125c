package org.namdb.sql.engine.procedure;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// One version of a jar of procedures: its class loader. The file
/// `META-INF/services/org.namdb.sql.engine.procedure.Procedure` in it names the classes of
/// procedures, one a line, as [java.util.ServiceLoader] has it.
///
/// A class of the jar takes precedence over one of the server of the same name, but for the JDK's
/// and NamDB's own. Its loops call [LoopCheck].
public final class ProcedureJar extends ClassLoader {
    private static final String SERVICES = "META-INF/services/" + Procedure.class.getName();
    private static final String CLASS = ".class";
    private static final String OURS = "org.namdb.";

    /// What the entries of a jar may take, unpacked.
    private static final int MAX_BYTES = 256 << 20;

    private static final int END_BYTES = 22;
    private static final int MAX_COMMENT_BYTES = 0xffff;

    private static final ClassDesc LOOP_CHECK = ClassDesc.of(LoopCheck.class.getName());
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

    static {
        registerAsParallelCapable();
    }

    private final Map<String, byte[]> entries;
    private final ClassFile classFile;

    private ProcedureJar(String name, Map<String, byte[]> entries) {
        super("jar " + name, ProcedureJar.class.getClassLoader());
        this.entries = entries;
        this.classFile =
                ClassFile.of(
                        ClassFile.ClassHierarchyResolverOption.of(
                                ClassHierarchyResolver.ofResourceParsing(this::bytes)
                                        .orElse(
                                                ClassHierarchyResolver.ofResourceParsing(
                                                        getParent()))));
    }

    /// Loads the procedures of a jar.
    ///
    /// @param name of the jar
    /// @param image its bytes
    /// @throws SqlException 46001 if it is no jar, or has no procedures that can be loaded
    public static List<Procedure<?, ?>> load(String name, byte[] image) {
        ProcedureJar jar = new ProcedureJar(name, entries(image));
        byte[] services = jar.entries.get(SERVICES);
        if (services == null) {
            throw invalid("the jar has no procedures: it has no file " + SERVICES)
                    .withHint("Write the names of the classes of procedures into it, one a line.");
        }
        List<Procedure<?, ?>> procedures = new ArrayList<>();
        for (String line : new String(services, StandardCharsets.UTF_8).lines().toList()) {
            String className = line.replaceFirst("#.*", "").strip();
            if (!className.isEmpty()) {
                procedures.add(jar.procedure(className));
            }
        }
        return procedures;
    }

    private static Map<String, byte[]> entries(byte[] image) {
        Map<String, byte[]> entries = new HashMap<>();
        long bytes = 0;
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(image))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                byte[] content = zip.readNBytes((int) (MAX_BYTES - bytes + 1));
                bytes += content.length;
                if (bytes > MAX_BYTES) {
                    throw invalid(
                            "the jar is larger than " + (MAX_BYTES >> 20) + " MiB when unpacked");
                }
                entries.put(entry.getName(), content);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw invalid("this is no jar: " + e.getMessage()).causedBy(e);
        }
        if (entries.isEmpty() || !hasEnd(image)) {
            throw invalid("this is no jar, or not all of it");
        }
        return entries;
    }

    /// Whether the record is there that ends a ZIP file.
    private static boolean hasEnd(byte[] image) {
        for (int at = image.length - END_BYTES;
                at >= 0 && at >= image.length - END_BYTES - MAX_COMMENT_BYTES;
                at--) {
            if (image[at] == 'P'
                    && image[at + 1] == 'K'
                    && image[at + 2] == 5
                    && image[at + 3] == 6) {
                return true;
            }
        }
        return false;
    }

    private Procedure<?, ?> procedure(String className) {
        try {
            Class<?> type = Class.forName(className, true, this);
            if (!Procedure.class.isAssignableFrom(type)) {
                throw invalid(className + " is no " + Procedure.class.getName());
            }
            return (Procedure<?, ?>) type.getConstructor().newInstance();
        } catch (NoSuchMethodException e) {
            throw invalid(className + " has no public constructor without parameters").causedBy(e);
        } catch (InvocationTargetException e) {
            throw invalid(className + " can't be constructed: " + e.getCause()).causedBy(e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw invalid(className + " can't be loaded: " + e).causedBy(e);
        }
    }

    private static SqlException invalid(String message) {
        return new SqlException(SqlState.INVALID_JAR, message);
    }

    private @Nullable InputStream bytes(ClassDesc type) {
        String descriptor = type.descriptorString();
        byte[] bytes =
                type.isClassOrInterface()
                        ? entries.get(descriptor.substring(1, descriptor.length() - 1) + CLASS)
                        : null;
        return bytes == null ? null : new ByteArrayInputStream(bytes);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        byte[] bytes = name.startsWith(OURS) ? null : entries.get(name.replace('.', '/') + CLASS);
        if (bytes == null) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] checked = withChecks(bytes);
                loaded = defineClass(name, checked, 0, checked.length);
            }
            return loaded;
        }
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
        byte[] bytes = entries.get(name);
        return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
    }

    private byte[] withChecks(byte[] bytes) throws ClassNotFoundException {
        try {
            ClassModel model = classFile.parse(bytes);
            return classFile.transformClass(
                    model,
                    ClassTransform.transformingMethodBodies(
                            method -> method.code().stream().anyMatch(ProcedureJar::hasLoop),
                            CodeTransform.ofStateful(LoopTransform::new)));
        } catch (IllegalArgumentException e) {
            throw new ClassNotFoundException("a class can't be read: " + e.getMessage(), e);
        }
    }

    private static boolean hasLoop(Iterable<CodeElement> code) {
        LoopTransform loops = new LoopTransform();
        for (CodeElement element : code) {
            if (loops.goesBack(element)) {
                return true;
            }
        }
        return false;
    }

    /// Puts a check before each jump to a place that has been passed.
    private static final class LoopTransform implements CodeTransform {
        private final Set<Label> passed = new HashSet<>();

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (goesBack(element)) {
                builder.invokestatic(LOOP_CHECK, "again", NOTHING);
            }
            builder.with(element);
        }

        private boolean goesBack(CodeElement element) {
            return switch (element) {
                case LabelTarget target -> {
                    passed.add(target.label());
                    yield false;
                }
                case BranchInstruction branch -> passed.contains(branch.target());
                case TableSwitchInstruction choice ->
                        goesBack(choice.cases(), choice.defaultTarget());
                case LookupSwitchInstruction choice ->
                        goesBack(choice.cases(), choice.defaultTarget());
                default -> false;
            };
        }

        private boolean goesBack(List<SwitchCase> cases, Label last) {
            return Stream.concat(cases.stream().map(SwitchCase::target), Stream.of(last))
                    .anyMatch(passed::contains);
        }
    }
}
