package org.namdb.sql.engine;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.SessionContext;
import org.namdb.sql.engine.setting.Settings;

/// The settings of a session with those of its transaction block, for SET, SHOW and functions.
final class SessionSettings implements SessionContext {
    private final Settings settings;
    private final TransactionBlock block;
    private final int number;

    SessionSettings(Settings settings, TransactionBlock block, int number) {
        this.settings = settings;
        this.block = block;
        this.number = number;
    }

    @Override
    public String setting(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case Settings.ISOLATION -> block.isolation();
            case Settings.READ_ONLY -> block.isReadOnly() ? "on" : "off";
            default -> settings.show(name);
        };
    }

    @Override
    public void set(String name, String value, boolean isLocal) {
        assign(name.toLowerCase(Locale.ROOT), value, isLocal);
    }

    /// @param name in lower case
    /// @param value null for the initial one
    void assign(String name, @Nullable String value, boolean isLocal) {
        if (name.equals(Settings.ISOLATION) && value != null && block.isBlock()) {
            block.modes(value.toLowerCase(Locale.ROOT), null);
        } else if (name.equals(Settings.READ_ONLY) && value != null && block.isBlock()) {
            block.modes(null, !value.equalsIgnoreCase("off"));
        } else {
            settings.set(name, value, isLocal);
        }
    }

    @Override
    public int number() {
        return number;
    }
}
