package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.monitor.SessionActivity;
import org.slf4j.LoggerFactory;

/// The log of statements that take long, by the setting `log_min_duration_statement`.
class SlowStatementLogTest {
    @Test
    void statementsAreLoggedFromTheirTimeOn() {
        Logger logger = (Logger) LoggerFactory.getLogger(SessionActivity.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        try (SqlDatabase database =
                        SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64L << 20));
                SqlSession session = database.session()) {
            session.execute("SELECT 1").close();
            session.execute("SET log_min_duration_statement = '1h'").close();
            session.execute("SELECT 2").close();
            session.execute("SET log_min_duration_statement = 0").close();
            session.execute("SELECT 3").close();
            session.execute("SET log_min_duration_statement = -1").close();
            session.execute("SELECT 4").close();
        } finally {
            logger.detachAppender(logged);
        }
        assertThat(logged.list.stream().map(ILoggingEvent::getFormattedMessage))
                .hasSize(2)
                .first()
                .asString()
                .startsWith("duration: ")
                .endsWith("statement: SET log_min_duration_statement = 0");
        assertThat(logged.list.getLast().getFormattedMessage())
                .matches(
                        "duration: [0-9.]+ ms {2}user: namdb {2}verbs: [0-9]+ {2}round trips: [0-9]+ {2}statement: SELECT 3");
    }
}
