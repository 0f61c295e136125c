package org.namdb.sql.shell.interactive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.namdb.sql.language.parser.Keywords;
import org.namdb.sql.shell.MetaCommand;
import org.namdb.sql.shell.ShellDatabase;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.SyntaxHelp;
import org.namdb.sql.shell.TableFacts;
import org.namdb.sql.shell.TableFacts.ColumnFacts;
import org.namdb.sql.shell.Vocabulary;

/// Completes keywords, functions, tables where a table must come, columns of the statement's
/// tables, settings behind SET, SHOW and RESET, the options of CREATE TABLE, indexes where one is
/// dropped, meta commands and their arguments.
final class SqlCompleter implements Completer {
    private static final Set<String> BEFORE_TABLE =
            Set.of("FROM", "JOIN", "INTO", "UPDATE", "TABLE", "REFERENCES", "TRUNCATE", "COPY");
    private static final Pattern SELECT_LIST =
            Pattern.compile("(?is)\\s*select\\b(?!.*\\bfrom\\b).*");
    private static final Pattern LAST_WORD = Pattern.compile("([A-Za-z_]+)\\s+$");
    private static final Pattern TABLE_LIST =
            Pattern.compile("(?is).*\\bfrom\\s+[\\w$]+(\\s+[\\w$]+)?(\\s*,\\s*[\\w$]+)*\\s*,\\s*$");
    private static final Pattern TABLE_WITH_ALIAS =
            Pattern.compile(
                    "(?i)\\b(?:from|join|into|update|table|,)\\s+([a-z_][\\w$]*)(?:\\s+(?:as\\s+)?([a-z_][\\w$]*))?");
    private static final Pattern SETTING =
            Pattern.compile("(?is)\\s*(set(\\s+(local|session))?|show|reset)\\s+");
    private static final Pattern SETTING_VALUE =
            Pattern.compile(
                    "(?is)\\s*set(?:\\s+(?:local|session))?\\s+[\\w.]+(\\s+to\\s+|\\s*=\\s*)");
    private static final Pattern TABLE_OPTION =
            Pattern.compile("(?is)\\s*create\\s+table\\b.*\\)\\s*with\\s*\\(([^()]*,)?\\s*");
    private static final Pattern DROPPED_INDEX =
            Pattern.compile("(?is)\\s*drop\\s+index\\s+(if\\s+exists\\s+)?([\\w$]+\\s*,\\s*)*");
    private static final Pattern INDEXED_TABLE =
            Pattern.compile("(?is)\\s*create\\s+(unique\\s+)?index\\b.*\\bon\\s+");
    private static final Pattern INDEXED_COLUMN =
            Pattern.compile(
                    "(?is)\\s*create\\s+(?:unique\\s+)?index\\b.*\\bon\\s+([a-z_][\\w$]*).*");
    private static final Pattern FIRST_SET_COLUMN =
            Pattern.compile("(?is)\\s*update\\s+([a-z_][\\w$]*)\\s+set\\s+");
    private static final Pattern COPY_FILE =
            Pattern.compile("(?is)\\\\copy\\s.*\\b(from|to)\\s+'?");
    private static final Map<String, List<String>> ARGUMENTS =
            Map.of(
                    "x",
                    List.of("on", "off", "auto"),
                    "timing",
                    List.of("on", "off"),
                    "verbs",
                    List.of("on", "off"),
                    "explain",
                    List.of("on", "off"),
                    "format",
                    List.of("aligned", "unaligned", "csv", "json", "markdown", "expanded"),
                    "pset",
                    List.of(
                            "border",
                            "expanded",
                            "fieldsep",
                            "format",
                            "linestyle",
                            "null",
                            "pager",
                            "tuples_only"));

    private static final Map<String, List<String>> OPTION_VALUES =
            Map.of(
                    "border",
                    List.of("0", "1", "2"),
                    "expanded",
                    List.of("on", "off", "auto"),
                    "format",
                    List.of("aligned", "unaligned", "csv", "json", "markdown"),
                    "linestyle",
                    List.of("ascii", "unicode"),
                    "pager",
                    List.of("on", "off"),
                    "tuples_only",
                    List.of("on", "off"));

    /// What stands first where several kinds are offered.
    private static final int NAMES = 0;

    private static final int FUNCTIONS = 1;
    private static final int KEYWORDS = 2;

    private final ShellDatabase database;
    private final Vocabulary words;

    SqlCompleter(ShellDatabase database) {
        this.database = database;
        this.words = database.vocabulary();
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        StatementParser.Word word = (StatementParser.Word) line;
        String before = word.line().substring(0, word.start());
        String typed = word.line().substring(word.start(), word.cursor());
        try {
            if (before.isBlank() && typed.startsWith("\\")) {
                metaCommands(candidates);
            } else if (before.stripLeading().startsWith("\\")) {
                metaArguments(before.stripLeading(), typed, candidates);
            } else {
                statement(word.line(), before, typed, candidates);
            }
        } catch (ShellException e) {
            // The database can't be reached. The next statement reports it.
        }
    }

    private static void metaCommands(List<Candidate> candidates) {
        for (MetaCommand command : MetaCommand.values()) {
            add(candidates, "\\" + command.word(), "commands", command.description());
        }
    }

    private void metaArguments(String before, String typed, List<Candidate> candidates) {
        String[] words = before.substring(1).strip().split("\\s+", 3);
        String command = words[0];
        if (COPY_FILE.matcher(before).matches() || Set.of("i", "o", "e").contains(command)) {
            files(typed, candidates);
        } else if (command.equals("d") || command.equals("copy")) {
            tables(candidates);
        } else if (command.equals("h")) {
            String topic = before.substring(2).stripLeading();
            syntax(topic.toUpperCase(Locale.ROOT), candidates);
        } else if (command.equals("pset") && words.length > 1) {
            OPTION_VALUES
                    .getOrDefault(words[1], List.of())
                    .forEach(value -> add(candidates, value, "arguments", ""));
        } else {
            ARGUMENTS
                    .getOrDefault(command, List.of())
                    .forEach(argument -> add(candidates, argument, "arguments", ""));
        }
    }

    private void statement(String whole, String before, String typed, List<Candidate> candidates) {
        if (special(before, typed, candidates)) {
            return;
        }
        Matcher last = LAST_WORD.matcher(before);
        boolean isTable =
                (last.find() && BEFORE_TABLE.contains(last.group(1).toUpperCase(Locale.ROOT)))
                        || TABLE_LIST.matcher(before).matches();
        if (isTable) {
            tables(candidates);
            return;
        }
        Map<String, TableFacts> tables = tablesOf(whole);
        int dot = typed.lastIndexOf('.');
        if (dot >= 0) {
            String qualifier = typed.substring(0, dot);
            TableFacts table = tables.get(qualifier.toLowerCase(Locale.ROOT));
            if (table != null) {
                columns(table, qualifier + ".", candidates);
            }
            return;
        }
        if (tables.isEmpty() && !typed.isEmpty() && SELECT_LIST.matcher(before).matches()) {
            database.tableNames().forEach(name -> addColumns(name, candidates));
        }
        Set.copyOf(tables.values()).forEach(table -> columns(table, "", candidates));
        keywords(typed, candidates);
        if (!typed.isEmpty()) {
            functions(candidates);
        }
    }

    /// The tables of a SELECT come last: until then, a column may be any table's.
    private void addColumns(String name, List<Candidate> candidates) {
        TableFacts table = database.table(name);
        if (table != null) {
            columns(table, "", candidates);
        }
    }

    /// Places where only names of one kind stand.
    private boolean special(String before, String typed, List<Candidate> candidates) {
        Matcher set = FIRST_SET_COLUMN.matcher(before);
        if (SETTING.matcher(before).matches()) {
            words.settings().forEach(name -> add(candidates, name, "settings", ""));
            List<String> words =
                    before.stripLeading().regionMatches(true, 0, "set", 0, 3)
                            ? List.of("TRANSACTION", "SESSION", "LOCAL")
                            : List.of("ALL");
            boolean isLower = !typed.isEmpty() && Character.isLowerCase(typed.charAt(0));
            words.forEach(word ->
                    add(
                            candidates,
                            isLower ? word.toLowerCase(Locale.ROOT) : word,
                            "keywords",
                            ""));
        } else if (SETTING_VALUE.matcher(before).matches()) {
            List.of("on", "off", "DEFAULT").forEach(value -> add(candidates, value, "values", ""));
        } else if (TABLE_OPTION.matcher(before).matches()) {
            words.tableOptions().forEach(name -> add(candidates, name, "options", ""));
        } else if (set.matches()) {
            addColumns(set.group(1), candidates);
        } else if (DROPPED_INDEX.matcher(before).matches()) {
            indexes(candidates);
        } else if (INDEXED_TABLE.matcher(before).matches()) {
            tables(candidates);
        } else {
            return false;
        }
        return true;
    }

    private void indexes(List<Candidate> candidates) {
        for (String name : database.tableNames()) {
            TableFacts table = database.table(name);
            if (table != null) {
                table.indexes().forEach(index -> add(candidates, index.name(), "indexes", name));
            }
        }
    }

    /// What is called has its parenthesis with it.
    private void functions(List<Candidate> candidates) {
        for (String name : words.functions()) {
            candidates.add(
                    new Candidate(
                            name + "(", name, "functions", null, null, null, false, FUNCTIONS));
        }
    }

    /// The next words of the statements whose names begin so.
    private static void syntax(String topic, List<Candidate> candidates) {
        new SyntaxHelp()
                .names().stream()
                        .filter(name -> name.startsWith(topic))
                        .map(name -> name.substring(topic.length()).split(" ", 2)[0])
                        .distinct()
                        .forEach(word -> add(candidates, word, "statements", ""));
    }

    /// The tables that a statement names, by their names and by their aliases.
    private Map<String, TableFacts> tablesOf(String statement) {
        Map<String, TableFacts> tables = new LinkedHashMap<>();
        Matcher indexed = INDEXED_COLUMN.matcher(statement);
        TableFacts ofIndex =
                indexed.matches()
                        ? database.table(indexed.group(1).toLowerCase(Locale.ROOT))
                        : null;
        if (ofIndex != null) {
            tables.put(ofIndex.name(), ofIndex);
        }
        Matcher names = TABLE_WITH_ALIAS.matcher(statement);
        int from = 0;
        while (names.find(from)) {
            TableFacts table = database.table(names.group(1).toLowerCase(Locale.ROOT));
            if (table != null) {
                tables.put(table.name(), table);
                String alias = names.group(2);
                if (alias != null && !Keywords.all().contains(alias.toLowerCase(Locale.ROOT))) {
                    tables.put(alias.toLowerCase(Locale.ROOT), table);
                }
            }
            from = names.end(1); // what looks like an alias may be the next JOIN
        }
        return tables;
    }

    private void tables(List<Candidate> candidates) {
        database.tableNames().forEach(name -> add(candidates, name, "tables", ""));
    }

    private static void columns(TableFacts table, String prefix, List<Candidate> candidates) {
        for (ColumnFacts column : table.columns()) {
            add(candidates, prefix + column.name(), "columns", column.type());
        }
    }

    /// In the case that was begun with.
    private static void keywords(String typed, List<Candidate> candidates) {
        boolean isLower = !typed.isEmpty() && Character.isLowerCase(typed.charAt(0));
        Set<String> names = new HashSet<>(); // some words are names, too
        candidates.forEach(each -> names.add(each.value()));
        for (String word : Keywords.all()) {
            String text = isLower ? word : word.toUpperCase(Locale.ROOT);
            if (!names.contains(text)) {
                add(candidates, text, "keywords", "");
            }
        }
    }

    private static void files(String typed, List<Candidate> candidates) {
        int slash = typed.lastIndexOf('/');
        String shown = typed.substring(0, slash + 1);
        String home = System.getProperty("user.home", "");
        String directory = shown.startsWith("~/") ? home + shown.substring(1) : shown;
        try (DirectoryStream<Path> entries =
                Files.newDirectoryStream(Path.of(directory.isEmpty() ? "." : directory))) {
            for (Path entry : entries) {
                boolean isDirectory = Files.isDirectory(entry);
                String name = shown + entry.getFileName() + (isDirectory ? "/" : "");
                candidates.add(new Candidate(name, name, "files", null, null, null, !isDirectory));
            }
        } catch (IOException | InvalidPathException e) {
            // What can't be listed has nothing to offer.
        }
    }

    private static void add(
            List<Candidate> candidates, String value, String group, String description) {
        String shown = description.isEmpty() ? null : description;
        int order = group.equals("keywords") ? KEYWORDS : NAMES;
        candidates.add(new Candidate(value, value, group, shown, null, null, true, order));
    }
}
