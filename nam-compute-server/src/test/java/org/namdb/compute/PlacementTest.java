package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbTally;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.ServerUsage;
import org.namdb.memory.server.MemoryServer;
import org.namdb.memory.server.VersionMaintenance;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Tables on chosen memory servers.
class PlacementTest extends PeopleFixture {
    private static final int SERVERS = 4;

    private static final int ROWS = 3000;

    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(SERVERS)
                .withFabric(() -> new ShmFabric(ShmFabric.Options.DEFAULT));
    }

    @Override
    int[] servers() {
        return new int[] {3, 1};
    }

    private List<Long> usedByServer() {
        return db.usage().stream().map(ServerUsage::usedBytes).toList();
    }

    private static List<VerbTally> tallies(Session session) {
        return IntStream.range(0, SERVERS).mapToObj(session.counters()::tally).toList();
    }

    /// Whether each server had verbs since `before`.
    private static List<Boolean> hadVerbs(Session session, List<VerbTally> before) {
        List<VerbTally> now = tallies(session);
        return IntStream.range(0, SERVERS)
                .mapToObj(server -> now.get(server).minus(before.get(server)).verbs() > 0)
                .toList();
    }

    /// Overflow areas, bodies outside of their buckets, old versions in buffers and in the overflow
    /// region, entries of both kinds of indexes, many levels of nodes.
    private Table fill(boolean isInlined) {
        Table table = db.createTable(people("people").inlined(isInlined).versions(1).build());
        db.createIndex(IndexDefinition.hash("of_age", "people", "age"));
        db.createIndex(IndexDefinition.ordered("by_name", "people", "name"));
        for (int first = 0; first < ROWS; first += 500) {
            int from = first;
            db.transact(tx -> {
                for (int i = from; i < from + 500; i++) {
                    BlankRow.insert(tx, table, table.newKey().set(i))
                            .setInt64(table.column("age"), i % 50)
                            .setString(table.column("name"), "name" + i);
                }
                return true;
            });
        }
        try (Session writer = db.session()) {
            db.transact(reading -> {
                assertThat(reading.read(table, table.newKey().set(0))).isNotNull();
                for (int change = 1; change <= 3; change++) {
                    int age = change;
                    writer.transact(tx -> {
                        for (int i = 0; i < 100; i++) {
                            tx.read(table, table.newKey().set(i))
                                    .setInt64(table.column("age"), age);
                        }
                        return true;
                    });
                }
                return true;
            });
        }
        return table;
    }

    @Test
    void allOfATableLiesOnItsServersAndNothingElsewhere() {
        for (boolean isInlined : new boolean[] {true, false}) {
            List<Long> before = usedByServer();
            Table table = fill(isInlined);
            List<Long> after = usedByServer();
            assertThat(after.get(0)).isEqualTo(before.get(0));
            assertThat(after.get(2)).isEqualTo(before.get(2));
            assertThat(after.get(1)).isGreaterThan(before.get(1));
            assertThat(after.get(3)).isGreaterThan(before.get(3));
            HashTable records = table.records();
            assertThat(RemoteAddress.server(records.bucketAddress(0))).isEqualTo(3);
            assertThat(RemoteAddress.server(records.bucketAddress(records.buckets() - 1)))
                    .isEqualTo(1);
            db.dropTable("people");
        }
    }

    @Test
    void transactionsAskNoOtherServer() {
        Table table = fill(true);
        Index ages = db.findIndex("of_age");
        Index names = db.findIndex("by_name");
        assertThat(ages).isNotNull();
        assertThat(names).isNotNull();
        try (Session session = db.session()) {
            List<Boolean> hadVerbs =
                    session.transact(tx -> {
                        List<VerbTally> before = tallies(session);
                        for (int i = 0; i < ROWS; i++) {
                            assertThat(tx.read(table, table.newKey().set(i))).isNotNull();
                        }
                        Rows found = new Rows();
                        tx.lookup(ages, table, ages.newKey().add(20), table.schema().all(), found);
                        assertThat(found.size()).isEqualTo(ROWS / 50 - 2);
                        int count = 0;
                        Key open = names.newKey();
                        RowCursor cursor =
                                tx.ascending(names, table, open, open, table.schema().all());
                        while (cursor.next() != null) {
                            count++;
                        }
                        TableScan scan = tx.scan(table, table.schema().all());
                        while (scan.next() != null) {
                            count++;
                        }
                        assertThat(count).isEqualTo(2 * ROWS);
                        return hadVerbs(session, before);
                    });
            assertThat(hadVerbs).containsExactly(false, true, false, true);
        }
    }

    @Test
    void aDroppedTableGivesAllOfItBack() {
        List<Long> before = usedByServer();
        for (boolean isInlined : new boolean[] {true, false}) {
            Table _ = fill(isInlined);
            db.dropTable("people");
            assertThat(usedByServer()).isEqualTo(before);
        }
        assertThat(db.oldVersionBytes()).isZero();
    }

    @Test
    void anotherDefinitionMovesATableAndOtherChangesLeaveItThere() {
        List<Long> before = usedByServer();
        Table table = fill(true);
        TableDefinition definition = table.definition();
        assertThat(db.truncate("people").definition().servers()).containsExactly(3, 1);
        Table renamed = db.renameTable("people", "persons");
        assertThat(renamed.definition().servers()).containsExactly(3, 1);
        for (int i = 0; i < ROWS; i++) {
            insert(renamed, i, i, "name" + i);
        }
        assertThat(usedByServer().get(0)).isEqualTo(before.get(0));
        assertThatThrownBy(() ->
                        db.redefine(
                                "persons", renamed.definition().copy("persons").servers().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without the rows being copied");

        Table moved =
                db.replaceTable(
                        "persons",
                        definition.copy("persons").servers(2).build(),
                        new RowMapping() {
                            @Override
                            public void key(Row source, Key key) {
                                key.add(source.int64(renamed.column("id")));
                            }

                            @Override
                            public void columns(Row source, Row target) {
                                target.setString(
                                        target.table().column("name"),
                                        source.string(renamed.column("name")));
                            }
                        });
        List<Long> after = usedByServer();
        // But for the entries of the catalog, which lie on the servers by hash of their names.
        assertThat(after.get(0)).isEqualTo(before.get(0));
        assertThat(after.get(1)).isEqualTo(before.get(1));
        assertThat(after.get(3)).isEqualTo(before.get(3));
        assertThat(after.get(2)).isGreaterThan(before.get(2));
        Index names = db.findIndex("by_name");
        assertThat(names).isNotNull();
        assertThat(ascending(names, moved, names.newKey(), names.newKey())).hasSize(ROWS);
    }

    /// How a partitioned workload is made local.
    @Test
    void rowsOfTwoTablesThatAgreeInTheNeighbourPrefixLieOnOneServer() {
        Table customers =
                db.createTable(
                        TableDefinition.named("customers")
                                .column("c", ColumnType.INT32)
                                .column("name", ColumnType.varchar(80))
                                .primaryKey("c")
                                .servers(2, 0, 3)
                                .expectedRows(1000)
                                .build());
        Table orders =
                db.createTable(
                        TableDefinition.named("orders")
                                .column("c", ColumnType.INT32)
                                .column("o", ColumnType.INT64)
                                .primaryKey("c", "o")
                                .neighbours(1)
                                .servers(2, 0, 3)
                                .expectedRows(77)
                                .build());
        db.transact(tx -> {
            for (int c = 0; c < 100; c++) {
                BlankRow.insert(tx, customers, customers.newKey().set(c));
                for (int o = 0; o < 4; o++) {
                    BlankRow.insert(tx, orders, orders.newKey().set(c, o));
                }
            }
            return true;
        });
        int[] customersOn = new int[SERVERS];
        try (Session session = db.session()) {
            for (int i = 0; i < 100; i++) {
                int c = i;
                List<Boolean> hadVerbs =
                        session.transact(tx -> {
                            List<VerbTally> before = tallies(session);
                            assertThat(tx.read(customers, customers.newKey().set(c))).isNotNull();
                            Rows found = new Rows();
                            tx.neighbours(
                                    orders,
                                    orders.newKey().add(c),
                                    orders.schema().nothing(),
                                    found);
                            assertThat(found.size()).isEqualTo(4);
                            return hadVerbs(session, before);
                        });
                assertThat(hadVerbs).as("customer " + c).containsOnlyOnce(true);
                customersOn[hadVerbs.indexOf(true)]++;
            }
        }
        assertThat(customersOn[1]).isZero();
        assertThat(new int[] {customersOn[0], customersOn[2], customersOn[3]})
                .doesNotContain(0)
                .hasSize(3);
    }

    @Test
    void theSweepFindsARangeByItsServer() {
        try (Session writer = db.session();
                Session server = db.session()) {
            Table table = db.createTable(people("people").build());
            writer.transact(tx -> {
                for (int i = 0; i < 20; i++) {
                    BlankRow.insert(tx, table, table.newKey().set(i));
                }
                return true;
            });
            writer.transact(tx -> {
                for (int i = 0; i < 20; i++) {
                    tx.read(table, table.newKey().set(i)).setInt64(table.column("age"), i);
                }
                return true;
            });
            assertThat(writer.garbageWaiting()).isPositive();
            List<VersionMaintenance> maintenance =
                    IntStream.range(0, SERVERS).mapToObj(server.maintenance()::ofServer).toList();
            for (int round = 0; round < 5; round++) {
                int id = 100 + round;
                server.transact(tx -> BlankRow.insert(tx, table, table.newKey().set(id)));
                maintenance.forEach(each -> each.step(1000));
            }
            assertThat(maintenance).allSatisfy(each -> assertThat(each.passes()).isPositive());
            assertThat(db.oldVersionBytes()).isZero();
        }
    }

    @Test
    void wrongServersAreRefused() {
        List<Long> before = usedByServer();
        assertThatThrownBy(() -> db.createTable(people("people").servers(0, 4).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("people: there is no memory server 4; their numbers are 0 to 3");
        assertThatThrownBy(() -> people("people").servers(2, 0, 2).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("people: memory server 2 is named twice");
        assertThatThrownBy(() -> people("people").servers(-1).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("people: there can't be a memory server -1");
        Table table = db.createTable(people("people").build());
        insert(table, 1, 1, "ada");
        assertThatThrownBy(() ->
                        db.replaceTable(
                                "people",
                                table.definition().copy("people").servers(9).build(),
                                new RowMapping() {
                                    @Override
                                    public void key(Row source, Key key) {
                                        key.add(source.int64(table.column("id")));
                                    }

                                    @Override
                                    public void columns(Row source, Row target) {
                                        // None is copied.
                                    }
                                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(db.table("people")).isSameAs(table);
        db.dropTable("people");
        assertThat(usedByServer()).isEqualTo(before);
    }

    @Test
    void aFullServerIsNamedAndTheOthersGetTheirRangesBack() {
        db.createTable(people("large").servers(2).expectedRows(50_000).build());
        List<Long> before = usedByServer();
        assertThatThrownBy(() ->
                        db.createTable(people("more").servers(1, 2).expectedRows(100_000).build()))
                .isInstanceOf(MemoryFullException.class)
                .hasMessageContaining("memory server 2 is full");
        assertThat(usedByServer()).isEqualTo(before);
    }

    /// The catalog says where the nodes of a tree go.
    @Test
    void anotherComputeServerPutsItsRowsThereToo() {
        int slots = 64;
        try (Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT)) {
            List<MemoryServer> machines = new ArrayList<>();
            for (int number = 0; number < SERVERS; number++) {
                long reserved = DatabaseLayout.reservedBytes(number, slots);
                machines.add(new MemoryServer(fabric, number, 32 << 20, reserved));
            }
            List<Region> regions = machines.stream().map(MemoryServer::region).toList();
            DatabaseLayout.format(
                    fabric, regions, slots, EmbeddedOptions.DEFAULT.maxTransactionTime());
            EmbeddedOptions shared = options().withMemoryBytes(128 << 20).withSlots(8);
            try (NamDb first = AttachedDatabase.open(shared, fabric, regions);
                    NamDb second = AttachedDatabase.open(shared, fabric, regions)) {
                first.createTable(people("people").build());
                first.createIndex(IndexDefinition.ordered("by_name", "people", "name"));
                Table table = second.table("people");
                assertThat(table.definition().servers()).containsExactly(3, 1);
                List<Long> before = second.usage().stream().map(ServerUsage::usedBytes).toList();
                for (int from = 0; from < ROWS; from += 500) {
                    int begin = from;
                    second.transact(tx -> {
                        for (int i = begin; i < begin + 500; i++) {
                            BlankRow.insert(tx, table, table.newKey().set(i))
                                    .setString(table.column("name"), "name" + i);
                        }
                        return true;
                    });
                }
                List<Long> after = second.usage().stream().map(ServerUsage::usedBytes).toList();
                assertThat(after.get(0)).isEqualTo(before.get(0));
                assertThat(after.get(2)).isEqualTo(before.get(2));
            } finally {
                machines.forEach(MemoryServer::close);
            }
        }
    }
}
