package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.TpccOptions;
import org.namdb.workload.RunOptions;
import picocli.CommandLine;

/// The options of `nam tpcc` as their user gives them, and what is said to those that can't be.
class TpccCommandTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    --threads 0                     | --threads must be 1 to 16384, not 0
                    --threads -3                    | --threads must be 1 to 16384, not -3
                    --threads 20000                 | --threads must be 1 to 16384, not 20000
                    --threads x                     | Invalid value for option '--threads': 'x' is not an int
                    --threads 8 --slots 4           | --threads 8 needs a slot for each thread, but there are only 4
                    --slots 0                       | --slots must be 1 to 16384, not 0
                    --warehouses 0                  | --warehouses must be 1 to 32767, not 0
                    --warehouses 40000              | --warehouses must be 1 to 32767, not 40000
                    --warehouses 10000 --memory 1g  | --warehouses 10000 needs about 1.8 TiB of memory, but --memory gives 1 GiB
                    --memory 8x                     | Invalid value for option '--memory': a size is a whole number and a unit as in 512m or 8g, not '8x'
                    --memory -8g                    | Invalid value for option '--memory': a size is a whole number and a unit as in 512m or 8g, not '-8g'
                    --memory 64m --memory-servers 8 | --memory 64 MiB is too little for --memory-servers 8, of which each needs at least 16 MiB
                    --memory-servers 0              | --memory-servers must be 1 to 128, not 0
                    --memory-servers 129            | --memory-servers must be 1 to 128, not 129
                    --staleness 5m                  | --staleness must be less than half of the maximum transaction time, 600 s
                    --memory-servers 2 --vector-servers 3 | --vector-servers must be 1 to the number of --memory-servers, 2, not 3
                    --vector-servers 0              | --vector-servers must be 1 to the number of --memory-servers, 1, not 0
                    --duration 0s                   | --duration must be over 0 s and at most 7 days, not 0 s
                    --duration -5s                  | --duration must be over 0 s and at most 7 days, not -5 s
                    --duration 20                   | Invalid value for option '--duration': a duration is a whole number and a unit as in 500ms, 20s, 5m or 1h, not '20'
                    --warmup -1ms                   | --warmup must be 0 s to 7 days, not -1 ms
                    --staleness -1ms                | --staleness must be 0 s to 7 days, not -1 ms
                    --transactions 0                | --transactions must be 1 to 9223372036854775807, not 0
                    --transactions 9 --duration 1s  | --transactions and --duration both say when the run ends, so give one of them
                    --transactions 9 --warmup 1s    | --transactions counts from the first transaction on and can't be combined with --warmup
                    --mix 45,43,4,4                 | Invalid value for option '--mix': a mix is five percentages (NewOrder,Payment,OrderStatus,Delivery,StockLevel) as in 45,43,4,4,4, not '45,43,4,4'
                    --mix 45,43,4,4,x               | Invalid value for option '--mix': a mix is five percentages (NewOrder,Payment,OrderStatus,Delivery,StockLevel) as in 45,43,4,4,4, not '45,43,4,4,x'
                    --mix 49,43,4,4,-4              | Invalid value for option '--mix': a mix is five percentages (NewOrder,Payment,OrderStatus,Delivery,StockLevel) as in 45,43,4,4,4, not '49,43,4,4,-4'
                    --mix 45,43,4,4,5               | Invalid value for option '--mix': a mix must add up to 100, but 45,43,4,4,5 adds up to 101
                    --distribution 101              | --distribution must be 0 to 100, not 101
                    --distribution 5 --warehouses 1 | --distribution 5 needs a second warehouse, but there is only one
                    --item-skew zipf                | Invalid value for option '--item-skew': an item skew is standard, uniform or zipf:ALPHA as in zipf:0.9, not 'zipf'
                    --item-skew zipf:0              | Invalid value for option '--item-skew': a Zipf exponent must be over 0 and at most 10, not 0.0
                    --versions 0                    | --versions must be 1 to 64, not 0
                    --versions 65                   | --versions must be 1 to 64, not 65
                    --rate 0                        | --rate must be over 0 and at most 100000000 transactions/s, not 0.0
                    --rate NaN                      | --rate must be over 0 and at most 100000000 transactions/s, not NaN
                    --rate 5 --think-times          | --rate and --think-times both say when a transaction begins, so give one of them
                    --reads sideways                | Invalid value for option '--reads': must be one of in-place, landing, tearing, not 'sideways'
                    --oracle delphi                 | Invalid value for option '--oracle': must be one of chain, shared-chain, direct, not 'delphi'
                    --oracle shared-chain --staleness 1ms | --staleness is for --oracle chain: a shared chain has fresh snapshots only
                    --population 0                  | --population must be 1 to 100, not 0
                    --warehoses 4                   | Unknown options: '--warehoses', '4'
                    --history-sample 5              | --history-sample says what is in the history, so it needs --history
                    --history x --history-sample 0  | --history-sample must be 1 to 9223372036854775807, not 0
                    --history /proc                 | --history /proc can't be written: it is a directory
                    --history /no/such/file         | --history /no/such/file can't be written: there is no directory /no/such
                    --no-load                       | --no-load is about a database that is there already, so it needs --cluster or --data
                    --check                         | --check is about a database that is there already, so it needs --cluster or --data
                    --cluster c --memory 1g         | --memory is for a database in this process: with --cluster it is the cluster's own
                    --cluster c --memory-servers 2  | --memory-servers is for a database in this process: with --cluster it is the cluster's own
                    --cluster c --slots 9           | --slots is for a database in this process: with --cluster it is the cluster's own
                    --cluster c --reads in-place    | --reads is for a database in this process: with --cluster it is the cluster's own
                    --cluster c --vector-servers 1  | --vector-servers is for a database in this process: with --cluster it is the cluster's own
                    --cluster c --history h         | --history needs a database that no other process writes to, so it can't be combined with --cluster: nam history --cluster records what many processes do
                    --cluster c --check --out x     | --out is about running transactions, but --check runs none
                    --cluster c --check --threads 2 | --threads is about running transactions, but --check runs none
                    --cluster c --check --no-load   | --no-load is about running transactions, but --check runs none
                    --cluster c --versions 65       | --versions must be 1 to 64, not 65
                    --cluster c --transactions 0    | --transactions must be 1 to 9223372036854775807, not 0
                    --out /proc/version             | --out /proc/version can't be made a directory: a file is in its place
                    """)
    void whatCannotBeIsRefusedInOneSentenceWithStatusTwo(String arguments, String sentence) {
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        assertThat(nam.execute(("tpcc " + arguments).split(" +", -1))).isEqualTo(2);
        assertThat(output.toString()).isEmpty();
        assertThat(errors.toString().lines().findFirst()).contains("nam tpcc: " + sentence);
    }

    @Test
    void moreMemoryThanTheMachineHasIsRefused() {
        StringWriter errors = new StringWriter();
        CommandLine nam = Nam.commandLine();
        nam.setErr(new PrintWriter(errors, true));
        assertThat(nam.execute("tpcc", "--memory", "999t")).isEqualTo(2);
        assertThat(errors.toString())
                .matches(
                        "nam tpcc: --memory 999 TiB is more than the \\S+ [KMGT]iB of this machine\\R.*\\R");
    }

    @Test
    void everyOptionArrives() {
        TpccOptions options =
                parse(
                        "--warehouses 3 --threads 5 --duration 2m --warmup 500ms --memory-servers 4"
                                + " --memory 3g --slots 7 --seed 42 --out /tmp/x --mix 0,0,50,0,50"
                                + " --distribution 30 --item-skew zipf:1.5 --versions 9 --rate 1234.5"
                                + " --reads tearing --staleness 3ms --oracle direct --population 10"
                                + " --history /tmp/y --history-sample 9");
        assertThat(options.history()).isEqualTo(Path.of("/tmp/y"));
        assertThat(options.historySample()).isEqualTo(9);
        assertThat(options.scale().warehouses()).isEqualTo(3);
        assertThat(options.scale().populationPercent()).isEqualTo(10);
        assertThat(options.threads()).isEqualTo(5);
        assertThat(options.duration()).isEqualTo(Duration.ofMinutes(2));
        assertThat(options.warmup()).isEqualTo(Duration.ofMillis(500));
        assertThat(options.memoryServers()).isEqualTo(4);
        assertThat(options.memoryBytes()).isEqualTo(3L << 30);
        assertThat(options.slots()).isEqualTo(7);
        assertThat(options.seed()).isEqualTo(42);
        assertThat(options.out()).isEqualTo(Path.of("/tmp/x"));
        assertThat(options.mix()).isEqualTo(new Mix(List.of(0, 0, 50, 0, 50)));
        assertThat(options.distributionPercent()).isEqualTo(OptionalInt.of(30));
        assertThat(options.itemSkew()).isEqualTo(new ItemSkew.Zipf(1.5));
        assertThat(options.versions()).isEqualTo(9);
        assertThat(options.rateTps()).hasValue(1234.5);
        assertThat(options.reads()).isEqualTo(RunOptions.ReadMode.TEARING);
        assertThat(options.staleness()).isEqualTo(Duration.ofMillis(3));
        assertThat(options.oracle()).isEqualTo(Oracle.DIRECT);
    }

    @Test
    void thinkTimesAndTransactionsArrive() {
        TpccOptions options = parse("--think-times --transactions 1000");
        assertThat(options.thinkTimes()).isTrue();
        assertThat(options.transactions()).isEqualTo(OptionalLong.of(1000));
        assertThat(options.warmup()).isZero();
    }

    @Test
    void theClusterArrives() {
        TpccOptions options = parse("--cluster c.yaml --no-load --threads 100 --warehouses 9");
        assertThat(options.cluster().file()).isEqualTo(Path.of("c.yaml"));
        assertThat(options.loadsNothing()).isTrue();
        assertThat(options.checksOnly()).isFalse();
        assertThat(parse("--cluster c.yaml --check").checksOnly()).isTrue();
        assertThat(parse("--seed 1").cluster().file()).isNull();
    }

    @Test
    void withoutOptionsItIsTheStandardOnFourWarehouses() {
        TpccOptions options = parse("--seed 1");
        assertThat(options.scale().warehouses()).isEqualTo(4);
        assertThat(options.threads()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(options.duration()).isEqualTo(Duration.ofSeconds(20));
        assertThat(options.warmup()).isEqualTo(Duration.ofSeconds(5));
        assertThat(options.mix()).isEqualTo(Mix.STANDARD);
        assertThat(options.distributionPercent()).isEmpty();
        assertThat(options.itemSkew()).isEqualTo(new ItemSkew.Standard());
        assertThat(options.reads()).isEqualTo(RunOptions.ReadMode.IN_PLACE);
        assertThat(options.oracle()).isEqualTo(Oracle.CHAIN);
        assertThat(options.history()).isNull();
    }

    private static TpccOptions parse(String arguments) {
        TpccCommand command = new TpccCommand();
        TpccOptions.readBy(new CommandLine(command)).parseArgs(arguments.split(" +", -1));
        return command.checkedOptions();
    }
}
