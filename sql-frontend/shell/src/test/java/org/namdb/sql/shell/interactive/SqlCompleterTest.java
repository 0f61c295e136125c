package org.namdb.sql.shell.interactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Test;
import org.namdb.sql.shell.FakeDatabase;

/// What is offered at the cursor.
class SqlCompleterTest {
    private final FakeDatabase database = new FakeDatabase();
    private final SqlCompleter completer = new SqlCompleter(database);

    /// What is offered at the end of a line and begins as its last word does.
    private List<String> offered(String line) throws Exception {
        List<Candidate> candidates = new ArrayList<>();
        StatementParser.Word word = StatementParser.Word.at(line, line.length());
        LineReader reader =
                LineReaderBuilder.builder()
                        .terminal(new DumbTerminal(System.in, System.out))
                        .build();
        completer.complete(reader, word, candidates);
        return candidates.stream()
                .sorted()
                .map(Candidate::value)
                .filter(value -> value.startsWith(word.word()))
                .toList();
    }

    @Test
    void functionsAreOfferedWithTheirParenthesis() throws Exception {
        assertThat(offered("SELECT low")).containsExactly("lower(");
        assertThat(offered("SELECT id FROM accounts WHERE starts")).containsExactly("starts_with(");
        assertThat(offered("SELECT string_")).containsExactly("string_agg(");
        assertThat(offered("SELECT pg_")).containsExactly("pg_typeof(");
        assertThat(offered("SELECT * FROM low")).isEmpty();
    }

    @Test
    void namesComeBeforeFunctionsAndKeywords() throws Exception {
        assertThat(offered("SELECT i")).startsWith("id").contains("in", "is");
        assertThat(offered("SELECT o")).startsWith("owner").contains("or", "order");
        assertThat(offered("SELECT i FROM audit WHERE i")).doesNotContain("id");
        assertThat(offered("SELECT l")).containsSubsequence("lower(", "like");
        assertThat(offered("i")).doesNotContain("id");
    }

    @Test
    void settingsAreOfferedWhereOneMustCome() throws Exception {
        assertThat(offered("SET work")).containsExactly("work_mem");
        assertThat(offered("show namdb.")).contains("namdb.autocommit_attempts");
        assertThat(offered("RESET statement")).containsExactly("statement_timeout");
        assertThat(offered("SET LOCAL lock_")).containsExactly("lock_timeout");
        assertThat(offered("SET TRANS")).containsExactly("TRANSACTION");
        assertThat(offered("RESET AL")).contains("ALL");
        assertThat(offered("SET work_mem = DEF")).containsExactly("DEFAULT");
        assertThat(offered("SET work_mem TO o")).containsExactly("off", "on");
        assertThat(offered("UPDATE accounts SET work")).doesNotContain("work_mem");
    }

    @Test
    void tableOptionsAreOfferedInTheirParentheses() throws Exception {
        assertThat(offered("CREATE TABLE t (id INT PRIMARY KEY) WITH (vers"))
                .containsExactly("versions");
        assertThat(offered("create table t (a int) with (inline = true, buck"))
                .containsExactly("bucket_size");
        assertThat(offered("COPY accounts TO STDOUT WITH (vers")).doesNotContain("versions");
        assertThat(offered("CREATE TABLE t (vers")).doesNotContain("versions");
    }

    @Test
    void indexesAndTheirTablesAreOffered() throws Exception {
        assertThat(offered("DROP INDEX acc")).contains("accounts_owner_key");
        assertThat(offered("DROP INDEX IF EXISTS a, acc")).contains("accounts_owner_key");
        assertThat(offered("CREATE INDEX i ON au")).containsExactly("audit");
        assertThat(offered("CREATE UNIQUE INDEX ON accounts (owner")).containsExactly("owner");
        assertThat(offered("ALTER TABLE accounts DROP COLUMN owner")).containsExactly("owner");
        assertThat(offered("INSERT INTO accounts (owner")).containsExactly("owner");
    }

    @Test
    void aDatabaseThatIsGoneOffersNothing() throws Exception {
        database.isGone = true;
        assertThat(offered("SELECT * FROM a")).isEmpty();
        assertThat(offered("\\d au")).isEmpty();
        assertThat(offered("\\pset format j")).containsExactly("json");
    }

    @Test
    void commandsKnowTheirArguments() throws Exception {
        assertThat(offered("\\d au")).containsExactly("audit");
        assertThat(offered("\\copy au")).containsExactly("audit");
        assertThat(offered("\\pset for")).containsExactly("format");
        assertThat(offered("\\pset format j")).containsExactly("json");
        assertThat(offered("\\pset linestyle ")).containsExactly("ascii", "unicode");
        assertThat(offered("\\h CREATE T")).containsExactly("TABLE");
        assertThat(offered("\\h start ")).containsExactly("TRANSACTION");
        assertThat(offered("\\timing o")).containsExactly("off", "on");
        assertThat(offered("\\format mark")).containsExactly("markdown");
    }
}
