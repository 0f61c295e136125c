package org.namdb.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.hibernate.ScrollableResults;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.tool.schema.spi.SchemaManagementException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HibernateTest {
    private static final String SERVERS = "org.namdb.clients.TestServer#all";

    @Entity(name = "Author")
    @Table(name = "author")
    static class Author {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "authors")
        @SequenceGenerator(name = "authors", sequenceName = "author_numbers", allocationSize = 10)
        Long id;

        @Column(length = 40, nullable = false, unique = true)
        String name;

        LocalDate born;
        int books;
        @Version int version;

        @OneToMany(mappedBy = "author", cascade = CascadeType.ALL, orphanRemoval = true)
        List<Book> written = new ArrayList<>();

        @ElementCollection(fetch = FetchType.LAZY)
        Set<String> nicknames = new HashSet<>();

        Author() {}

        Author(String name) {
            this.name = name;
        }
    }

    enum Kind {
        NOVEL,
        NOTES
    }

    @Entity(name = "Book")
    @Table(name = "book", indexes = @Index(name = "book_title", columnList = "title"))
    static class Book {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        @ManyToOne(optional = false, fetch = FetchType.LAZY)
        Author author;

        String title;

        @Column(precision = 10, scale = 2)
        BigDecimal price;

        Kind kind;
        UUID code = UUID.randomUUID();
        byte[] cover;
        boolean isRead;
        Instant added;
        LocalDateTime lent;
        String[] tags;
        Double weight;
        @ManyToMany Set<Shelf> shelves = new HashSet<>();

        Book() {}

        Book(Author author, String title) {
            this.author = author;
            this.title = title;
        }
    }

    @Entity(name = "Shelf")
    @Table(name = "shelf")
    static class Shelf {
        @Id String name;

        Shelf() {}

        Shelf(String name) {
            this.name = name;
        }
    }

    /// A later version of `Shelf`.
    @Entity(name = "WiderShelf")
    @Table(name = "shelf")
    static class WiderShelf {
        @Id String name;
        Integer width;
    }

    private static SessionFactory open(TestServer server, String schema, Class<?>... entities) {
        Configuration configuration = new Configuration();
        List.of(entities).forEach(configuration::addAnnotatedClass);
        return configuration
                .setProperty("hibernate.connection.url", server.jdbcUrl())
                .setProperty("hibernate.connection.pool_size", "4")
                .setProperty("hibernate.hbm2ddl.auto", schema)
                .setProperty("hibernate.hbm2ddl.halt_on_error", "true")
                .setProperty("hibernate.jdbc.batch_size", "20")
                .setProperty("hibernate.jdbc.time_zone", "UTC")
                .setProperty("hibernate.connection.isolation", "REPEATABLE_READ")
                .buildSessionFactory();
    }

    private static SessionFactory library(TestServer server) {
        return open(server, "create-drop", Author.class, Book.class, Shelf.class);
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void createsUpdatesAndValidatesSchemas(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call()) {
            open(server, "create", Author.class, Book.class, Shelf.class).close();
            open(server, "validate", Author.class, Book.class, Shelf.class).close();
            assertThatThrownBy(() -> open(server, "validate", WiderShelf.class))
                    .isInstanceOf(SchemaManagementException.class)
                    .hasMessageContaining("missing column [width]");
            server.run("INSERT INTO shelf VALUES ('top')");
            open(server, "update", WiderShelf.class).close();
            open(server, "validate", WiderShelf.class).close();
            open(server, "update", Author.class, Book.class, Shelf.class).close();
            assertThat(server.rows("SELECT * FROM shelf")).isEqualTo("top|null");
            open(server, "create", Author.class, Book.class, Shelf.class).close();
            assertThat(server.rows("SELECT count(*) FROM shelf")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void objectsGoThereAndBack(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call();
                SessionFactory library = library(server)) {
            Instant added = Instant.parse("2026-07-01T12:00:00.000001Z");
            LocalDateTime lent = LocalDateTime.of(2026, 1, 31, 12, 0, 0, 1000);
            UUID code =
                    library.fromTransaction(session -> {
                        Author ada = new Author("Ada");
                        ada.born = LocalDate.of(1815, 12, 10);
                        ada.nicknames.addAll(List.of("Countess", "Enchantress"));
                        Book notes = new Book(ada, "Notes");
                        notes.price = new BigDecimal("12.50");
                        notes.kind = Kind.NOTES;
                        notes.cover = new byte[] {0, 1, -1};
                        notes.isRead = true;
                        notes.added = added;
                        notes.lent = lent;
                        notes.tags = new String[] {"a b", "\"{},"};
                        notes.weight = 0.25;
                        notes.shelves.add(new Shelf("top"));
                        notes.shelves.forEach(session::persist);
                        ada.written.add(notes);
                        ada.written.add(new Book(ada, "Letters"));
                        session.persist(ada);
                        session.persist(new Author("Grace"));
                        return notes.code;
                    });
            library.inTransaction(session -> {
                Book notes =
                        session.createQuery(
                                        "from Book b join fetch b.author where b.code = :code",
                                        Book.class)
                                .setParameter("code", code)
                                .getSingleResult();
                assertThat(notes.author.born).isEqualTo(LocalDate.of(1815, 12, 10));
                assertThat(notes.author.nicknames)
                        .containsExactlyInAnyOrder("Countess", "Enchantress");
                assertThat(notes.price).isEqualByComparingTo("12.50");
                assertThat(notes.kind).isEqualTo(Kind.NOTES);
                assertThat(notes.cover).containsExactly(0, 1, -1);
                assertThat(notes.added).isEqualTo(added);
                assertThat(notes.lent).isEqualTo(lent);
                assertThat(notes.tags).containsExactly("a b", "\"{},");
                assertThat(notes.weight).isEqualTo(0.25);
                assertThat(notes.shelves).extracting(shelf -> shelf.name).containsExactly("top");
                assertThat(
                                session.createQuery(
                                                "select a.name, count(b) from Author a left join a.written b"
                                                        + " group by a.name having count(b) < 5 order by a.name",
                                                Object[].class)
                                        .getResultList())
                        .containsExactly(new Object[] {"Ada", 2L}, new Object[] {"Grace", 0L});
                notes.author.written.remove(0);
            });
            library.inTransaction(session -> {
                assertThat(
                                session.createQuery("from Book order by id", Book.class)
                                        .setFirstResult(0)
                                        .setMaxResults(5)
                                        .getResultList())
                        .extracting(book -> book.title)
                        .containsExactly("Letters");
                assertThat(
                                session.createMutationQuery(
                                                "update Author set books = size(written) + 1 where name like 'A%'")
                                        .executeUpdate())
                        .isOne();
                assertThat(
                                session.createNativeQuery(
                                                "select books from author order by name",
                                                Integer.class)
                                        .getResultList())
                        .containsExactly(2, 0);
                assertThat(
                                session.createMutationQuery(
                                                "delete from Author where name = 'Grace'")
                                        .executeUpdate())
                        .isOne();
            });
            assertThatThrownBy(() ->
                            library.inTransaction(session -> session.persist(new Author("Ada"))))
                    .isInstanceOfSatisfying(
                            ConstraintViolationException.class,
                            e -> {
                                assertThat(e.getSQLState()).isEqualTo("23505");
                                assertThat(e.getConstraintName()).isEqualTo("author_name_key");
                            });
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void manyRowsAreInsertedInBatchesAndScrolled(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call();
                SessionFactory library = library(server)) {
            library.inTransaction(session -> {
                for (int i = 1; i <= 1000; i++) {
                    Author author = new Author("author " + i);
                    author.books = i;
                    session.persist(author);
                }
            });
            library.inTransaction(session -> {
                long total = 0;
                try (ScrollableResults<Integer> rows =
                        session.createQuery("select books from Author", Integer.class)
                                .setFetchSize(100)
                                .scroll()) {
                    while (rows.next()) {
                        total += rows.get();
                    }
                }
                assertThat(total).isEqualTo(500_500);
            });
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void whatIsStaleIsNotWritten(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call();
                SessionFactory library = library(server)) {
            library.inTransaction(session -> session.persist(new Author("Ada")));
            Author stale =
                    library.fromTransaction(session ->
                            session.createQuery("from Author", Author.class).getSingleResult());
            library.inTransaction(session -> session.find(Author.class, stale.id).books = 7);
            stale.books = 1;
            assertThatThrownBy(() -> library.inTransaction(session -> session.merge(stale)))
                    .isInstanceOf(OptimisticLockException.class);
            assertThat(server.rows("SELECT books, version FROM author")).isEqualTo("7|1");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void threadsThatConflictLoseNothing(Callable<TestServer> open) throws Exception {
        try (TestServer server = open.call();
                SessionFactory library = library(server)) {
            library.inTransaction(session -> session.persist(new Author("Ada")));
            TestServer.together(
                    3,
                    () -> {
                        for (int i = 0; i < 30; ) {
                            try {
                                library.inTransaction(HibernateTest::write);
                                i++;
                            } catch (RuntimeException e) {
                                if (!TestServer.isConflict(e)
                                        && !(e instanceof OptimisticLockException)) {
                                    throw e;
                                }
                            }
                        }
                        return null;
                    });
            assertThat(
                            server.rows(
                                    "SELECT books, version, (SELECT count(*) FROM book) FROM author"))
                    .isEqualTo("90|90|90");
        }
    }

    private static void write(Session session) {
        Author ada =
                session.createQuery("from Author", Author.class)
                        .setLockMode(LockModeType.PESSIMISTIC_WRITE)
                        .getSingleResult();
        ada.books++;
        session.persist(new Book(ada, "book " + ada.books));
    }
}
