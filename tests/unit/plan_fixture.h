/* plan_fixture.h - the load plan of LeNet-1 for a configuration text, and the machine that it is
 * for. */
#pragma once
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/config/config.h"
#include "sim/load/elf_image.h"
#include "sim/mapping/load_plan.h"
}

#include <gtest/gtest.h>

constexpr uint32_t PROGRAM_ITCM = 0x3500;
constexpr uint32_t PROGRAM_DTCM = 0x780;

/* A program that takes the given sizes of ITCM and DTCM. */
class fake_program
{
  public:
    fake_program()
    {
        segments[0].address = 0;
        segments[0].memory_bytes = PROGRAM_ITCM;
        segments[1].address = 0x00400000;
        segments[1].memory_bytes = PROGRAM_DTCM;
        image.segment = segments;
        image.segment_count = 2;
    }
    struct elf_image image = {};

  private:
    struct elf_segment segments[2] = {};
};

/* LeNet-1 with its synthetic weights, on the machine and with the data of the text. */
class plan_of
{
  public:
    explicit plan_of(const std::string &more, uint32_t image_count = 30)
        : network(lenet1()), weights(*network, "synthetic"),
          test("synthetic", DATASET_TEST, image_count < 30 ? image_count : 30)
    {
        const std::string text =
            "name: test\ndata: {set: synthetic}\nnetwork: {name: lenet1}\n" + more;
        struct config_request request = {};
        request.path = "test.yaml";
        request.text = text.data();
        request.text_bytes = text.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        EXPECT_EQ(config_load(&request, &config, &said_of), STATUS_OK) << said(said_of);
        test.dataset.count = image_count; /* more than exist: only the number is used */
        make();
    }
    ~plan_of()
    {
        load_plan_deinit(&plan);
        config_deinit(&config);
    }
    plan_of(const plan_of &) = delete;
    plan_of &operator=(const plan_of &) = delete;

    void make()
    {
        load_plan_deinit(&plan);
        struct plan_request request = {};
        request.config = &config;
        request.network = &network->network;
        request.table = network->table;
        request.parameters = reinterpret_cast<const uint8_t *>(weights->block);
        request.images = &test.dataset;
        request.program = &program.image;
        said_of = {};
        status = load_plan_make(&request, &plan, &said_of);
    }

    std::string where() const
    {
        return std::string(said_of.file) + ":" + std::to_string(said_of.line) + ":" +
               std::to_string(said_of.column) + " " + said_of.key;
    }

    std::unique_ptr<test_network> network;
    lenet1_weights weights;
    images test;
    fake_program program;
    struct sim_config config = {};
    struct load_plan plan = {};
    struct diagnostic said_of = {};
    enum status status;
};

class machine_of
{
  public:
    explicit machine_of(const struct sim_config &config)
    {
        struct machine_config wanted = {};
        struct diagnostic diagnostic = {};
        wanted.parameters = config.machine;
        wanted.timing = config.timing;
        wanted.topology = config.topology;
        EXPECT_EQ(machine_create(&wanted, &machine, &diagnostic), STATUS_OK) << said(diagnostic);
    }
    ~machine_of()
    {
        machine_destroy(machine);
    }
    machine_of(const machine_of &) = delete;
    machine_of &operator=(const machine_of &) = delete;

    byte_string read(uint32_t address, uint32_t count, struct machine_core core = {0, 0, 9}) const
    {
        byte_string bytes(count);
        EXPECT_EQ(machine_read(machine, core, address, bytes.data(), count), STATUS_OK);
        return bytes;
    }

    struct machine *machine = nullptr;
};
