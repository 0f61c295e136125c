package org.namdb.cli;

import org.namdb.cluster.config.HostPort;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads `host:port`.
final class AddressConverter implements ITypeConverter<HostPort> {
    @Override
    public HostPort convert(String text) {
        try {
            return HostPort.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
