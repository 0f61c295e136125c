package org.namdb.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jooq.impl.DSL.constraint;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.rank;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.table;

import java.math.BigDecimal;
import java.sql.Connection;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jooq.Cursor;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ForeignKey;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.exception.IntegrityConstraintViolationException;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JooqTest {
    private static final String SERVERS = "org.namdb.clients.TestServer#all";

    private static final Table<Record> AUTHOR = table(name("author"));
    private static final Field<Integer> ID = field(name("author", "id"), SQLDataType.INTEGER);
    private static final Field<String> NAME = field(name("author", "name"), SQLDataType.VARCHAR);
    private static final Field<Integer> BOOKS = field(name("author", "books"), SQLDataType.INTEGER);

    private static final Table<Record> BOOK = table(name("book"));
    private static final Field<Integer> BOOK_ID = field(name("book", "id"), SQLDataType.INTEGER);
    private static final Field<Integer> BY = field(name("book", "author"), SQLDataType.INTEGER);
    private static final Field<String> TITLE = field(name("book", "title"), SQLDataType.CLOB);
    private static final Field<BigDecimal> PRICE =
            field(name("book", "price"), SQLDataType.NUMERIC(10, 2));

    @BeforeAll
    static void silence() {
        System.setProperty("org.jooq.no-logo", "true");
        System.setProperty("org.jooq.no-tips", "true");
    }

    private static DSLContext dsl(Connection connection) {
        return DSL.using(connection, SQLDialect.POSTGRES);
    }

    private static void createSchema(DSLContext dsl) {
        dsl.createTable(AUTHOR)
                .column(ID, SQLDataType.INTEGER.identity(true))
                .column(NAME, SQLDataType.VARCHAR(40).nullable(false))
                .column(BOOKS, SQLDataType.INTEGER.nullable(false).defaultValue(0))
                .constraints(
                        constraint("author_pk").primaryKey(ID),
                        constraint("author_name").unique(NAME))
                .execute();
        dsl.createTable(BOOK)
                .column(BOOK_ID, SQLDataType.INTEGER.identity(true))
                .column(BY, SQLDataType.INTEGER.nullable(false))
                .column(TITLE, SQLDataType.CLOB)
                .column(PRICE, SQLDataType.NUMERIC(10, 2))
                .constraints(
                        constraint("book_pk").primaryKey(BOOK_ID),
                        constraint("book_author").foreignKey(BY).references(AUTHOR, ID),
                        constraint("book_price").check(PRICE.ge(BigDecimal.ZERO)))
                .execute();
        dsl.createIndex("book_title").on(BOOK, TITLE).execute();
        dsl.createView("titled", "author", "title")
                .as(select(NAME, TITLE).from(AUTHOR).join(BOOK).on(BY.eq(ID)))
                .execute();
        dsl.createSequence("ticket").startWith(100).incrementBy(10).execute();
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void createsASchemaAndQueriesIt(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call();
                Connection connection = server.connect()) {
            DSLContext dsl = dsl(connection);
            createSchema(dsl);
            int ada =
                    dsl.insertInto(AUTHOR, NAME)
                            .values("Ada")
                            .values("Grace")
                            .returning(ID)
                            .fetch(ID)
                            .getFirst();
            assertThat(ada).isOne();
            for (int i = 1; i <= 5; i++) {
                dsl.insertInto(BOOK, BY, TITLE, PRICE)
                        .values(ada, "Notes " + i, BigDecimal.valueOf(i))
                        .execute();
            }
            assertThat(
                            dsl.select(NAME, count(BOOK_ID), sum(PRICE))
                                    .from(AUTHOR)
                                    .leftJoin(BOOK)
                                    .on(BY.eq(ID))
                                    .groupBy(NAME)
                                    .orderBy(NAME)
                                    .fetch()
                                    .formatCSV())
                    .isEqualTo("name,count,sum\nAda,5,15.00\nGrace,0,\"\"\n");
            assertThat(
                            dsl.select(TITLE, rank().over().orderBy(PRICE.desc()))
                                    .from(BOOK)
                                    .where(
                                            TITLE.likeIgnoreCase("notes%")
                                                    .and(
                                                            PRICE.in(
                                                                    List.of(
                                                                            BigDecimal.ONE,
                                                                            BigDecimal.TWO))))
                                    .orderBy(PRICE)
                                    .limit(1)
                                    .offset(1)
                                    .fetchOne(0, String.class))
                    .isEqualTo("Notes 2");
            dsl.insertInto(AUTHOR, ID, NAME)
                    .values(1, "again")
                    .onConflict(ID)
                    .doUpdate()
                    .set(BOOKS, 5)
                    .execute();
            assertThat(
                            dsl.update(AUTHOR)
                                    .set(BOOKS, BOOKS.plus(1))
                                    .where(ID.eq(1))
                                    .returning(BOOKS)
                                    .fetchOne(BOOKS))
                    .isEqualTo(6);
            var totals =
                    name("totals")
                            .fields("author", "total")
                            .as(select(BY, sum(PRICE)).from(BOOK).groupBy(BY));
            assertThat(
                            dsl.with(totals)
                                    .select(field("total", BigDecimal.class))
                                    .from(totals)
                                    .fetchOne(0, BigDecimal.class))
                    .isEqualByComparingTo("15");
            assertThat(dsl.fetchCount(table(name("titled")))).isEqualTo(5);
            assertThat(dsl.nextval("ticket").intValue() + dsl.nextval("ticket").intValue())
                    .isEqualTo(210);
            assertThat(dsl.fetchExists(select().from(BOOK).where(TITLE.isNull()))).isFalse();
            assertThat(dsl.deleteFrom(BOOK).where(BOOK_ID.between(1, 2)).execute()).isEqualTo(2);
            int[] batch =
                    dsl.batch(dsl.insertInto(BOOK, BY, TITLE).values((Integer) null, null))
                            .bind(1, "a")
                            .bind(2, "b")
                            .execute();
            assertThat(batch).containsExactly(1, 1);
            assertThatThrownBy(() ->
                            dsl.insertInto(BOOK, BY, PRICE)
                                    .values(1, BigDecimal.valueOf(-1))
                                    .execute())
                    .isInstanceOfSatisfying(
                            IntegrityConstraintViolationException.class,
                            e -> assertThat(e.sqlState()).isEqualTo("23514"))
                    .hasMessageContaining("book_price");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void valuesOfAllTypes(Callable<TestServer> open) throws Exception {
        Object[] values = {
            (short) -7,
            Long.MIN_VALUE,
            new BigDecimal("-12345678.0900"),
            1.5f,
            -2.5e300,
            true,
            "Gräfin €😀 \\ 'x'",
            new byte[] {0, 1, -1, '\\'},
            LocalDate.of(1969, 12, 31),
            LocalDateTime.of(2026, 1, 31, 12, 0, 0, 1000),
            OffsetDateTime.parse("2026-07-01T12:00:00+02:00"),
            UUID.fromString("01234567-89ab-cdef-0123-456789abcdef"),
            new Integer[] {1, null, 3},
            new String[] {"a b", null, "\"{},"}
        };
        try (TestServer server = open.call();
                Connection connection = server.connect()) {
            DSLContext dsl = dsl(connection);
            var columns = dsl.createTable("typed").column("c", SQLDataType.SMALLINT);
            for (Object value : values) {
                String column = "c" + value.getClass().getSimpleName().replace("[]", "s");
                columns = columns.column(column, DSL.val(value).getDataType());
            }
            columns.execute();
            Object[] row = new Object[values.length + 1];
            System.arraycopy(values, 0, row, 1, values.length);
            assertThat(dsl.insertInto(table("typed")).values(row).execute()).isOne();
            for (int i = 0; i < values.length; i++) {
                String column = "c" + values[i].getClass().getSimpleName().replace("[]", "s");
                Field<?> typed = field(name(column), DSL.val(values[i]).getDataType());
                Object read = dsl.select(typed).from("typed").fetchOne(typed);
                if (values[i] instanceof OffsetDateTime time) {
                    assertThat(((OffsetDateTime) read).toInstant()).isEqualTo(time.toInstant());
                } else if (values[i] instanceof BigDecimal number) {
                    assertThat((BigDecimal) read).isEqualByComparingTo(number);
                } else {
                    assertThat(read).as(column).isEqualTo(values[i]);
                }
            }
            assertThat(dsl.selectFrom("typed").fetchOne().get("c")).isNull();
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void readsWhatThereIs(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call();
                Connection connection = server.connect()) {
            DSLContext dsl = dsl(connection);
            createSchema(dsl);
            Table<?> book = dsl.meta().getTables("book").getFirst();
            assertThat(book.getPrimaryKey().getName()).isEqualTo("book_pk");
            ForeignKey<?, ?> key = book.getReferences().getFirst();
            assertThat(key.getName() + " " + key.getKey().getName())
                    .isEqualTo("book_author author_pk");
            assertThat(book.field("price").getDataType().precision()).isEqualTo(10);
            assertThat(book.field("title").getDataType().nullable()).isTrue();
            assertThat(book.getIndexes()).extracting("name").contains("book_title");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void transactionsWithSavepointsAndManyRows(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call();
                Connection connection = server.connect()) {
            DSLContext dsl = dsl(connection);
            createSchema(dsl);
            dsl.transaction(outer -> {
                outer.dsl().insertInto(AUTHOR, NAME).values("Ada").execute();
                assertThatThrownBy(() ->
                                outer.dsl()
                                        .transaction(inner ->
                                                inner.dsl()
                                                        .insertInto(AUTHOR, NAME)
                                                        .values("Ada")
                                                        .execute()))
                        .isInstanceOf(DataAccessException.class)
                        .hasMessageContaining("author_name");
                outer.dsl().insertInto(AUTHOR, NAME).values("Grace").execute();
            });
            assertThat(dsl.fetchCount(AUTHOR)).isEqualTo(2);
            connection.setAutoCommit(false);
            long total = 0;
            try (Cursor<Record1<Integer>> rows =
                    dsl.select(field("i", Integer.class))
                            .from("generate_series(1, 25000) AS g (i)")
                            .fetchSize(1000)
                            .fetchLazy()) {
                for (Record1<Integer> row : rows) {
                    total += row.value1();
                }
            }
            assertThat(total).isEqualTo(25000L * 25001 / 2);
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void threadsThatConflictLoseNothing(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call();
                Connection connection = server.connect()) {
            DSLContext dsl = dsl(connection);
            createSchema(dsl);
            dsl.insertInto(AUTHOR, NAME).values("Ada").execute();
            TestServer.together(
                    3,
                    () -> {
                        try (Connection own = server.connect()) {
                            own.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                            for (int i = 0; i < 30; ) {
                                try {
                                    dsl(own).transaction(each -> addBook(each.dsl()));
                                    i++;
                                } catch (DataAccessException e) {
                                    if (!TestServer.isConflict(e)) {
                                        throw e;
                                    }
                                }
                            }
                            return null;
                        }
                    });
            assertThat(dsl.select(BOOKS).from(AUTHOR).fetchOne(BOOKS)).isEqualTo(90);
            assertThat(dsl.fetchCount(BOOK)).isEqualTo(90);
        }
    }

    private static void addBook(DSLContext dsl) {
        int books = dsl.select(BOOKS).from(AUTHOR).where(ID.eq(1)).fetchOne(BOOKS);
        dsl.insertInto(BOOK, BY, TITLE).values(1, "book " + books).execute();
        dsl.update(AUTHOR).set(BOOKS, books + 1).where(ID.eq(1)).execute();
    }
}
