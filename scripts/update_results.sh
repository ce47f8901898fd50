#!/bin/sh
# Runs the experiments and writes RESULTS.md, and the table of README.md, from their result folders; docs/results.md from `spinnsim columns`.  The machine time, counts, joules and hashes in it are the same
# wherever it is run with the same guest compiler; of the host there is only what the recorded trainings have cost it.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<EOF
usage: scripts/update_results.sh [--check] [--columns] [--data DIR]

  --columns    only docs/results.md, and what goes with what in README.md, which need no run
  --check      write nothing: say whether both are what runs now (exit status 1 when they are not; 77 when that cannot be known here:
               no MNIST, no ARM programs, or programs of another compiler)
  --data DIR   where MNIST lies (else \$SPINNSIM_DATA and the other places)
The program is taken from \${BUILD:-build}.
EOF
}

check=no
columns=no
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=yes ;;
    --columns) columns=yes ;;
    --data)
        if [ $# -lt 2 ]; then
            usage >&2
            exit 2
        fi
        SPINNSIM_DATA=$2
        export SPINNSIM_DATA
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done

program=${BUILD:-build}/spinnsim
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$program" columns >"$out/columns.md"
if [ "$check" = yes ]; then
    diff -u docs/results.md "$out/columns.md"
else
    cp "$out/columns.md" docs/results.md
fi
"$program" config --matrix >"$out/matrix.md"
awk -v table="$out/matrix.md" '
    /^<!-- end of matrix/ { skip = 0 }
    !skip
    /^<!-- matrix/ { print ""; while ((getline row < table) > 0) print row; print ""; skip = 1 }' README.md >"$out/readme.md"
if [ "$check" = yes ]; then
    diff -u README.md "$out/readme.md"
else
    cp "$out/readme.md" README.md
fi
if [ "$columns" = yes ]; then
    exit
fi

if [ "$check" = yes ]; then
    if [ ! -e "${BUILD:-build}/workloads/lenet1_infer.elf" ]; then
        echo "skipped: no ARM programs were built"
        exit 77
    fi
    if ! "$program" run configs/experiments/lenet1_inference.yaml --set data.test_images=1 --set accept=null --force --out "$out/try" \
        >/dev/null 2>"$out/why"; then
        if grep -q 'data set mnist is not on this machine' "$out/why"; then
            echo "skipped: $(head -n 1 "$out/why")"
            exit 77
        fi
        cat "$out/why" >&2
        exit 1
    fi
    compiler=$(sed -n 's/.*"guest_compiler": "\(.*\)",*/\1/p' "$out/try/summary.json")
    if ! grep -qF "$compiler" RESULTS.md; then
        echo "skipped: the ARM programs were built with $compiler, those of RESULTS.md with another compiler"
        exit 77
    fi
fi

run() {
    mkdir -p "$out/published"
    "$program" run "configs/experiments/$1.yaml" --force --out "$out/$1" --threads "$(nproc)" --progress none >"$out/$1.txt"
}

# stands EXPERIMENT KEY: a number of summary.json that stands alone on its line.
stands() {
    awk -F'[:,]' -v key="\"$2\"" 'index($1, key) { print $2 + 0; exit }' "$out/$1/summary.json"
}

# Where a core's time goes, and what the image costs, from phases.csv: mean of the cores, for one image of each.
phases() {
    images=$(awk -F'[:,]' '/"images_tested"/ { print $2 + 0 }' "$out/$1/summary.json")
    awk -F, -v images="$images" '
        NR > 1 && $1 == "test" {
            name = $3 == "" ? $2 : $3
            cycles[name] += $4; joules[name] += $8; all += $4; total += $8
            if (!(name in seen)) { seen[name] = 1; order[++count] = name }
        }
        END {
            print "| phase | core cycles an image | share of core time | energy an image [uJ] | share of energy |"
            print "| --- | ---: | ---: | ---: | ---: |"
            for (i = 1; i <= count; i++) {
                name = order[i]
                printf "| %s | %.0f | %.1f %% | %.2f | %.1f %% |\n", name, cycles[name] / images, 100 * cycles[name] / all, \
                    1e6 * joules[name] / images, 100 * joules[name] / total
            }
        }' "$out/$1/phases.csv"
}

# The recorded trainings on the host: a row for each network, batch and length.
trainings() {
    awk -F, '
        function flush() {
            if (seeds > 0) {
                printf "| %s | %s | %d | %d | %d | 2^%d | %.0f %% | %.2f (%.2f to %.2f) | %.1f | %d |\n", network, optimizer, batch, epochs, \
                    epochs * int((60000 + batch - 1) / batch), log(rate) / log(2) - 0.5, 100 * warm_up, 100 * sum / seeds, \
                    100 * least, 100 * most, room, cuts
            }
        }
        NR == 1 { next }
        $1 != optimizer || $2 != network || $3 != batch || $4 != epochs { flush(); seeds = sum = most = cuts = 0; least = 1; room = 1e9 }
        { optimizer = $1; network = $2; batch = $3; epochs = $4; rate = $5; warm_up = $6; seeds++; sum += $8; cuts += $10
          if ($8 < least) least = $8
          if ($8 > most) most = $8
          if ($9 < room) room = $9 }
        END { flush() }' tests/golden/recorded/host_training.csv
}

# Words over the rings of a board, as recorded: a row for each number of parameters and cores.
exchanges() {
    awk -F, '
        function size(row) { return row == 3246 ? "LeNet-1" : row == 61706 ? "LeNet-5" : "FC-128" }
        function first(parameters, cores) { # a model of packets alone, at a pace of 0.9 with 12 cores
            if (cores != 12) return "-"
            return parameters == 3246 ? "0.29 / 0.44" : parameters == 61706 ? "5.32 / 8.0" : "8.76 / 13.2"
        }
        NR > 1 && $1 != "scan" && $9 == "rings" && $10 == 3 && $6 == "5 us" && $7 == 0.85 {
            printf "| %s | %d | %d | %d | %.3f | %.3f | %s | %.2f | %d | %d |\n", size($2), $2, $3, $4, $12 / 200000, $13 / 200000, \
                first($2, $3), $14 / 1e6, $15, $16
        }' tests/golden/recorded/exchange.csv
}

# The same: LeNet-1 on 12 cores in other ways.
other_exchanges() {
    awk -F, '
        NR > 1 && $1 == "lenet1" && $3 == 12 && !($9 == "rings" && $10 == 3 && $6 == "5 us" && $7 == 0.85) {
            way = $9 == "tree" ? "a tree to each chip" : $10 == 1 ? "one ring" : $10 == 2 ? "two rings" : "three rings"
            way = way (($6 == "5 us") ? "" : ", chips begin up to " $6 " apart")
            pace = $7 > 1 ? "none" : $7
            if ($11 == 0) printf "| %s | %s | %.3f | %.3f | %d | 0 |\n", way, pace, $12 / 200000, $13 / 200000, $15
            else printf "| %s | %s | fails | fails | - | %d |\n", way, pace, $16
        }' tests/golden/recorded/exchange.csv
}

# The same: runs without a loss, by pace and cores.
paces() {
    awk -F, '
        NR > 1 && $1 == "scan" {
            runs[$7, $3]++
            good[$7, $3] += $11 == 0 && $16 == 0
            if (!($7 in seen)) { seen[$7] = 1; order[++count] = $7 }
        }
        END {
            for (i = 1; i <= count; i++) {
                printf "| %s |", order[i]
                for (c = 1; c <= 3; c++) {
                    cores = c == 1 ? 3 : c == 2 ? 12 : 16
                    printf " %d of %d |", good[order[i], cores], runs[order[i], cores]
                }
                print ""
            }
        }' tests/golden/recorded/exchange.csv
}

# The recorded trainings on the modelled board: board_rows FORMAT, an awk expression over the columns by name.
board_rows() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        function of(name) { return $at[name] }
        { '"$1"' }' tests/golden/recorded/board_training.csv
}

# per_image EXPERIMENT: default joules an image.
per_image() {
    tr -d ' \n' <"$out/$1/summary.json" | sed 's/.*"joules_per_image":{"low":[^,]*,"default":\([^,]*\),.*/\1/'
}

# ratio A B: A / B.
ratio() {
    awk "BEGIN { printf \"%.2f\", $1 / $2 }"
}

for experiment in lenet1_inference lenet1_synthetic idle_chip busy_chip lenet1_board lenet1_packets; do
    run "$experiment"
done

run published/neuron_per_core_forward
status=0
run published/neuron_per_core_errors 2>/dev/null || status=$?
if [ "$status" -ne 3 ]; then
    echo "update_results.sh: published/neuron_per_core_errors does not hang any more (exit status $status)" >&2
    exit 1
fi
run published/neuron_per_core_reinjected
forward=published/neuron_per_core_forward
again=published/neuron_per_core_reinjected
errors=published/neuron_per_core_errors

cat >"$out/RESULTS.md" <<EOF
# Results

Written by \`scripts/update_results.sh\` from runs of the experiments in \`configs/experiments\`; a test runs it again and compares.
All figures are machine time and modelled joules: what the modelled machine takes, not the computer that models it. Ranges are the low
and high ends of the energy coefficients (\`configs/energy/spinnaker1.yaml\`), fully correlated. Scope "chips" is the chips with their
SDRAM, without board, power supply or host.

## One chip: LeNet-1 inference, idle and busy

$("$program" report "$out/lenet1_inference" "$out/lenet1_synthetic" "$out/idle_chip" "$out/busy_chip")

Each of the 17 application cores holds the whole network (int16, 3,246 parameters, 136,320 multiply-accumulates an image) and
classifies images of its own; all ten logits of every image equal those of the host's integers bit for bit (a test compares them).
The float64 column is the same network in double precision, over the whole test set.

**lenet1_inference: where the time and the energy go**

$(phases lenet1_inference)

\`static\` is the chip's idle power over the time of the test; the other rows are what core cycles and SDRAM traffic add.

## One SpiNN-5 board: LeNet-1 inference on 816 cores

$("$program" report "$out/lenet1_board" "$out/lenet1_packets")

lenet1_board: the same network on the 17 application cores of each of the board's 48 chips; every chip has its part of the images, and predictions,
confidences and logits are those of the one chip above, bit for bit (a test compares them). Energies are those of the board: chips, SDRAM and
what stands beside them (profile snab), without power supply or host.

lenet1_packets: one network a chip, its maps spread over the cores (4 for conv1, 12 for conv2, 1 for the output); pooled values travel as
multicast packets, one value each. The bits are the same; the board takes $(ratio "$(stands lenet1_packets seconds_test)" "$(stands lenet1_board seconds_test)") times as long for them and $(ratio "$(per_image lenet1_packets)" "$(per_image lenet1_board)") times the energy. $(stands lenet1_packets packets_sent) packets
(768 an image) arrive as $(stands lenet1_packets deliveries) copies, of which $(stands lenet1_packets dropped_packets) are lost; each copy is an interrupt at its receiver. lenet1_board sends $(stands lenet1_board packets_sent).

**lenet1_packets: where the time and the energy go**

$(phases lenet1_packets)

Packets that arrive are served in whatever phase the core is in. The four cores of conv1 set the pace, as no layer's map is divided; the
others wait for their packets (packets_wait).

## Training in the machine's integers: accuracy by batch

The host trains with the kernels, the order of images and the update of the modelled cores: the same bits, without time and joules. MNIST, 60,000
images an epoch, all 10,000 test images, three seeds (11 to 13); recorded by \`scripts/record_host_training.sh\`, four rows are run again by a test.

| network | optimizer | global batch | epochs | updates | rate | warm-up | accuracy [%]: mean (lowest to highest) | least head-room | cut |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
$(trainings)

Momentum 0.9. The rate is for the sum over the batch, Adam's is its step; it rises over the warm-up's share of the first epoch and falls
linearly to the end of the run. Head-room: how many times the
largest sum of gradients would fit into 32 bits. Cut: activations, errors and weights that were beyond 16 bits, in all three runs.

## What the kernels cost

One core, all data in its memory of one cycle, the compiler's programs of this page (\`workloads/micro/nn_kernels.c\`); a test holds the large
loops below 2.6 cycles a product, and compares the bits of all with those of the portable sources, on the ARM and on the host. Backward behind a pool,
a convolution takes only the outputs that have an error, one in four at most (\`gradient\`, \`input_sums\`); \`pool\`, \`choose\`, \`events\` and
\`round_errors\` have no products: cycles for each value. s16.15: portable C on values of 32 bits, whose products have 64.
float32: soft float, one call for each product and one for each sum (gradients: a rounding to a word instead); the numbers are random, and zeros cost less. int8: values and weights are
widened on the way, dense layers in portable C, convolutions by the loops of int16.

$(scripts/kernel_table.sh)

## Sums over the 48 chips of a board, and back

What data-parallel training does after each batch, without a network around it (\`micro/ring_exchange\`; recorded by
\`scripts/record_exchange.sh\`, rows are run again by a test): every chip has as many int32 words as the network has parameters, equally on its cores.
A reduce-scatter leaves their sums at owners, 1/48 on each chip; the owners' int16 values go back in pairs. Each core checks every word. Three rings
over links of their own, each core on one of them, one packet in 1/0.85 of a link's time; chips begin up to 5 us apart.

| network | words a chip | cores | words a core | reduce-scatter [ms] | both [ms] | first model [ms] | packets [M] | fullest link | lost |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
$(exchanges)

"First model": links and routers alone, without cores, at a pace of 0.9 where this is 0.85; with that in mind the two agree to 3 %. With 16 cores
the rings have 6, 5 and 5 of them: the first has more words and is the last to end. A word costs its receiver 31 cycles in both phases.

LeNet-1 on 12 cores in other ways:

| way | pace | reduce-scatter [ms] | both [ms] | fullest link | lost |
| --- | ---: | ---: | ---: | ---: | ---: |
$(other_exchanges)

Without a pace routers come to wait for each other at once: a router has one output stage, neighbours' packets for each other fill both, and
only giving up packets frees them. The first lost packet ends the run with its stream's name. Trees have fewer packets on the fullest link, but
a word waits for several neighbours, and cores cannot have slots on links that they share with others' streams.

Runs without a loss, of three seeds: four rounds of LeNet-1, chips begin up to 100 us apart.

| pace | 3 cores | 12 cores | 16 cores |
| ---: | ---: | ---: | ---: |
$(paces)

Links to the north take 1.09 times as long: 0.9 leaves them 2 %, and the signals by which successors open their predecessors' streams go there
too. So the default is 0.85. Before these signals kept some slots apart, 16 cores lost packets at that, too; the first model, which has no
such signals, lost none at 0.95.

## Training on one SpiNN-5 board

All of it executed by the modelled ARM cores: training on MNIST, 60,000 images an epoch (\`_to95\`: as many as it takes to 95 %), the test of all 10,000 test images too, each row one run;
the host puts images into SDRAM before the clock starts, says when an epoch or a test begins, and reads weights. Every training image is used once
an epoch (a hash of each is compared). Recorded by \`scripts/record_board_training.sh\`, seed 11 as in the experiments' files.

| experiment | network, mapping | batch | images | epochs | accuracy [%] | s an epoch | images/s | J an epoch (low to high) | mJ an image | packets lost |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
$(board_rows 'printf "| %s | %s, %s | %d | %d | %d | %.2f | %.3f | %d | %.2f (%.2f to %.2f) | %.3f | %d of %.1f million |\n", of("experiment"), of("network"),
    of("mapping"), of("batch"), of("images") / of("epochs"), of("epochs"), 100 * of("accuracy"), of("seconds_per_epoch"), of("images_per_second"), of("joules"), of("joules_low"),
    of("joules_high"), 1000 * of("joules") * of("epochs") / of("images"), of("dropped"), of("packets") / 1e6')

Joules are those of the board (chips, SDRAM and what stands beside them, profile snab), with the test apart; low and high as in \`configs/energy\`.
To 95 % of the test images (one seed; how many training images it takes was found on the host, which makes the same bits):
$(board_rows 'if (of("experiment") ~ /_to95$/) printf "%s %.3f s and %.2f J (%.2f to %.2f). ", of("network"), of("seconds_per_epoch"), of("joules"),
    of("joules_low"), of("joules_high")')
The programs' digests are in \`tests/golden/recorded/board_training.csv\`.
Loading (images over Ethernet) is not in these times: it is not modelled yet.

**Where an epoch's time goes** (core-seconds, divided by the cores)

| experiment | compute [s] | exchange between chips [s] | SDRAM [s] | waiting for each other [s] | sum [s] | epoch [s] |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
$(board_rows 'printf "| %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n", of("experiment"), of("compute") / of("epochs"), of("exchange") / of("epochs"),
    of("sdram") / of("epochs"), of("imbalance") / of("epochs"), (of("compute") + of("exchange") + of("sdram") + of("imbalance")) / of("epochs"),
    of("seconds_per_epoch")')

**What the runs cost the host** (not deterministic; the computer had other work, too)

| experiment | instructions of the cores | host seconds | threads |
| --- | ---: | ---: | ---: |
$(board_rows 'printf "| %s | %.1f billion | %d | %d |\n", of("experiment"), of("instructions") / 1e9, of("wall_seconds"), of("threads")')

## One neuron on each core: a published failure

A dissertation (github.com/jofas/master_thesis) laid networks over a SpiNN-5 with one neuron on each core. Forward this worked. Backward each
of 50 neurons multicast its error, times each of its 300 weights, to all 300 neurons of the layer before, which discarded what was
for others; packets were lost, and the program, waiting for one of them, hung. Here both run on the same 350 of 816 cores, senders spread over
0.5 ms of a tick of 5 ms (\`configs/experiments/published/neuron_per_core_*.yaml\`).

| | forward, 50 to 300 | errors, 50 to 300 | errors, dropped packets sent again |
| --- | ---: | ---: | ---: |
| packets sent | $(stands $forward packets_sent) | $(stands $errors packets_sent) | $(stands $again packets_sent) |
| deliveries asked for | 15000 | 4500000 | 4500000 |
| of them wanted | 15000 | 15000 | 15000 |
| delivered | $(stands $forward deliveries) | $(stands $errors deliveries) | $(stands $again deliveries) |
| packets dropped on the way, in any router | $(stands $forward dropped_packets) | $(stands $errors dropped_packets) | $(stands $again dropped_packets) |
| neurons that wait for ever | 0 | $(($(wc -l <"$out/$errors/waits.csv") - 1)) | 0 |
| exit status | 0 | 3 | 0 |

$(sed -n 's/^lost packets  *[0-9]*: drops.csv; the first at/The first packet is lost at/p' "$out/$errors.txt").
Each receiver takes a packet in longer than a link brings one, and a router sends a packet on only when all cores and links of its route are free:
so buffers fill from the receivers back to the senders, packets wait in several routers at once, and those that wait for more than 240 cycles
are dropped with all deliveries behind them. \`waits.csv\` of the run names each neuron and the keys that it has not got.
With a program on each monitor processor that sends dropped packets again (\`run.reinjector: true\`) all of them arrive: it sends all copies of a
packet, those that had left too, so there are more deliveries than were asked for, and neurons must not count one twice.

## Against published figures

$(scripts/validate.sh)

Kinds: C made the model's parameters, so agreement says only that the model is consistent; V was not used, the model predicts it; X is a rule
of thumb; rows without a published figure are what the model says, unvalidated. Each row is a run (\`scripts/validate.sh\`). Sources:

- network_tester (SpiNNakerManchester): the output kept with its example link_throughput. 16 cores, packets of 40 bits, routers that wait 240
  cycles; the mean is over 144 chips of three boards, here the mean of the single links' rates.
- workshop: S. Temple, "SpiNNaker Chip Resources", Manchester 2015.
- soak test: P. Camilleri, 2015: 28,000 blocks in 0.437 s, software included.
- round trips: I. Sugiarto, SpiNN-misc-Tests, 2016: 72 bits there, 40 bits back, 680,000 times, both served by the fast interrupt. It has made
  \`router.core_transit\`, with the official software, not with ours: with the spin1_api of spinnaker_tools and the test's own source the model
  says 477 cycles when a packet takes 135 ns from a router to a core, so 94 were missing each way, which makes 605 ns (assumed: 135 to 650).
  Of the model's cycles here 347 are hardware (two links, four passages of a router, twice that way), the others our runtime's, some 20
  fewer than the official software's: so this row does not agree better. Instructions (Dhrystone) and link rates have their own rows.
- SNABSuite (C. Ostrau et al., Frontiers in Neuroscience 16, 2022): the boards' direct-current input, profiles spin3 and snab.
- Painkras: E. Painkras et al., IEEE Journal of Solid-State Circuits 48, 2013, which does not say what ran; the published value lies at the
  end of the model's range.
EOF
# The quick start's table: what lenet1_inference prints, less the place of its results.
awk -v table="$out/lenet1_inference.txt" '
    /<!-- quickstart/ {
        print; print ""
        while ((getline line < table) > 0) if (line !~ /^results /) print "    " line
        print ""; skipping = 1; next
    }
    /<!-- end of quickstart/ { skipping = 0 }
    !skipping { print }
' README.md >"$out/README.md"

if [ "$check" = yes ]; then
    diff -u RESULTS.md "$out/RESULTS.md"
    diff -u README.md "$out/README.md"
    exit
fi
cp "$out/RESULTS.md" RESULTS.md
cp "$out/README.md" README.md
echo "RESULTS.md, README.md and docs/results.md written"
