package org.namdb.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/// The rules of CONTRIBUTING.md that the compiler doesn't know: layers, names, sizes.
///
/// It is in the last module because that one has all the others on its class path.
class ArchitectureTest {
    private static final String ROOT = "org.namdb";
    private static final int MAX_LINES = 600;

    /// Package below `org.namdb` and module, in the order of the layers: each uses only those
    /// before it.
    static final List<Layer> LAYERS =
            List.of(
                    new Layer("fabric", "nam-fabric"),
                    new Layer("cluster", "nam-cluster"),
                    new Layer("timestamp", "timestamp-vector"),
                    new Layer("mvcc", "mvcc-store"),
                    new Layer("memory", "nam-memory-server"),
                    new Layer("cache", "coherent-cache"),
                    new Layer("compute", "nam-compute-server"),
                    new Layer("sql.language", "sql-frontend/language"),
                    new Layer("sql.client", "sql-frontend/client"),
                    new Layer("sql.engine", "sql-frontend/engine"),
                    new Layer("sql.server", "sql-frontend/server"),
                    new Layer("sql.shell", "sql-frontend/shell"),
                    new Layer("simulated", "verification/simulated-fabric"),
                    new Layer("workload", "workload"),
                    new Layer("tpcc", "tpcc"),
                    new Layer("ycsb", "ycsb"),
                    new Layer("checker", "verification/isolation-checker"),
                    new Layer("simulation", "verification/simulation"),
                    new Layer("cli", "nam-cli"));

    /// The packages of each module that has several, by layers from the lowest: a package uses only
    /// those of lower layers, and none of its own. The module itself is named by an empty string.
    static final List<Stack> STACKS =
            List.of(
                    new Stack(
                            "fabric",
                            List.of("", "disk"),
                            List.of("peer", "shm", "tls"),
                            List.of("peer.tcp", "rdma", "tcp")),
                    new Stack("cluster", List.of("config"), List.of("membership", "transport")),
                    new Stack("timestamp", List.of(""), List.of("snapshot")),
                    new Stack(
                            "mvcc",
                            List.of("", "record", "schema"),
                            List.of("catalog", "owner", "ring"),
                            List.of("index"),
                            List.of("hash", "tree"),
                            List.of("gc", "recovery", "coarse")),
                    new Stack("memory", List.of("server"), List.of("client"), List.of("process")),
                    new Stack(
                            "cache",
                            List.of("frame", "line"),
                            List.of("scalestore", "selcc"),
                            List.of("heap", "tree"),
                            List.of("engine")),
                    new Stack(
                            "compute",
                            List.of("admission", "schema"),
                            List.of("guard"),
                            List.of("commit"),
                            List.of("cluster", "read", "maintenance"),
                            List.of("journal"),
                            List.of(""),
                            List.of("history")),
                    new Stack(
                            "sql.language",
                            List.of("", "ast"),
                            List.of("error"),
                            List.of("type"),
                            List.of("parser"),
                            List.of("result")),
                    new Stack(
                            "sql.engine",
                            List.of("role", "tuple"),
                            List.of("sequence", "statistics"),
                            List.of("catalog", "copy", "expression", "setting"),
                            List.of(
                                    "expression.number",
                                    "expression.text",
                                    "monitor",
                                    "procedure",
                                    "record"),
                            List.of("expression.cast"),
                            List.of("expression.condition"),
                            List.of("expression.array"),
                            List.of("expression.operator"),
                            List.of("expression.function"),
                            List.of("expression.aggregate"),
                            List.of("bind"),
                            List.of("plan"),
                            List.of("spill"),
                            List.of("change", "execute"),
                            List.of("plpgsql"),
                            List.of("ddl"),
                            List.of("")),
                    new Stack("sql.client", List.of("")),
                    new Stack("sql.server", List.of("")),
                    new Stack(
                            "sql.shell",
                            List.of("format"),
                            List.of(""),
                            List.of("interactive", "local", "remote")),
                    new Stack(
                            "workload",
                            List.of(""),
                            List.of("statistics"),
                            List.of("report"),
                            List.of("load"),
                            List.of("driver", "testbed")),
                    new Stack(
                            "tpcc",
                            List.of(""),
                            List.of("input", "schema", "statistics"),
                            List.of("check", "load", "procedure"),
                            List.of("lines"),
                            List.of("report"),
                            List.of("driver")),
                    new Stack("ycsb", List.of("")),
                    new Stack(
                            "checker", List.of("history", "line"), List.of(""), List.of("report")),
                    new Stack("simulated", List.of("", "tearing")),
                    new Stack("simulation", List.of("membership"), List.of("")));

    /// Packages with fewer dependencies than their layer allows: each with those of its own module
    /// that it may use.
    static final List<Rule> RULES =
            List.of(
                    new Rule("fabric.disk", "a disk is no network"),
                    new Rule("fabric.tls", "TLS does not depend on what is sent", "fabric"),
                    new Rule("fabric.peer", "compute servers are no memory servers", "fabric"),
                    new Rule("timestamp", "a slot commits without a snapshot"),
                    new Rule(
                            "mvcc.catalog",
                            "an entry describes a table, and not how it is read",
                            "mvcc.schema"),
                    new Rule("mvcc.ring", "images are bytes"),
                    new Rule(
                            "mvcc.index",
                            "an index's interface depends on no provider",
                            "mvcc",
                            "mvcc.owner"),
                    new Rule(
                            "mvcc.tree",
                            "a tree is a provider of indexes, and depends on no records",
                            "mvcc",
                            "mvcc.index",
                            "mvcc.owner"),
                    new Rule(
                            "mvcc.coarse",
                            "a worker uses a tree as any client does",
                            "mvcc",
                            "mvcc.index",
                            "mvcc.owner",
                            "mvcc.tree"),
                    new Rule(
                            "compute.admission",
                            "a wait for a processor does not depend on its purpose"),
                    new Rule("compute.schema", "schema changes do not depend on what sessions are"),
                    new Rule(
                            "compute.cluster",
                            "deaths are detected by what is held in memory, and by nothing else",
                            "compute.schema"),
                    new Rule(
                            "compute.commit",
                            "a commit gets values, and does not depend on a session",
                            "compute.schema",
                            "compute.guard"),
                    new Rule(
                            "compute.guard",
                            "whether a copy is valid does not depend on reads or commits",
                            "compute.schema"),
                    new Rule(
                            "compute.read",
                            "a read set does not depend on how sessions are run",
                            "compute.schema",
                            "compute.guard",
                            "compute.commit"),
                    new Rule(
                            "compute.maintenance",
                            "maintenance does not depend on any transaction",
                            "compute.admission",
                            "compute.schema",
                            "compute.commit"));

    private static JavaClasses classes;

    record Layer(String name, String module) {
        String packages() {
            return ROOT + "." + name + "..";
        }
    }

    /// A module's packages, in layers.
    record Stack(String module, List<List<String>> layers) {
        @SafeVarargs
        @SuppressWarnings("varargs") // the array is only read
        Stack(String module, List<String>... layers) {
            this(module, List.of(layers));
        }

        /// Those of the layers from `first` to `end`.
        String[] packages(int first, int end) {
            return layers.subList(first, end).stream()
                    .flatMap(List::stream)
                    .map(name -> ROOT + "." + module + (name.isEmpty() ? "" : "." + name))
                    .toArray(String[]::new);
        }

        @Override
        public String toString() {
            return module;
        }
    }

    record Rule(String name, String reason, List<String> below) {
        Rule(String name, String reason, String... below) {
            this(name, reason, List.of(below));
        }
    }

    @BeforeAll
    static void readClasses() {
        classes =
                new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages(ROOT);
    }

    @ParameterizedTest
    @FieldSource("LAYERS")
    void everyLayerWasRead(Layer layer) {
        assertThat(classes.stream().map(JavaClass::getPackageName))
                .as(layer.packages())
                .anyMatch(name -> (name + ".").startsWith(ROOT + "." + layer.name() + "."));
    }

    @ParameterizedTest
    @FieldSource("LAYERS")
    void aLayerUsesOnlyThoseBeforeIt(Layer layer) {
        String[] later =
                LAYERS.subList(LAYERS.indexOf(layer) + 1, LAYERS.size()).stream()
                        .map(Layer::packages)
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(layer.packages())
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(later)
                .allowEmptyShould(true)
                .check(classes);
    }

    @Test
    void theIsolationCheckerSharesNothingWithTheEngine() {
        assertUsesNothingOfTheRest("checker", "a mistake in shared code would be invisible to it");
    }

    @Test
    void theLanguageOfSqlStandsAlone() {
        assertUsesNothingOfTheRest(
                "sql.language", "a client of the database needs it without the database");
    }

    @Test
    void theShellKnowsTheEngineInOnePlaceOnly() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".sql.shell..")
                .and()
                .resideOutsideOfPackages(ROOT + ".sql.shell.local..", ROOT + ".sql.shell.remote..")
                .should()
                .dependOnClassesThat(
                        JavaClass.Predicates.resideInAPackage(ROOT + "..")
                                .and(
                                        JavaClass.Predicates.resideOutsideOfPackages(
                                                ROOT + ".sql.shell..", ROOT + ".sql.language..")))
                .because("a database elsewhere shall stand behind the same ports")
                .check(classes);
    }

    @Test
    void theShellKnowsServersByTheirProtocolAlone() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".sql.shell.remote..")
                .should()
                .dependOnClassesThat(
                        JavaClass.Predicates.resideInAPackage(ROOT + "..")
                                .and(
                                        JavaClass.Predicates.resideOutsideOfPackages(
                                                ROOT + ".sql.shell..",
                                                ROOT + ".sql.language..",
                                                ROOT + ".sql.client..")))
                .check(classes);
    }

    @Test
    void noPackagesDependOnEachOtherInACircle() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(classes);
    }

    @ParameterizedTest
    @FieldSource("STACKS")
    void aPackageUsesOnlyTheLayersBelowIt(Stack stack) {
        for (int layer = 0; layer < stack.layers().size(); layer++) {
            for (String name : stack.packages(layer, layer + 1)) {
                List<String> allowed = new ArrayList<>(List.of(stack.packages(0, layer)));
                allowed.add(name);
                assertUsesOnly(name, stack.module(), allowed, "they are in no lower layer");
            }
        }
    }

    @Test
    void everyPackageOfAModuleWithSeveralIsInALayer() {
        Set<String> listed =
                STACKS.stream()
                        .flatMap(stack -> Stream.of(stack.packages(0, stack.layers().size())))
                        .collect(Collectors.toSet());
        Set<String> alone = Set.of(ROOT + ".cli");
        assertThat(
                        classes.stream()
                                .map(JavaClass::getPackageName)
                                .filter(each -> !alone.contains(each)))
                .isNotEmpty()
                .isSubsetOf(listed);
    }

    @ParameterizedTest
    @FieldSource("RULES")
    void aPackageOfAModuleUsesOnlyThoseBelowIt(Rule rule) {
        List<String> allowed = new ArrayList<>();
        allowed.add(ROOT + "." + rule.name());
        rule.below().forEach(below -> allowed.add(ROOT + "." + below));
        assertUsesOnly(
                ROOT + "." + rule.name(), rule.name().split("\\.", 2)[0], allowed, rule.reason());
    }

    /// Of its own module, that is.
    private static void assertUsesOnly(
            String name, String module, List<String> allowed, String reason) {
        noClasses()
                .that()
                .resideInAPackage(name)
                .should()
                .dependOnClassesThat(
                        JavaClass.Predicates.resideInAPackage(ROOT + "." + module + "..")
                                .and(
                                        JavaClass.Predicates.resideOutsideOfPackages(
                                                allowed.toArray(String[]::new))))
                .because(reason)
                .check(classes);
    }

    @Test
    void usersOfAnIndexDependOnNoProvider() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        ROOT + ".compute..",
                        ROOT + ".sql..",
                        ROOT + ".workload..",
                        ROOT + ".tpcc..",
                        ROOT + ".ycsb..")
                .and(DescribedPredicate.not(makeOrRepairIndexes()))
                .should()
                .dependOnClassesThat(
                        JavaClass.Predicates.resideInAnyPackage(
                                        ROOT + ".mvcc.tree..", ROOT + ".mvcc.coarse..")
                                .or(JavaClass.Predicates.simpleName("HashIndex")))
                .because("other trees shall stand in its place")
                .check(classes);
    }

    /// Decision 0020 explains why there are three.
    private static DescribedPredicate<JavaClass> makeOrRepairIndexes() {
        Set<String> names =
                Set.of(
                        ROOT + ".compute.schema.Index",
                        ROOT + ".compute.schema.TableStorage",
                        ROOT + ".compute.maintenance.CatalogTables");
        return DescribedPredicate.describe(
                "make or repair indexes",
                type -> names.contains(type.getName().replaceFirst("\\$.*", "")));
    }

    /// Excluded are the machine itself, and the threads of procedures that are called by name,
    /// which a pool of the JDK starts.
    @Test
    void timeAndThreadsComeThroughTheHost() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        ROOT + ".fabric..",
                        ROOT + ".timestamp..",
                        ROOT + ".mvcc..",
                        ROOT + ".memory..",
                        ROOT + ".cache..",
                        ROOT + ".compute..",
                        ROOT + ".sql.engine..",
                        ROOT + ".simulated..")
                .and()
                .haveNameNotMatching(".*\\.(Host\\$Machine|SimHost|ProcedureThreads)")
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Thread.class, "start")
                .orShould()
                .callMethod(Thread.class, "ofPlatform")
                .orShould()
                .callMethod(Thread.class, "ofVirtual")
                .because("a simulation takes the machine's place")
                .check(classes);
    }

    @Test
    void aMemoryServerUsesOnlyItsSideOfTheFabric() {
        noClasses()
                .that()
                .resideInAnyPackage(ROOT + ".memory.server..", ROOT + ".memory.process..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(Pattern.quote(ROOT) + "\\.fabric\\.(Compute)?Fabric")
                .because("compute servers are other processes")
                .check(classes);
    }

    @Test
    void aComputeServerUsesOnlyItsSideOfTheFabric() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        ROOT + ".timestamp..",
                        ROOT + ".mvcc..",
                        ROOT + ".memory.client..",
                        ROOT + ".cache..",
                        ROOT + ".compute..")
                .and()
                .doNotHaveSimpleName("EmbeddedServers")
                .and()
                .haveNameNotMatching(".*\\.EmbeddedOptions(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(Pattern.quote(ROOT) + "\\.fabric\\.(Memory)?Fabric")
                .because("memory servers are other processes, unless the database is embedded")
                .check(classes);
    }

    private static void assertUsesNothingOfTheRest(String layer, String reason) {
        String packages = ROOT + "." + layer + "..";
        noClasses()
                .that()
                .resideInAPackage(packages)
                .should()
                .dependOnClassesThat(
                        JavaClass.Predicates.resideInAPackage(ROOT + "..")
                                .and(JavaClass.Predicates.resideOutsideOfPackage(packages)))
                .because(reason)
                .check(classes);
    }

    @Test
    void everyClassIsInALayer() {
        String[] layers = LAYERS.stream().map(Layer::packages).toArray(String[]::new);
        noClasses().should().resideOutsideOfPackages(layers).check(classes);
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<String> marked =
                classes.stream()
                        .filter(type -> type.getSimpleName().equals("package-info"))
                        .filter(type -> type.isAnnotatedWith(NullMarked.class))
                        .map(JavaClass::getPackageName)
                        .collect(Collectors.toSet());
        assertThat(classes.stream().map(JavaClass::getPackageName)).isSubsetOf(marked);
    }

    @Test
    void aNameSaysWhatTheThingIs() {
        noClasses()
                .should()
                .haveSimpleNameEndingWith("Impl")
                .orShould()
                .haveNameMatching(".*(Manager|Utils?|Common)")
                .because("such a name fits anything; the papers have a word for it")
                .check(classes);
    }

    @Test
    void aPropertyIsNamedWithoutGet() {
        methods()
                .that()
                .areDeclaredInClassesThat(arePublic())
                .and(DescribedPredicate.not(overrideALibrary()))
                .should()
                .haveNameNotMatching("get[A-Z].*")
                .check(classes);
    }

    @Test
    void noSourceFileIsTooLong() throws IOException {
        List<String> tooLong = new ArrayList<>();
        Path root = projectRoot();
        for (Layer layer : LAYERS) {
            for (Path source : sources(root.resolve(layer.module()).resolve("src/main/java"))) {
                int lines = Files.readAllLines(source).size();
                if (lines > MAX_LINES) {
                    tooLong.add(root.relativize(source) + " has " + lines + " lines");
                }
            }
        }
        assertThat(tooLong).as("source files of more than %d lines", MAX_LINES).isEmpty();
    }

    private static DescribedPredicate<JavaClass> arePublic() {
        return DescribedPredicate.describe(
                "public classes", type -> type.getModifiers().contains(JavaModifier.PUBLIC));
    }

    private static DescribedPredicate<JavaMethod> overrideALibrary() {
        return DescribedPredicate.describe(
                "override a method of a library",
                method ->
                        Stream.concat(
                                        method.getOwner().getAllRawSuperclasses().stream(),
                                        method.getOwner().getAllRawInterfaces().stream())
                                .filter(type -> !type.getPackageName().startsWith(ROOT))
                                .flatMap(type -> type.getMethods().stream())
                                .anyMatch(inherited -> sameSignature(inherited, method)));
    }

    /// By name and number of parameters: a generic parameter has another type where it is
    /// overridden.
    private static boolean sameSignature(JavaMethod one, JavaMethod other) {
        return one.getName().equals(other.getName())
                && one.getRawParameterTypes().size() == other.getRawParameterTypes().size();
    }

    static Path projectRoot() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(directory.resolve(LAYERS.getFirst().module()))) {
            directory = directory.getParent();
            assertThat(directory).as("a directory above that holds the modules").isNotNull();
        }
        return directory;
    }

    private static List<Path> sources(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
