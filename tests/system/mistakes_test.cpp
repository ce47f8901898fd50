/* mistakes_test.cpp - what users get wrong: each mistake has one message, which says what is wrong,
 * where, and what to do; exit status 2; nothing is written.  A new message is a new row. */
#include "tests/system/program.h"

#include <filesystem>

namespace fs = std::filesystem;

#define HEAD        "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: test\n"
#define NETWORK     HEAD "data: {set: synthetic, test_images: 5}\nnetwork: {name: lenet1}\n"
#define OWN_NETWORK HEAD "data: {set: synthetic, test_images: 5}\nnetwork: {name: net}\n"
#define TRAINING                                                                                   \
    HEAD "data: {set: synthetic, test_images: 5, train_images: 8}\nnetwork: {name: fc16}\n"        \
         "mode: train\n"

class Mistakes : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        write("afile", "text\n");
        write("text.elf", "no program");
        write("empty.elf", "");
        for (const char *name : {"empty", "other", "networks"}) {
            fs::create_directory(path(name));
        }
        write("other/precious", "x");
    }

    /* One line that says so, one with a hint. */
    void refused(words arguments, const std::string &says, int status = 2) const
    {
        const std::string configs = fs::path(experiment("hello")).parent_path().parent_path();
        for (std::string &argument : arguments) {
            const size_t at = argument.find("CONFIGS");
            argument = at != std::string::npos ? argument.replace(at, 7, configs) : argument;
            argument = argument == "PROGRAM" ? SPINN_PROGRAM : argument;
        }
        const words before = files("");
        const finished result = spinnsim(arguments);
        EXPECT_EQ(result.status, status) << result.err;
        EXPECT_EQ(result.out, "");
        const words said = lines(result.err);
        ASSERT_GE(said.size(), 2u) << result.err;
        EXPECT_NE(said[0].find(says), std::string::npos) << "not \"" << says << "\": " << said[0];
        const bool usage = said[1].find("Try `spinnsim ") == 0;
        EXPECT_TRUE(usage || (said.size() == 2 && said[1].find("    hint: ") == 0)) << result.err;
        EXPECT_EQ(files(""), before);
    }
};

TEST_F(Mistakes, InAConfiguration)
{
    const struct {
        const char *yaml;
        words more;
        const char *says;
    } rows[] = {
        {"", {}, "test.yaml: name: missing"},
        {"# only a comment\n", {}, "test.yaml: name: missing"},
        {"- a\n- b\n", {}, "test.yaml:1:1: a list where keys are expected"},
        {"name test\n", {}, "test.yaml:1:1: \"name test\" where keys are expected"},
        {"name: [test\n", {}, "test.yaml:2:1: not YAML: end of sequence flow not found"},
        {"name: 'test\n", {}, "test.yaml:1:7: this quote is never closed"},
        {"name: test\n\tclock: 3\n", {}, "test.yaml:2:1: a tab in the indentation"},
        {"name: test\nname: other\n", {}, "test.yaml:2:1: name: this key is given twice"},
        {"a: &x 1\nb: *x\n", {}, "test.yaml:1:4: anchors and aliases are not supported"},
        {"---\nname: a\n---\nname: b\n",
         {},
         "test.yaml:3:1: something follows the end of the document"},
        {"name: test\napp: []\n", {}, "test.yaml: energy: no energy coefficients"},
        {"include: boards/one_chip.yaml\nname: test\napp: []\n",
         {},
         "test.yaml:1:10: include: \"boards/one_chip.yaml\" where a list of files is expected"},
        {"include: [boards/two_chip.yaml]\nname: test\napp: []\n",
         {},
         "test.yaml:1:11: include[0]: cannot find \"boards/two_chip.yaml\""},
        {"include: [test.yaml]\nname: test\n",
         {},
         "test.yaml:1:11: include[0]: a file includes itself: test.yaml -> test.yaml"},
        {"include: [energy]\nname: test\n",
         {},
         "test.yaml:1:11: include[0]: \"energy\" is a folder"},
        {"include: [1]\n", {}, "test.yaml:1:11: include[0]: cannot find \"1\""},
        {HEAD, {}, "test.yaml: network.name: nothing to run"},
        {HEAD "app: []\nclok: {cpu: 200 MHz}\n", {}, "test.yaml:4:1: clok: unknown key"},
        {HEAD "app: []\nclock: {cpuu: 200 MHz}\n", {}, "test.yaml:4:9: clock.cpuu: unknown key"},
        {HEAD "app: []\nclock: 200 MHz\n",
         {},
         "test.yaml:4:8: clock: \"200 MHz\" where a group of keys is expected"},
        {HEAD "app: []\nclock: {cpu: [200 MHz]}\n",
         {},
         "test.yaml:4:14: clock.cpu: a list where a frequency is expected"},
        {HEAD "app: []\nclock: {cpu: 200}\n", {}, "test.yaml:4:14: clock.cpu: \"200\" has no unit"},
        {HEAD "app: []\nclock: {cpu: 200 mhz}\n",
         {},
         "test.yaml:4:14: clock.cpu: \"200 mhz\" has an unknown unit"},
        {HEAD "app: []\nclock: {cpu: 0.2 THz}\n",
         {},
         "test.yaml:4:14: clock.cpu: \"0.2 THz\" has an unknown unit"},
        {HEAD "app: []\nclock: {cpu: 200 ns}\n",
         {},
         "test.yaml:4:14: clock.cpu: \"200 ns\" is not a frequency"},
        {HEAD "app: []\nclock: {cpu: -200 MHz}\n",
         {},
         "test.yaml:4:14: clock.cpu: \"-200 MHz\" is not a frequency"},
        {HEAD "app: []\nclock: {cpu: 0 MHz}\n",
         {},
         "test.yaml:4:14: clock.cpu: \"0 MHz\" is out of range"},
        {HEAD "app: []\nclock: {cpu: 99999999999999999999 MHz}\n",
         {},
         "test.yaml:4:14: clock.cpu: \"99999999999999999999 MHz\" is out of range"},
        {HEAD "app: []\nclock: {cpu: null}\nchip: {cores: 1.5}\n",
         {},
         "test.yaml:5:15: chip.cores: \"1.5\" is not a whole number"},
        {HEAD "app: []\nchip: {cores: 0}\n",
         {},
         "test.yaml:4:15: chip.cores: \"0\" is out of range"},
        {HEAD "app: []\nchip: {cores: 18 cores}\n",
         {},
         "test.yaml:4:15: chip.cores: \"18 cores\": this key takes a whole number without a unit"},
        {HEAD "app: []\nsdram: {size: 1000000}\n",
         {},
         "test.yaml:4:15: sdram.size: \"1000000\" has no unit"},
        {HEAD "app: []\nsdram: {size: 1000000 B}\n",
         {},
         "test.yaml:4:15: sdram.size: \"1000000 B\" is out of range"},
        {HEAD "app: []\nsdram: {size: 128 MB}\n",
         {},
         "test.yaml:4:15: sdram.size: \"128 MB\" has an unknown unit"},
        {HEAD "app: []\nchip: {system_ram: 33 KiB}\n",
         {},
         "test.yaml:4:20: chip.system_ram: 33792 bytes are no multiple of 4096"},
        {HEAD "app: []\nchip: {system_ram: 34000 B}\n",
         {},
         "test.yaml:4:20: chip.system_ram: 34000 bytes are no multiple of 4096"},
        {HEAD "app: []\nchip: {dtcm: 65 KiB}\n",
         {},
         "test.yaml:4:8: chip.dtcm: 65 KiB is no power of two: a core reports it as 512 << n "
         "bytes"},
        {"include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: 'My Run'\napp: []\n",
         {},
         "test.yaml:2:7: name: \"My Run\" is not a name"},
        {"include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: ../up\napp: []\n",
         {},
         "test.yaml:2:7: name: \"../up\" is not a name"},
        {HEAD "app: []\nseed: -1\n", {}, "test.yaml:4:7: seed: \"-1\" is not a whole number"},
        {HEAD "app: []\nboard: {shape: cube}\n",
         {},
         "test.yaml:4:16: board.shape: \"cube\" is not one of the choices"},
        {HEAD "app: []\nrun: {simulated_time_limit: 10}\n",
         {},
         "test.yaml:4:29: run.simulated_time_limit: \"10\" has no unit"},
        {HEAD "app: []\nrecord: {counters: all}\n",
         {},
         "test.yaml:4:20: record.counters: \"all\" is not one of the choices"},
        {HEAD "app: []\naccept: {accuracy: {min: 0.9}}\n",
         {},
         "test.yaml:4:10: accept.accuracy: no effect beside app: it belongs to networks"},
        {HEAD "app: []\naccept: {seconds: {maximum: 1}}\n",
         {},
         "test.yaml:4:20: accept.seconds.maximum: unknown key"},
        {HEAD "app: []\naccept: {seconds: 1}\n",
         {},
         "test.yaml:4:19: accept.seconds: \"1\" where a group of keys is expected"},
        {HEAD "app: hello.elf\n", {}, "test.yaml:3:6: app: \"hello.elf\" where a list is expected"},
        {HEAD "app: [hello.elf]\n",
         {},
         "test.yaml:3:7: app[0]: \"hello.elf\" where a group of keys is expected"},
        {HEAD "app: [{cores: 1}]\n", {}, "test.yaml:3:7: app[0]: file is missing"},
        {HEAD "app: [{file: nothing.elf}]\n",
         {},
         "test.yaml:3:14: app[0].file: cannot find \"nothing.elf\""},
        {HEAD "app: [{file: hello.elf, cores: 18}]\n",
         {},
         "test.yaml:3:32: app[0].cores: \"18\" names no cores"},
        {HEAD "app: [{file: hello.elf, cores: 0}]\n",
         {},
         "test.yaml:3:32: app[0].cores: core 0 is the monitor processor's"},
        {HEAD "app: [{file: hello.elf, cores: all}]\n",
         {},
         "test.yaml:3:32: app[0].cores: \"all\" names no cores"},
        {HEAD "app: [{file: hello.elf, cores: \"3-1\"}]\n",
         {},
         "test.yaml:3:32: app[0].cores: \"3-1\" names no cores"},
        {HEAD "app: [{file: hello.elf, chips: \"1,0\"}]\n",
         {},
         "test.yaml:3:32: app[0].chips: no such chip on the board"},
        {HEAD "app: [{file: hello.elf, chips: 0}]\n",
         {},
         "test.yaml:3:32: app[0].chips: \"0\" names no chips"},
        {HEAD "app: [{file: hello.elf}, {file: hello.elf}]\n",
         {},
         "test.yaml:3:26: app[1]: two programs on the same core"},
        {HEAD "app: [{file: hello.elf, app_id: 300}]\n",
         {},
         "test.yaml:3:33: app[0].app_id: \"300\" is out of range"},
        {HEAD "app: [{file: test.yaml}]\n",
         {},
         "test.yaml: not an ELF file: no ELF magic number (offset 0)"},
        {HEAD "app: [{file: hello.elf}]\nnetwork: {name: lenet1}\n",
         {},
         "test.yaml:3:1: app: app and network in one configuration"},
        {HEAD "app: [{file: hello.elf, core: 1}]\n",
         {},
         "test.yaml:3:25: app[0].core: unknown key"},
        {HEAD "data: {set: synthetic, test_images: 5}\nnetwork: {name: lenet9}\n",
         {},
         "test.yaml:4:17: network.name: cannot find \"networks/lenet9.yaml\""},
        {HEAD "data: {set: synthetic, test_images: 5}\nnetwork: lenet1\n",
         {},
         "test.yaml:4:10: network: \"lenet1\" where a group of keys is expected"},
        {NETWORK "mode: learn\n", {}, "test.yaml:5:7: mode: \"learn\" is not one of the choices"},
        {NETWORK "mapping: {kind: neuron_blocks}\n",
         {},
         "test.yaml:5:17: mapping.kind: neuron_blocks is a mapping for training"},
        {NETWORK "mapping: {cores_per_chip: 18}\n",
         {},
         "test.yaml:5:11: mapping.cores_per_chip: more cores than a chip has: 18 of 17"},
        {NETWORK "mapping: {chips: 2}\n",
         {},
         "test.yaml:5:11: mapping.chips: more chips than the board has: 2 of 1"},
        {NETWORK "xnetwork: {number_format: int4}\n", {}, "test.yaml:5:1: xnetwork: unknown key"},
        {HEAD
         "data: {set: synthetic, test_images: 5}\nnetwork: {name: lenet1, number_format: int4}\n",
         {},
         "test.yaml:4:40: network.number_format: \"int4\" is not one of the choices"},
        {HEAD "data: {set: synthetic, test_images: 5}\nnetwork: {name: lenet1, number_format: "
              "float32}\n",
         {},
         "test.yaml:4:40: network.number_format: float32 has dense layers with ReLU only, and "
         "conv1 of network lenet1 is none"},
        {HEAD
         "data: {set: synthetic, test_images: 5}\nnetwork: {name: lenet1, weights: gone.npz}\n",
         {},
         "test.yaml:4:34: network.weights: cannot find \"gone.npz\""},
        {NETWORK,
         {"--set", "network.weights=gone.npz"},
         "--set: network.weights: cannot find \"gone.npz\""},
        {NETWORK,
         {"--set", "network.weights=CONFIGS/networks/fc128.yaml"},
         "networks/fc128.yaml: not an .npz file: no zip end record (offset 526)"},
        {HEAD "data: {set: synthetic, test_images: 5}\nnetwork: {name: lenet5}\n",
         {"--set", "network.weights=CONFIGS/networks/lenet1_mnist.npz"},
         "networks/lenet1_mnist.npz: network: these are weights of network lenet1, expected "
         "lenet5"},
        {NETWORK,
         {"--set", "network.name=lenet9"},
         "--set: network.name: cannot find \"networks/lenet9.yaml\""},
        {NETWORK, {"--set", "network.name="}, "--set: \"network.name=\": no value"},
        {HEAD "data: {set: synthetic, test_images: 10001}\nnetwork: {name: lenet1}\n",
         {},
         "test.yaml:3:37: data.test_images: 10001 test images are asked for, the set synthetic has "
         "10000"},
        {HEAD "data: {set: synthetic, train_images: 5}\nnetwork: {name: lenet1}\n",
         {},
         "test.yaml:3:24: data.train_images: no effect with mode: infer"},
        {NETWORK "train: {epochs: 1}\n",
         {},
         "test.yaml:5:9: train.epochs: no effect with mode: infer"},
        {HEAD "data: {set: cifar, test_images: 5}\nnetwork: {name: lenet1}\n",
         {},
         "test.yaml:3:13: data.set: \"cifar\" is not one of the choices"},
        {HEAD "data: {set: mnist, test_images: 5}\nnetwork: {name: lenet1}\n",
         {"--data", "nowhere"},
         "test.yaml:3:13: data.set: the data set mnist is not on this machine; looked in nowhere "
         "(no such folder)"},
        {NETWORK "test: {every_epochs: 1}\n",
         {},
         "test.yaml:5:8: test.every_epochs: no effect with mode: infer"},
        {TRAINING "train: {epochs: 0, global_batch: 4}\n",
         {},
         "test.yaml:6:17: train.epochs: \"0\" is out of range"},
        {TRAINING "train: {epochs: 1, global_batch: 4, learning_rate: 5}\n",
         {},
         "test.yaml:6:52: train.learning_rate: \"5\" is out of range"},
        {TRAINING "train: {epochs: 1, global_batch: 4, optimizer: nadam}\n",
         {},
         "test.yaml:6:48: train.optimizer: \"nadam\" is not one of the choices"},
        {TRAINING "train: {epochs: 1, global_batch: 4, momentum: 2}\n",
         {},
         "test.yaml:6:47: train.momentum: \"2\" is out of range"},
        {TRAINING "train: {epochs: 1, global_batch: 4, patience: 2}\n",
         {},
         "test.yaml:6:37: train.patience: there are no validation images to decide, and test "
         "images must not"},
        {TRAINING
         "train: {epochs: 1, global_batch: 4}\nmapping: {kind: replica_per_chip, chips: 48}\n",
         {},
         "test.yaml:7:35: mapping.chips: more chips than the board has: 48 of 1"},
        {TRAINING "train: {epochs: 1, global_batch: 4}\nmapping: {kind: feature_maps_per_core}\n",
         {},
         "test.yaml:7:17: mapping.kind: feature_maps_per_core is a mapping that only classifies"},
        {"include: [boards/one_chip.yaml]\nname: test\napp: []\n",
         {},
         "test.yaml: energy: no energy coefficients"},
        {HEAD "app: []\nenergy: {board_profile: spin9}\n",
         {},
         "test.yaml:4:25: energy.board_profile: no coefficient energy.board_spin9"},
        {HEAD "app: []\nenergy: {core_cycle: {value: 300 pJ}}\n",
         {},
         "energy/spinnaker1.yaml:30:11: energy.core_cycle.high: high is below value"},
        {HEAD "app: []\nenergy: {core_cycle: 145 pJ}\n",
         {},
         "test.yaml:4:22: energy.core_cycle: \"145 pJ\" where a group of keys is expected"},
        {HEAD "app: []\nenergy: {core_cycles: {value: 1 pJ}}\n",
         {},
         "test.yaml:4:10: energy.core_cycles: a coefficient without \"low\""},
        {HEAD "app: []\nenergy: {core_cycle: null}\n",
         {},
         "test.yaml:4:9: energy: this counter has no coefficient and is not free: "
         "core.active_cycles"},
        {HEAD "app: []\nenergy: {core_cycle: {value: 145 W}}\n",
         {},
         "test.yaml:4:30: energy.core_cycle.value: \"145 W\" is not an energy"},
        {HEAD "app: []\nfaults: {cores: [\"0,0,19\"]}\n",
         {},
         "test.yaml:4:10: faults.cores: unknown key"},
        {HEAD "app: []\nfaults: {chips: [\"0,0\"]}\n",
         {},
         "test.yaml:4:10: faults.chips: unknown key"},
        {HEAD "app: []\nfaults: {links: [\"0,0\"]}\n",
         {},
         "test.yaml:4:10: faults.links: unknown key"},
        {HEAD "app: []\nfaults: [\"0,0\"]\n",
         {},
         "test.yaml:4:9: faults: a list where a group of keys is expected"},
        {HEAD "data: {set: mnist}\nnetwork: {name: lenet1}\nbackend: host\n",
         {"--data", "zero"},
         "test.yaml:3:13: data.set: the data set mnist is not on this machine; looked in zero (no "
         "such folder)"},
        {HEAD "app: []\nfaults: {down_links: [\"0,0,7\"]}\n",
         {},
         "test.yaml:4:23: faults.down_links[0]: \"0,0,7\" names no link"},
        {HEAD "app: []\nfaults: {down_chips: [\"0,0\"]}\n",
         {},
         "test.yaml:4:22: faults.down_chips: all chips are down"},
        {HEAD "app: [{file: hello.elf, cores: 5}]\nchip: {cores: 4}\n",
         {},
         "test.yaml:3:32: app[0].cores: no such core on a chip: 5"},
        {HEAD "app: [{file: hello.elf, cores: [1, 1]}]\n",
         {},
         "test.yaml:3:36: app[0].cores[1]: core 1 stands here twice"},
        {NETWORK,
         {"--set", "network.number_format=float64"},
         "--set: network.number_format: the machine has no program that classifies with network "
         "lenet1 in float64 by replica_per_core"},
        {NETWORK,
         {"--set", "network.variant=ancient"},
         "--set: network.variant: \"ancient\" is not one of the choices"},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.yaml);
        write("test.yaml", row.yaml);
        words arguments = {"run", "test.yaml"};
        arguments.insert(arguments.end(), row.more.begin(), row.more.end());
        refused(arguments, row.says);
    }
}

TEST_F(Mistakes, InANetwork)
{
    const struct {
        const char *layers, *says;
    } rows[] = {
        {"  - {name: a, type: conv2d, maps: 3, kernel: 5}\n  - {name: b, type: conv2d, maps: 2, "
         "kernel: 5, links: [[1, 0], [1, 2]]}\n  - {name: o, type: dense, units: 10, activation: "
         "softmax}\n",
         "networks/net.yaml: weights: network net names no weights for synthetic"},
        {"  - {name: a, type: conv2d, maps: 3, kernel: 5}\n  - {name: b, type: conv2d, maps: 2, "
         "kernel: 5, links: [[0, 0], [1, 2]]}\n  - {name: o, type: dense, units: 10, activation: "
         "softmax}\n",
         "networks/net.yaml:6:61: layers[1].links[0][1]: input map 0 stands here twice"},
        {"  - {name: a, type: conv2d, maps: 3, kernel: 5}\n  - {name: b, type: conv2d, maps: 2, "
         "kernel: 5, links: [[0, 3], [1, 2]]}\n  - {name: o, type: dense, units: 10, activation: "
         "softmax}\n",
         "networks/net.yaml:6:5: b: layer b: a link comes from a map that its input does not have"},
        {"  - {name: a, type: conv2d, maps: 3, kernel: 5}\n  - {name: b, type: conv2d, maps: 2, "
         "kernel: 5, links: [[0]]}\n  - {name: o, type: dense, units: 10, activation: softmax}\n",
         "networks/net.yaml:6:56: layers[1].links: 1 lists of links for 2 maps"},
        {"  - {name: a, type: dense, units: 5000, activation: relu}\n  - {name: o, type: dense, "
         "units: 10, activation: softmax}\n",
         "networks/net.yaml:5:35: layers[0].units: \"5000\" is out of range"},
        {"  - {name: a, type: dense, units: 0}\n",
         "networks/net.yaml:5:35: layers[0].units: \"0\" is out of range"},
        {"  - {name: a, type: lstm}\n",
         "networks/net.yaml:5:21: layers[0].type: \"lstm\" is not one of the choices"},
        {"  - {name: a, type: dense, units: 5}\n",
         "networks/net.yaml:5:5: a: layer a: the last layer must be dense with activation: "
         "softmax, or rbf"},
        {"  - {type: dense, units: 10}\n", "networks/net.yaml:5:5: layers[0]: name is missing"},
    };
    write("test.yaml", OWN_NETWORK);
    for (const auto &row : rows) {
        write("networks/net.yaml", std::string("name: net\nvariant: modern\n"
                                               "input: {channels: 1, height: 28, width: 28}\n"
                                               "layers:\n") +
                                       row.layers);
        refused({"run", "test.yaml"}, row.says);
    }
}

TEST_F(Mistakes, OnTheCommandLine)
{
    const struct {
        int status;
        words arguments;
        const char *says;
    } rows[] = {
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "clock.cpu"},
         "--set: \"clock.cpu\": no \"=\""},
        {2, {"run", "CONFIGS/experiments/hello.yaml", "--set", "=3"}, "--set: \"=3\": not a key"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "clock.cpu="},
         "--set: \"clock.cpu=\": no value"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "clock.cpu=[1"},
         "--set: clock.cpu: a list or group as a key, or one that is never closed"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "clock=fast"},
         "--set: clock: \"fast\" where a group of keys is expected"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "Clock.cpu=200 MHz"},
         "--set: Clock: unknown key"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "clock.cpu.x=1"},
         "--set: clock.cpu: a group of keys where a frequency is expected"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "app[0].cores=1"},
         "--set: \"app[0].cores=1\": not a key"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "app.cores=1"},
         "--set: app: a group of keys where a list is expected"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "name=a b"},
         "--set: name: \"a b\" is not a name"},
        {2,
         {"run", "CONFIGS/experiments/hello.yaml", "--set", "include=x"},
         "--set: \"include=x\": includes stand in files"},
        {2, {"run"}, "spinnsim run: no file: name a configuration or a program"},
        {2, {"run", "a.yaml", "b.yaml"}, "spinnsim run: more than one file: a.yaml and b.yaml"},
        {2, {"run", "nothing.yaml"}, "nothing.yaml: cannot read: No such file or directory"},
        {2, {"run", "/"}, "/: cannot read: Is a directory"},
        {2,
         {"run", "--threads", "0", "CONFIGS/experiments/hello.yaml"},
         "spinnsim run: --threads: 0 is not a number from 1 to 256"},
        {2,
         {"run", "--tier", "fast", "CONFIGS/experiments/hello.yaml"},
         "spinnsim run: --tier: fast is none of auto, interpreter, translator"},
        {2,
         {"run", "--outt", "x", "CONFIGS/experiments/hello.yaml"},
         "spinnsim run: unrecognized option '--outt'"},
        {2, {"run", "--out"}, "spinnsim run: option '--out' requires an argument"},
        {2, {"run", "PROGRAM"}, "spinnsim: not a 32-bit little-endian ARM program (offset 4)"},
        {2, {"run", "text.elf"}, "text.elf: not an ELF file: too short (offset 0)"},
        {2, {"run", "empty.elf"}, "empty.elf: not an ELF file: too short (offset 0)"},
        {2,
         {"run", "--out", "/proc/none", "CONFIGS/experiments/hello.yaml"},
         "/proc/none: cannot write results: No such file or directory"},
        {2,
         {"run", "--out", "afile", "CONFIGS/experiments/hello.yaml"},
         "afile: cannot write results: Not a directory"},
        {2,
         {"run", "--out", "other", "CONFIGS/experiments/hello.yaml"},
         "other: the folder holds other files than results: precious"},
        {2,
         {"run", "--workloads", "nowhere", "CONFIGS/experiments/hello.yaml"},
         "experiments/hello.yaml:5:12: app[0].file: cannot find \"hello.elf\""},
        {2, {"sweep"}, "spinnsim sweep: no file: name a configuration"},
        {2, {"sweep", "CONFIGS/experiments/hello.yaml"}, "experiments/hello.yaml: no axis"},
        {2,
         {"sweep", "CONFIGS/experiments/hello.yaml", "--axis", "clock.cpu"},
         "--axis clock.cpu: no KEY=A,B,C"},
        {2,
         {"sweep", "CONFIGS/experiments/hello.yaml", "--axis", "clock.cpu="},
         "--axis clock.cpu=: no KEY=A,B,C"},
        {2,
         {"sweep", "CONFIGS/experiments/hello.yaml", "-j", "0", "--axis", "clock.cpu=100 MHz"},
         "spinnsim sweep: --jobs: 0 is not a number from 1 to 256"},
        {2, {"plot", "empty"}, "empty/summary.json: cannot read: No such file or directory"},
        {2, {"plot", "good", "--x", "clock.cpu"}, "spinnsim plot: --x and --y belong together"},
        {2, {"energy"}, "spinnsim energy: no folder: name a result folder"},
        {2, {"energy", "empty"}, "empty/summary.json: cannot read: No such file or directory"},
        {2,
         {"energy", "good", "--set", "clock.cpu=1 MHz"},
         "--set: \"clock.cpu=1 MHz\": not a key of energy"},
        {2,
         {"energy", "good", "--set", "energy.core_cycle.value=1"},
         "--set: energy.core_cycle.value: \"1\" has no unit"},
        {2,
         {"energy", "good", "--set", "energy.core_cycle.value"},
         "--set: \"energy.core_cycle.value\": no \"=\""},
        {2, {"energy", "afile"}, "afile/summary.json: cannot read: Not a directory"},
        {2, {"report", "empty"}, "empty/summary.json: cannot read: No such file or directory"},
        {2,
         {"columns", "nothing.csv"},
         "spinnsim columns: nothing.csv is no file of a result folder, and no quantity of one"},
        {2, {"network", "lenet9"}, "networks/lenet9.yaml: cannot read: No such file or directory"},
        {2, {"network"}, "spinnsim network: no network: name a network, as lenet5, or its file"},
        {112, {"elf"}, "spinnsim elf: no file: name a program"},
        {112, {"elf", "nothing.elf"}, "nothing.elf: cannot read: No such file or directory"},
        {112, {"elf", "text.elf"}, "text.elf: not an ELF file: too short (offset 0)"},
        {112, {"elf", "PROGRAM"}, "spinnsim: not a 32-bit little-endian ARM program (offset 4)"},
        {2, {"vectors"}, "spinnsim vectors: no file: name a file of vectors"},
        {2, {"vectors", "nothing"}, "nothing: cannot read: No such file or directory"},
        {2, {"vectors", "afile"}, "afile:1: not a vector: a field is missing or no number"},
        {2, {"validate", "x"}, "spinnsim validate: Too many arguments"},
        {2, {"diff", "good"}, "spinnsim diff: name a second result folder"},
        {2,
         {"diff", "good", "empty"},
         "empty/summary.json: cannot read: No such file or directory"},
        {2, {"version", "x"}, "spinnsim version: Too many arguments"},
        {2, {"man", "x"}, "spinnsim man: Too many arguments"},
        {2, {"run", "nothing.elf"}, "nothing.elf: cannot read: No such file or directory"},
        {2,
         {"run", "--resume", "empty", "--set", "data.set=synthetic", "--set",
          "data.train_images=200", "CONFIGS/experiments/fc128_train.yaml"},
         "empty/checkpoint.npz: cannot read: No such file or directory"},
        {2,
         {"run", "--resume", "nowhere", "--set", "data.set=synthetic", "--set",
          "data.train_images=200", "CONFIGS/experiments/fc128_train.yaml"},
         "nowhere/checkpoint.npz: cannot read: No such file or directory"},
        {2,
         {"run", "--resume", "good", "--set", "data.set=synthetic", "--set",
          "data.train_images=200", "CONFIGS/experiments/fc128_train.yaml"},
         "good/checkpoint.npz: cannot read: No such file or directory"},
        {2,
         {"run", "CONFIGS/experiments/fc128_train.yaml", "--set", "data.set=synthetic", "--set",
          "data.train_images=0"},
         "--set: data.train_images: nothing to train with"},
        {2, {"regress", "nothing"}, "nothing: there is no such folder, and no golden of that name"},
        {2,
         {"regress", "--add", "nothing.yaml"},
         "nothing.yaml: cannot read: No such file or directory"},
        {2, {"regress", "empty"}, "empty: no goldens here"},
        {2, {"regress", "afile"}, "afile: there is no such folder, and no golden of that name"},
        {2,
         {"report", "--template", "nothing", "good"},
         "nothing: cannot read: No such file or directory"},
        {2,
         {"report", "--template", "afile", "good", "good"},
         "spinnsim report: --template takes one folder"},
        {2, {"plot", "good", "--out", "afile"}, "afile: cannot make folder: File exists"},
    };
    run(experiment("hello"), "good");
    for (const auto &row : rows) {
        refused(row.arguments, row.says, row.status);
    }
}

/* What a file names is looked for beside it; what --set names, in the working folder first. */
TEST_F(Mistakes, FilesOfOverridesAreFoundBesideTheExperiment)
{
    fs::create_directories(path("own/networks"));
    fs::copy_file(fs::path(experiment("hello")).parent_path().parent_path() /
                      "networks/lenet1.yaml",
                  path("own/networks/mine.yaml"));
    write("own/test.yaml", NETWORK "backend: host\n");
    const finished found =
        spinnsim({"run", "own/test.yaml", "--set", "network.name=mine", "--out", "out"});
    EXPECT_EQ(found.err.find("spinnsim: own/networks/lenet1_synthetic.npz: cannot read"), 0u)
        << found.err << "the network was found, and its weights looked for beside it";
}

/* An axis whose values no point can take is a mistake, not an empty table. */
TEST_F(Mistakes, OfASweepThatHasNoPointLeft)
{
    const finished wrong = spinnsim({"sweep", experiment("hello"), "--axis", "clock.cpux=1,2"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.err, "spinnsim: --axis: clock.cpux: unknown key\n"
                         "    hint: did you mean \"cpu\"?\n");
    const finished all =
        spinnsim({"sweep", experiment("hello"), "--axis", "clock.cpu=100,200", "--out", "none"});
    EXPECT_EQ(all.status, 2);
    EXPECT_EQ(all.err, "spinnsim: every point is refused: clock.cpu: \"100\" has no unit\n");
    for (const std::string look : {"--list", "--dry-run"}) {
        const finished looked =
            spinnsim({"sweep", experiment("hello"), "--axis", "clock.cpu=100,100,200", look});
        EXPECT_EQ(looked.status, 2) << look;
        EXPECT_EQ(looked.err, all.err) << look;
        EXPECT_EQ(looked.out.find("refused: point 1 to 2: clock.cpu: \"100\" has no unit\n"
                                  "refused: point 3: clock.cpu: \"200\"") != std::string::npos,
                  look == "--dry-run")
            << looked.out;
    }
    const finished half =
        spinnsim({"sweep", experiment("hello"), "--axis", "clock.cpu=100 MHz,200"});
    EXPECT_EQ(half.status, 0) << half.err;
    EXPECT_NE(half.out.find("\nfirst refused   point 2: clock.cpu: \"200\" has no unit\n"),
              std::string::npos)
        << half.out;
}
