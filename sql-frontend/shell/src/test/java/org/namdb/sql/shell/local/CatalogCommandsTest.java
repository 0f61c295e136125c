package org.namdb.sql.shell.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.sql.shell.LineSource;
import org.namdb.sql.shell.Screen;
import org.namdb.sql.shell.Shell;
import org.namdb.sql.shell.format.OutputFormat;
import org.namdb.sql.shell.format.PrintSettings;

/// What the shell's commands show of a real database's catalog.
class CatalogCommandsTest {
    private final LocalDatabase database =
            LocalDatabase.of(NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(256L << 20)));
    private final StringWriter errors = new StringWriter();

    @TempDir private Path directory;

    @BeforeEach
    void create() {
        assertThat(
                        run(
                                "CREATE FUNCTION add(a INT, b INT DEFAULT 1) RETURNS INT LANGUAGE sql AS"
                                        + " 'SELECT a + b';\nCREATE VIEW two AS SELECT 1 + 1 AS two;\n"
                                        + "CREATE TABLE p (id INT PRIMARY KEY);\n"
                                        + "CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p);\n"))
                .isEmpty();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private String run(String lines) {
        StringWriter output = new StringWriter();
        PrintSettings print = new PrintSettings();
        print.format(OutputFormat.CSV);
        Screen screen = Screen.of(new PrintWriter(output), new PrintWriter(errors));
        try (Shell shell = new Shell(database, screen, print, true)) {
            boolean _ = shell.run(LineSource.of(lines));
        }
        return output.toString();
    }

    @Test
    void schemasAndDatabasesAreListed() {
        assertThat(run("\\dn")).isEqualTo("schema,owner\npublic,namdb\n");
        assertThat(run("\\dn pg*")).isEqualTo("schema,owner\npg_catalog,namdb\n");
        assertThat(run("\\l")).isEqualTo("database,owner,encoding,collation\nnamdb,namdb,UTF8,C\n");
    }

    @Test
    void theStatementsThatMakeThingsAreShown() {
        assertThat(run("\\sf add")).startsWith("CREATE OR REPLACE FUNCTION").contains("a + b");
        assertThat(run("\\sv two"))
                .isEqualTo("CREATE OR REPLACE VIEW two AS\nSELECT 1 + 1 AS two;\n");
        assertThat(run("\\sf nothing")).isEmpty();
        assertThat(errors.toString())
                .isEqualTo(
                        "ERROR: there is no function or procedure \"nothing\"; \\df lists those there"
                                + " are\n");
    }

    @Test
    void theLastStatementIsWrittenToAFile() {
        Path file = directory.resolve("last.sql");
        run("SELECT 1\n+ 1;\n\\w " + file);
        assertThat(file).hasContent("SELECT 1\n+ 1;");
        run("\\w");
        assertThat(errors.toString()).isEqualTo("ERROR: there is no statement yet\n");
    }

    @Test
    void theIndexOfAForeignKeyIsNotListed() {
        assertThat(run("\\di c*")).isEqualTo("index,table,columns,kind\nc_pkey,c,id,PRIMARY KEY\n");
    }
}
