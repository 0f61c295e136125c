package org.namdb.cluster.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.namdb.cluster.config.ClusterSettings.Chosen;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A YAML file as settings by their names, each with its line: `memory-servers[0].address`.
final class YamlSettings {
    private final Path file;
    private final Map<String, Chosen> chosen = new LinkedHashMap<>();

    private YamlSettings(Path file) {
        this.file = file;
    }

    /// @throws ConfigException if it is not there, or no YAML
    static Map<String, Chosen> read(Path file) {
        YamlSettings settings = new YamlSettings(file);
        Optional<Node> root = settings.compose();
        if (root.isPresent()) {
            settings.walk("", root.get());
        }
        return settings.chosen;
    }

    private Optional<Node> compose() {
        LoadSettings how = LoadSettings.builder().setLabel(file.toString()).build();
        try {
            return new Compose(how).composeString(Files.readString(file));
        } catch (NoSuchFileException e) {
            throw new ConfigException("there is no file " + file);
        } catch (IOException e) {
            throw new ConfigException("%s can't be read: %s".formatted(file, e.getMessage()));
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw new ConfigException("%s:%d: no YAML: %s".formatted(file, line, e.getProblem()));
        } catch (YamlEngineException e) {
            throw new ConfigException("%s: no YAML: %s".formatted(file, e.getMessage()));
        }
    }

    private void walk(String name, Node node) {
        switch (node) {
            case MappingNode mapping -> mapping.getValue().forEach(each -> walk(name, each));
            case SequenceNode list -> {
                int position = 0;
                for (Node item : list.getValue()) {
                    walk(name + "[" + position + "]", item);
                    position++;
                }
            }
            case ScalarNode scalar when name.isEmpty() && scalar.getTag().equals(Tag.NULL) -> {}
            case ScalarNode scalar -> put(name, scalar);
            default -> throw refuse(node, "an alias has no place here");
        }
    }

    private void walk(String name, NodeTuple entry) {
        if (!(entry.getKeyNode() instanceof ScalarNode key)) {
            throw refuse(entry.getKeyNode(), "the name of a setting is a word");
        }
        walk(name.isEmpty() ? key.getValue() : name + "." + key.getValue(), entry.getValueNode());
    }

    private void put(String name, ScalarNode scalar) {
        Origin origin = new Origin.FileLine(file, line(scalar));
        Chosen before = chosen.put(name, new Chosen(scalar.getValue(), origin));
        if (before != null) {
            throw refuse(scalar, "%s has a value already, at %s".formatted(name, before.origin()));
        }
    }

    private ConfigException refuse(Node node, String what) {
        return new ConfigException("%s:%d: %s".formatted(file, line(node), what));
    }

    private static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }
}
