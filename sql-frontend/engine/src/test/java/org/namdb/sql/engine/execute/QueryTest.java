package org.namdb.sql.engine.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.sql.engine.execute.QueryFixture.row;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.sql.language.error.SqlException;

/// Queries and what PostgreSQL gives for them.
class QueryTest {
    private final QueryFixture db = new QueryFixture();

    @BeforeEach
    void fill() {
        db.create(
                "CREATE TABLE person (id integer PRIMARY KEY, name text NOT NULL, boss integer, pay decimal(8,2))");
        db.create(
                "CREATE TABLE pet (owner integer, name varchar(10), PRIMARY KEY (owner, name)) WITH (neighbours = 1)");
        db.create("CREATE TABLE note (body text)");
        db.insert(
                "person",
                row(1, "ann", null, "100.00"),
                row(2, "bob", 1, "50.00"),
                row(3, "cid", 1, "70.00"),
                row(4, "dan", 2, null));
        db.insert("pet", row(1, "rex"), row(1, "tom"), row(3, "kit"));
        db.insert("note", row("a"), row("a"), row((Object) null));
    }

    @AfterEach
    void close() {
        db.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "SELECT 1 + 2, 'x' || 'y'; 3|xy",
                "SELECT 'a'; a",
                "SELECT NULL; -",
                "SELECT * FROM note ORDER BY body NULLS FIRST; -,a,a",
                "SELECT p.name, b.name FROM person p LEFT JOIN person b ON p.boss = b.id ORDER BY 1; ann|-,bob|ann,cid|ann,dan|bob",
                "SELECT name FROM person WHERE id IN (SELECT owner FROM pet) ORDER BY id; ann,cid",
                "SELECT name FROM person p WHERE NOT EXISTS (SELECT * FROM pet WHERE owner = p.id) ORDER BY id; bob,dan",
                "SELECT name, (SELECT count(*) FROM pet WHERE owner = p.id) FROM person p ORDER BY id; ann|2,bob|0,cid|1,dan|0",
                "SELECT boss, count(*), sum(pay) FROM person GROUP BY boss ORDER BY boss; 1|2|120.00,2|1|-,-|1|100.00",
                "SELECT boss AS chef, avg(pay) FROM person GROUP BY chef HAVING avg(pay) > 50 ORDER BY avg(pay) DESC; -|100.0000000000000000,1|60.0000000000000000",
                "SELECT count(*), count(pay), count(DISTINCT boss) FROM person; 4|3|2",
                "SELECT count(*) FROM person WHERE id > 100; 0",
                "SELECT max(id) FROM person WHERE false; -",
                "SELECT DISTINCT boss FROM person ORDER BY boss LIMIT 2; 1,2",
                "SELECT id FROM person ORDER BY pay DESC NULLS LAST, id OFFSET 1; 3,2,4",
                "SELECT a.id FROM person a, person b WHERE a.boss = b.id AND b.name = 'ann' ORDER BY 1; 2,3",
                "SELECT x.n FROM (SELECT name AS n, id FROM person WHERE id < 3) x WHERE x.id = 2; bob",
                "SELECT * FROM (VALUES (1, 'one'), (2, NULL)) v(num, word) ORDER BY num DESC; 2|-,1|one",
                "VALUES (3), (1) ORDER BY 1; 1,3",
                "SELECT id FROM person UNION SELECT owner FROM pet ORDER BY 1; 1,2,3,4",
                "SELECT owner FROM pet UNION ALL SELECT 9 ORDER BY 1; 1,1,3,9",
                "SELECT id FROM person EXCEPT SELECT owner FROM pet ORDER BY id; 2,4",
                "SELECT owner FROM pet INTERSECT SELECT id FROM person ORDER BY 1; 1,3",
                "SELECT owner FROM pet EXCEPT ALL SELECT 1 ORDER BY owner; 1,3",
                "SELECT 1 UNION SELECT 1.5 ORDER BY 1; 1,1.5",
                "SELECT name FROM pet WHERE owner = 1 ORDER BY name; rex,tom",
                "SELECT person.name, pet.name FROM person JOIN pet ON owner = id WHERE person.id = 1 ORDER BY 2; ann|rex,ann|tom",
                "SELECT id, owner FROM person NATURAL JOIN pet; ''",
                "SELECT name FROM person JOIN pet USING (name); ''",
                "SELECT name, id, owner FROM person FULL JOIN pet USING (name) WHERE name > 'cz' ORDER BY name; dan|4|-,kit|-|3,rex|-|1,tom|-|1",
                "SELECT CASE WHEN pay > 60 THEN 'rich' ELSE 'poor' END, count(*) FROM person GROUP BY 1 ORDER BY 1; poor|2,rich|2",
                "SELECT id FROM person WHERE (id, name) = (2, 'bob'); 2",
                "SELECT id FROM person WHERE (id, name) IN ((1, 'ann'), (2, 'ann'), (3, 'cid')) ORDER BY id; 1,3",
                "SELECT name FROM person WHERE pay = (SELECT max(pay) FROM person); ann",
                "SELECT id FROM person WHERE boss NOT IN (SELECT boss FROM person WHERE boss IS NOT NULL); ''",
                "SELECT id FROM person WHERE id NOT IN (SELECT boss FROM person); ''",
                "SELECT name FROM person p WHERE pay > (SELECT avg(pay) FROM person q WHERE q.boss = p.boss); cid",
                "SELECT p.name FROM person p WHERE EXISTS (SELECT 1 FROM person q WHERE q.boss = p.id AND EXISTS (SELECT 1 FROM pet WHERE owner = p.id AND owner <> q.id)); ann",
                "SELECT string_agg(name, '+') FROM (SELECT name FROM person ORDER BY name DESC) x; dan+cid+bob+ann",
                "SELECT count(*) FROM person a CROSS JOIN pet; 12",
                "SELECT id FROM person WHERE name LIKE '%n' AND id + 0 IN (1, 4) ORDER BY 1; 1,4",
                "SELECT id % 2, sum(id) FROM person GROUP BY id % 2 ORDER BY 1; 0|6,1|4",
                "SELECT sum(n) FROM (SELECT count(*) AS n FROM pet GROUP BY owner) x; 3",
                "SELECT upper(name) AS name FROM person WHERE id < 3 ORDER BY name DESC; BOB,ANN",
            })
    void queries(String sql, String expected) {
        List<String> rows =
                expected.isEmpty() || expected.equals("''")
                        ? List.of()
                        : List.of(expected.split(","));
        assertThat(db.query(sql)).as("%s", db.explain(sql)).containsExactlyElementsOf(rows);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "SELECT nam FROM person; 42703; column \"nam\" does not exist",
                "SELECT p.nix FROM person p; 42703; column p.nix does not exist",
                "SELECT person.id FROM person p; 42P01; invalid reference to FROM-clause entry for table \"person\"",
                "SELECT * FROM nobody; 42P01; relation \"nobody\" does not exist",
                "SELECT name FROM person, pet; 42702; column reference \"name\" is ambiguous",
                "SELECT 1 FROM person, person; 42712; table name \"person\" specified more than once",
                "SELECT name, count(*) FROM person; 42803; column \"name\" must appear in the GROUP BY clause or be used in an aggregate function",
                "SELECT 1 FROM person WHERE count(*) > 1; 42803; aggregate functions are not allowed in WHERE",
                "SELECT sum(count(*)) FROM person; 42803; aggregate function calls cannot be nested",
                "SELECT 1 FROM person WHERE id; 42804; argument of WHERE must be type boolean, not type integer",
                "SELECT id + name FROM person; 42883; operator does not exist: integer + text",
                "SELECT id FROM person ORDER BY 2; 42P10; ORDER BY position 2 is not in select list",
                "SELECT DISTINCT id FROM person ORDER BY pay; 42P10; for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                "SELECT 1 UNION SELECT 1, 2; 42601; each UNION query must have the same number of columns",
                "SELECT id FROM person UNION SELECT name FROM person; 42804; UNION types integer and text cannot be matched",
                "SELECT (SELECT id, name FROM person); 42601; subquery must return only one column",
                "SELECT 1 WHERE 1 IN (SELECT id, name FROM person); 42601; subquery has too many columns",
                "SELECT *; 42601; SELECT * with no tables specified is not valid",
                "SELECT (SELECT id FROM person); 21000; more than one row returned by a subquery used as an expression",
                "SELECT 1 LIMIT -1; 2201W; LIMIT must not be negative",
                "SELECT 1 / (id - id) FROM person; 22012; division by zero",
                "SELECT id FROM person GROUP BY boss FOR UPDATE; 42803; column \"id\" must appear in the GROUP BY clause or be used in an aggregate function",
                "SELECT DISTINCT id FROM person FOR UPDATE; 0A000; FOR UPDATE is not allowed with DISTINCT clause",
            })
    void errors(String sql, String state, String message) {
        assertThatThrownBy(() -> db.query(sql.replace("\\\"", "\"")))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> {
                            assertThat(e.state().code()).isEqualTo(state);
                            assertThat(e).hasMessage(message);
                        });
    }

    @Test
    void anUnknownColumnIsMarkedAndHinted() {
        assertThatThrownBy(() -> db.query("SELECT id,\n  nmae FROM person"))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> {
                            assertThat(e.hint()).isEqualTo("Perhaps you meant \"name\".");
                            assertThat(e.position()).isNotNull();
                        });
    }

    @Test
    void aSortThatNeedsMoreThanItsMemoryIsSpilled() {
        List<String> sorted = db.query("SELECT * FROM person ORDER BY pay");
        db.workMemoryBytes = 200;
        assertThat(db.query("SELECT * FROM person ORDER BY pay")).isEqualTo(sorted);
        assertThat(db.query("SELECT id FROM person ORDER BY pay LIMIT 1")).containsExactly("2");
    }

    @Test
    void rowsForUpdateJoinTheWriteSet() {
        assertThat(db.query("SELECT name FROM person WHERE id > 2 ORDER BY id FOR UPDATE"))
                .containsExactly("cid", "dan");
        assertThat(db.explain("SELECT name FROM person WHERE id = 2 FOR UPDATE"))
                .anyMatch(line -> line.contains("Lock Rows"));
        long writes =
                db.session()
                        .transact(tx -> {
                            List<String> _ = db.query(tx, "SELECT name FROM person FOR UPDATE");
                            return db.session().counters().compareAndSwaps();
                        });
        assertThat(db.session().counters().compareAndSwaps() - writes).isEqualTo(4);
    }
}
