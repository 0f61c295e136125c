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
/// It stands in the last module because that one has all the others on its class path.
class ArchitectureTest {
    private static final String ROOT = "org.namdb";
    private static final int MOST_LINES = 600;

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
                    new Layer("workload", "workload"),
                    new Layer("tpcc", "tpcc"),
                    new Layer("ycsb", "ycsb"),
                    new Layer("checker", "verification/isolation-checker"),
                    new Layer("simulation", "verification/simulation"),
                    new Layer("cli", "nam-cli"));

    /// The packages of each module that has several, floor by floor from the ground: a package uses
    /// only those of the floors below its own, and none beside it. The module itself is named by an
    /// empty string.
    static final List<House> HOUSES =
            List.of(
                    new House(
                            "fabric",
                            List.of("", "disk"),
                            List.of("peer", "shm", "tls"),
                            List.of("peer.tcp", "rdma", "sim", "tcp", "tearing")),
                    new House(
                            "cluster",
                            List.of("config"),
                            List.of("membership", "transport"),
                            List.of("membership.sim")),
                    new House("timestamp", List.of(""), List.of("snapshot")),
                    new House(
                            "mvcc",
                            List.of("", "record", "schema"),
                            List.of("catalog", "owner"),
                            List.of("index"),
                            List.of("hash", "tree"),
                            List.of("gc", "cleanup", "coarse")),
                    new House("memory", List.of("server"), List.of("client"), List.of("process")),
                    new House("cache", List.of("frame", "line"), List.of("selcc")),
                    new House(
                            "compute",
                            List.of("admission", "schema"),
                            List.of("commit"),
                            List.of("cluster", "read", "upkeep"),
                            List.of("journal"),
                            List.of(""),
                            List.of("history")),
                    new House(
                            "sql.language",
                            List.of("", "ast"),
                            List.of("error"),
                            List.of("parser", "type"),
                            List.of("result")),
                    new House(
                            "sql.engine",
                            List.of("role"),
                            List.of("catalog", "copy", "expression", "procedure", "setting"),
                            List.of("expression.number", "expression.text", "monitor", "record"),
                            List.of("expression.cast"),
                            List.of("expression.condition"),
                            List.of("expression.operator"),
                            List.of("expression.function"),
                            List.of("expression.aggregate"),
                            List.of("bind"),
                            List.of("plan"),
                            List.of("spill"),
                            List.of("change", "execute"),
                            List.of("define"),
                            List.of("")),
                    new House("sql.client", List.of("")),
                    new House("sql.server", List.of("")),
                    new House(
                            "sql.shell",
                            List.of("format"),
                            List.of(""),
                            List.of("interactive", "local", "remote")),
                    new House(
                            "workload",
                            List.of(""),
                            List.of("statistics"),
                            List.of("report"),
                            List.of("load"),
                            List.of("driver")),
                    new House(
                            "tpcc",
                            List.of(""),
                            List.of("input", "schema", "statistics"),
                            List.of("check", "load", "procedure"),
                            List.of("report"),
                            List.of("driver")),
                    new House("ycsb", List.of("")),
                    new House(
                            "checker", List.of("history", "line"), List.of(""), List.of("report")));

    /// Packages that see even less than their floor lets them: each with those of its own module
    /// that it may use.
    static final List<Room> ROOMS =
            List.of(
                    new Room("fabric.disk", "a disk is no network"),
                    new Room("fabric.tls", "TLS does not know what is sent", "fabric"),
                    new Room("fabric.peer", "compute servers are no memory servers", "fabric"),
                    new Room("timestamp", "a slot commits without a snapshot"),
                    new Room(
                            "mvcc.catalog",
                            "an entry says what a table is, and not how it is read",
                            "mvcc.schema"),
                    new Room(
                            "mvcc.index",
                            "what an index can do is said without any provider",
                            "mvcc",
                            "mvcc.owner"),
                    new Room(
                            "mvcc.tree",
                            "a tree is a provider of indexes, and knows no records",
                            "mvcc",
                            "mvcc.index",
                            "mvcc.owner"),
                    new Room(
                            "mvcc.coarse",
                            "what a worker does, it does as any client of a tree",
                            "mvcc",
                            "mvcc.index",
                            "mvcc.owner",
                            "mvcc.tree"),
                    new Room(
                            "compute.admission",
                            "who waits for a processor is the same whatever he wants it for"),
                    new Room(
                            "compute.schema",
                            "who may define, and when, has nothing to do with what sessions are"),
                    new Room(
                            "compute.cluster",
                            "who is dead is told by what is held in memory, and by nothing else",
                            "compute.schema"),
                    new Room(
                            "compute.commit",
                            "a commit is given values, and climbs back to no session",
                            "compute.schema"),
                    new Room(
                            "compute.read",
                            "what a transaction knows has nothing to do with how sessions are run",
                            "compute.schema",
                            "compute.commit"),
                    new Room(
                            "compute.upkeep",
                            "what is left behind is taken away without a look at any transaction",
                            "compute.admission",
                            "compute.schema",
                            "compute.commit"));

    private static JavaClasses classes;

    record Layer(String name, String module) {
        String packages() {
            return ROOT + "." + name + "..";
        }
    }

    /// A module's packages, in floors.
    record House(String module, List<List<String>> floors) {
        @SafeVarargs
        @SuppressWarnings("varargs") // the array is only read
        House(String module, List<String>... floors) {
            this(module, List.of(floors));
        }

        /// Those of the floors from `first` to `end`.
        String[] packages(int first, int end) {
            return floors.subList(first, end).stream()
                    .flatMap(List::stream)
                    .map(room -> ROOT + "." + module + (room.isEmpty() ? "" : "." + room))
                    .toArray(String[]::new);
        }

        @Override
        public String toString() {
            return module;
        }
    }

    record Room(String name, String reason, List<String> below) {
        Room(String name, String reason, String... below) {
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
    void theIsolationCheckerSharesNothingWithWhatItJudges() {
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
    @FieldSource("HOUSES")
    void aPackageUsesOnlyTheFloorsBelowIt(House house) {
        for (int floor = 0; floor < house.floors().size(); floor++) {
            for (String room : house.packages(floor, floor + 1)) {
                List<String> allowed = new ArrayList<>(List.of(house.packages(0, floor)));
                allowed.add(room);
                assertUsesOnly(room, house.module(), allowed, "it stands below, or beside");
            }
        }
    }

    @Test
    void everyPackageOfAModuleWithSeveralIsOnAFloor() {
        Set<String> housed =
                HOUSES.stream()
                        .flatMap(house -> Stream.of(house.packages(0, house.floors().size())))
                        .collect(Collectors.toSet());
        Set<String> alone = Set.of(ROOT + ".simulation", ROOT + ".cli");
        assertThat(
                        classes.stream()
                                .map(JavaClass::getPackageName)
                                .filter(each -> !alone.contains(each)))
                .isNotEmpty()
                .isSubsetOf(housed);
    }

    @ParameterizedTest
    @FieldSource("ROOMS")
    void aRoomOfAModuleUsesOnlyThoseBelowIt(Room room) {
        List<String> allowed = new ArrayList<>();
        allowed.add(ROOT + "." + room.name());
        room.below().forEach(below -> allowed.add(ROOT + "." + below));
        assertUsesOnly(
                ROOT + "." + room.name(), room.name().split("\\.", 2)[0], allowed, room.reason());
    }

    /// Of its own module, that is.
    private static void assertUsesOnly(
            String room, String module, List<String> allowed, String reason) {
        noClasses()
                .that()
                .resideInAPackage(room)
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
    void whoUsesAnIndexKnowsNoProvider() {
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

    /// Decision 0020 says why there are three.
    private static DescribedPredicate<JavaClass> makeOrRepairIndexes() {
        Set<String> names =
                Set.of(
                        ROOT + ".compute.schema.Index",
                        ROOT + ".compute.schema.TableStorage",
                        ROOT + ".compute.upkeep.CatalogTables");
        return DescribedPredicate.describe(
                "make or repair indexes", type -> names.contains(type.getName()));
    }

    /// What stands in front of the machine itself is left out, and the threads of procedures that
    /// are called by name, which a pool of the JDK starts.
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
                        ROOT + ".sql.engine..")
                .and()
                .haveNameNotMatching(".*\\.(Host\\$Machine|sim\\..*|ProcedureThreads)")
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
    void aMemoryServerKnowsOnlyItsSideOfTheFabric() {
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
    void aComputeServerKnowsOnlyItsSideOfTheFabric() {
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
                if (lines > MOST_LINES) {
                    tooLong.add(root.relativize(source) + " has " + lines + " lines");
                }
            }
        }
        assertThat(tooLong).as("source files of more than %d lines", MOST_LINES).isEmpty();
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
