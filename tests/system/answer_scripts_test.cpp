/* answer_scripts_test.cpp - the scripts of the answer: joules.awk computes what the simulator does,
 * without a line of it, and refuses what it was not given; the tables of tables.awk, computed by
 * hand. */
#include "tests/system/training_fixture.h"

#include <filesystem>
#include <tuple>

namespace
{

const std::string SCRIPTS = SPINN_SOURCE_DIR "/scripts/study/";
const std::string COEFFICIENTS = SPINN_SOURCE_DIR "/configs/energy/spinnaker1.yaml";

finished awk(const std::string &script, const words &files, const std::string &folder)
{
    words command = {"awk", "-F,", "-f", SCRIPTS + script};
    command.insert(command.end(), files.begin(), files.end());
    return run_command(command, folder);
}

class AnswerScripts : public SystemTest
{
  protected:
    /* Makes the tables of the study of these. */
    void tables(const words &files) const
    {
        words command = {"awk", "-F,", "-v", "out=.", "-f", SCRIPTS + "tables.awk"};
        command.insert(command.end(), files.begin(), files.end());
        const finished made = run_command(command, folder);
        EXPECT_EQ(made.status, 0) << made.err;
        EXPECT_EQ(made.out + made.err, "");
    }
};

const char *const TINY_COEFFICIENTS = "# a comment\n"
                                      "energy:\n"
                                      "  chip:\n"
                                      "    value: 2 W\n"
                                      "    low: 500 mW\n"
                                      "    high: 4 W # at most\n"
                                      "    per: chip\n"
                                      "  core_cycle:\n"
                                      "    value: 2 nJ\n"
                                      "    low: 500 pJ\n"
                                      "    high: 0.004 uJ\n"
                                      "    per: core.active_cycles\n"
                                      "    source: \"1 W, of one\"\n"
                                      "  sdram_byte:\n"
                                      "    value: 2 mJ\n"
                                      "    low: 1 mJ\n"
                                      "    high: 3 mJ\n"
                                      "    per: [sdram.bytes_read, sdram.bytes_written]\n"
                                      "  clocks:\n"
                                      "    cpu: {low: 180 MHz, high: 200 MHz}\n"
                                      "  board_snab:\n"
                                      "    value: 6 W\n"
                                      "    low: 6 W\n"
                                      "    high: 10 W\n"
                                      "    per: board\n"
                                      "  board_s14:\n"
                                      "    value: 20 W\n"
                                      "    low: 20 W\n"
                                      "    high: 20 W\n"
                                      "    per: board\n"
                                      "  free:\n"
                                      "    - core.instructions\n";

const char *const TINY_COUNTS[] = {"s,a,time_ps,500000000000\n",
                                   "s,a,chips,4\n",
                                   "s,a,boards,1\n",
                                   "s,a,core.active_cycles,1000\n",
                                   "s,a,sdram.bytes_read,3\n",
                                   "s,a,sdram.bytes_written,4\n"};

TEST_F(AnswerScripts, JoulesAreCountsTimesCoefficients)
{
    write("c.yaml", TINY_COEFFICIENTS);
    std::string counts = "sweep,cell,counter,count\n";
    for (const char *line : TINY_COUNTS) {
        counts += line;
    }
    write("counts.csv", counts);
    const finished made = awk("joules.awk", {"c.yaml", "counts.csv"}, folder);
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out, "cell,term,low,default,high\n"
                        "a,chip,1,4,8\n"
                        "a,core_cycle,5e-07,2e-06,4e-06\n"
                        "a,sdram_byte,0.007,0.014,0.021\n"
                        "a,board_snab,3,3,5\n");
    const finished other = run_command(
        {"awk", "-F,", "-v", "profile=s14", "-f", SCRIPTS + "joules.awk", "c.yaml", "counts.csv"},
        folder);
    EXPECT_NE(other.out.find("a,board_s14,10,10,10\n"), std::string::npos) << other.out;
    EXPECT_EQ(other.out.find("snab"), std::string::npos) << other.out;
}

TEST_F(AnswerScripts, JoulesNeedEveryCount)
{
    write("c.yaml", TINY_COEFFICIENTS);
    for (const char *missing : TINY_COUNTS) {
        std::string counts = "sweep,cell,counter,count\n";
        for (const char *line : TINY_COUNTS) {
            counts += line == missing ? "" : line;
        }
        write("counts.csv", counts);
        const finished made = awk("joules.awk", {"c.yaml", "counts.csv"}, folder);
        const std::string counter =
            std::string(missing).substr(4, std::string(missing).rfind(',') - 4);
        EXPECT_EQ(made.status, 1) << counter;
        EXPECT_EQ(made.err, "joules.awk: a has no count of " + counter + "\n");
    }
}

/* 60,000 images in 6 s on a chip with 12, 18 or 36 J; in 1.5 s on a board that was trained in full,
 * its sample (3 s) aside; in 3 s with 6, 12 or 24 J on a core.  95 % take 20,000 images, 97 %
 * 50,000. */
TEST_F(AnswerScripts, TableIsWhatAHandComputes)
{
    write("coefficients.csv", "coefficient,low,default,high\n"
                              "sdram_byte,1,2,4\n"
                              "router_bit,1,1,1\n"
                              "board_snab,1,2,4\n");
    write("terms.csv", "cell,term,low,default,high\n"
                       "lenet1_chip,core_cycle,6,12,24\n"
                       "lenet1_chip,chip,6,6,12\n"
                       "lenet1_board,core_cycle,100,100,100\n"
                       "lenet1_board,chip,2,2,2\n"
                       "lenet1_board,sdram_background,1,1,1\n"
                       "lenet1_board,board_snab,3,6,9\n"
                       "lenet1_train,core_cycle,12,24,48\n"
                       "lenet1_board_accelegrad_384,chip,4,8,16\n"
                       "fc128_chip,chip,6,6,6\n");
    write("needed.csv",
          "network,program,recipe,learning_rate,target,validation_needed,images,seeds_validated\n"
          "lenet1,int16,momentum_192,0.25,9500,9550,20000,10\n"
          "lenet1,int16,momentum_192,0.25,9700,9740,50000,9\n"
          "lenet1,int16,momentum_192,0.25,9800,9830,,\n"
          "lenet1,int16,momentum_192,0.5,9700,9740,55000,9\n"
          "lenet1,int16,momentum_192,0.5,9800,9830,90000,9\n"
          "lenet1,int16,accelegrad_384,0.25,9700,9740,40000,10\n"
          "lenet1,float32,momentum_192,0.25,9700,9740,55000,10\n"
          "lenet1,float32,momentum_32,0.25,9700,9740,15000,9\n"
          "lenet1,float32,momentum_16,0.25,9700,9740,10000,9\n"
          "fc128,int16,momentum_192,0.25,9800,9830,,\n"
          "fc300_100,int16,momentum_192,0.25,9500,9550,30000,10\n");
    write("batches.csv", "network,images,optimizer,batch,cpu_seconds\n"
                         "lenet1,60000,momentum,192,2\n"
                         "lenet1,60000,momentum,16,3\n"
                         "fc300_100,60000,momentum,192,6\n"
                         "fc300_100,60000,momentum,96,4\n");
    write("board_training.csv", "experiment,network,mapping,epochs,images,seconds_per_epoch\n"
                                "lenet1_train_five,lenet1,rings,5,300000,77\n"
                                "lenet1_train,lenet1,rings,1,60000,1.5\n"
                                "lenet1_train_to95,lenet1,rings,1,25000,77\n");
    write(
        "baselines.csv",
        "experiment,network,program,threads,processes,images,seconds_train,joules_kind,"
        "joules_low,joules,joules_high,optimizer,batch,"
        "gflops,cpu,instructions\n"
        "fc300_100_train,fc300_100,float32,1,1,60000,2,assumed,2,4,8,momentum,96,1,c,v\n"
        "lenet1_train,lenet1,float32,1,1,60000,3,assumed,6,12,24,momentum,192,1,c,v\n"
        "lenet1_train,lenet1,float32,1,1,60000,3.3,assumed,6.6,13.2,26.4,momentum,32,1,c,v\n"
        "lenet1_train,lenet1,float32,4,1,60000,1,assumed,6,12,24,momentum,192,1,c,v\n"
        "lenet1_train,lenet1,int16,1,1,60000,6,assumed,6,12,24,momentum,192,1,c,v\n"
        "lenet1_train,lenet1,torch 1.13.0a0 cpu,1,1,60000,12,assumed,24,48,96,momentum,192,1,c,v\n"
        "lenet1_train,lenet1,torch 1.13.0a0 cuda,1,1,60000,0.5,measured,6,6,6,momentum,192,1,c,v\n"
        "boosted,lenet1,float32,1,1,60000,6,assumed,6,12,24,,384,1,c,v\n");
    const std::string cells =
        "cell,network,platform,mapping,optimizer,batch,seconds,loading_seconds,"
        "loading_sdram_bytes,loading_router_bits,chips\n"
        "lenet1_chip,lenet1,chip,rings,momentum,192,6,3,10,5,1\n"
        "lenet1_board,lenet1,board,rings,momentum,192,3,3,0,5,2\n"
        "lenet1_board_accelegrad_384,lenet1,board,rings,accelegrad,384,1.2,3,0,5,2\n"
        "fc128_chip,fc128,chip,blocks,momentum,192,60,3,0,0,1\n";
    write("cells.csv", cells);
    tables({"coefficients.csv", "terms.csv", "needed.csv", "batches.csv", "board_training.csv",
            "baselines.csv", "cells.csv"});
    const std::string head =
        "cell,network,machine,time,joules_kind,scope,images_per_second,joules_image_low,"
        "joules_image,joules_image_high,seconds_95,joules_95_low,joules_95,joules_95_high,"
        "seconds_97,joules_97_low,joules_97,joules_97_high,seconds_98,joules_98_low,joules_98,"
        "joules_98_high,loading_seconds,loading_joules_low,loading_joules,loading_joules_high,"
        "speed_over_core,joules_over_core_least,joules_over_core,joules_over_core_most,"
        "network_shown,machine_shown,in_results";
    const std::string expected =
        head +
        "\n"
        /* Loading: 3 s at 0.1 W. */
        "fc128_chip,fc128,chip,sampled,modelled,chips,1000,0.0001,0.0001,0.0001,"
        ",,,,,,,,,,,,3,0.3,0.3,0.3,,,,,FC-128,\"one chip, 16 cores\",yes\n"
        /* Measured with 96 images, which take 4 s where 192 take 6. */
        "fc300_100_cpu_core,fc300_100,cpu_core,derived,assumed,cores,20000,5e-05,0.0001,0.0002,"
        "1.5,1.5,3,6,,,,,,,,,,,,,1,1,1,1,FC-300-100,\"CPU, 1 core, float32\",yes\n"
        /* Loading: 3 s at 1, 1 or 2 W, 10 bytes of 1, 2 or 4 J, 5 bits of 1 J. */
        "lenet1_chip,lenet1,chip,sampled,modelled,chips,10000,0.0002,0.0003,0.0006,"
        "2,4,6,12,5,10,15,30,,,,,3,18,28,51,0.5,0.5,1.5,6,LeNet-1,\"one chip, 16 cores\",yes\n"
        /* Loading: 3 s at 2, 3 or 4 W, 5 bits of 1 J. */
        "lenet1_board,lenet1,board,executed,modelled,board,40000,0.0002,0.0004,0.0008,"
        "0.5,4,8,16,1.25,10,20,40,,,,,3,11,14,17,2,0.5,2,8,LeNet-1,\"**SpiNN-5, 48 chips**\",yes\n"
        "lenet1_cpu_core,lenet1,cpu_core,measured,assumed,cores,20000,0.0001,0.0002,0.0004,"
        "1,2,4,8,2.5,5,10,20,,,,,,,,,1,1,1,1,LeNet-1,\"CPU, 1 core, float32\",yes\n"
        "lenet1_4_threads,lenet1,4_threads,measured,assumed,cores,60000,0.0001,0.0002,0.0004,"
        "0.333333,2,4,8,0.833333,5,10,20,,,,,,,,,3,0.25,1,4,"
        "LeNet-1,\"CPU, 4 threads, float32\",yes\n"
        "lenet1_cpu_core_torch,lenet1,cpu_core_torch,measured,assumed,cores,5000,0.0004,0.0008,"
        "0.0016,4,8,16,32,10,20,40,80,,,,,,,,,0.25,1,4,16,LeNet-1,\"CPU, 1 core, PyTorch\",no\n"
        "lenet1_gpu,lenet1,gpu,measured,measured,card,120000,0.0001,0.0001,0.0001,"
        "0.166667,2,2,2,0.416667,5,5,5,,,,,,,,,6,0.25,0.5,1,LeNet-1,\"GPU, PyTorch\",yes\n";
    EXPECT_EQ(read("answer.csv"), expected);
    for (const auto &of : table_rows(expected)) {
        EXPECT_EQ(of.size(), 33u); /* every row as long as the head */
    }
    /* The board takes 40,000 images in batches of 384 instead of 50,000, and a core 10,000 in
     * batches of 16, which take it 1.5 times as long. */
    std::string best;
    for (const auto &of : table_rows(read("best.csv"))) {
        best += of.at("cell") + " " + of.at("recipe_95") + " " + of.at("seconds_95") + ", " +
                of.at("recipe_97") + " " + of.at("images_97") + " " + of.at("seeds_97") + " " +
                of.at("time_97") + " " + of.at("seconds_97") + " " + of.at("joules_97_low") + " " +
                of.at("joules_97") + " " + of.at("joules_97_high") + " " +
                of.at("speed_over_core_97") + " " + of.at("joules_over_core_97") + "\n";
        const bool spinnaker = of.at("joules_kind") == "modelled";
        EXPECT_EQ(of.at("recipe_98"), spinnaker ? "momentum_192" : "");
        EXPECT_EQ(of.at("rate_98"), spinnaker ? "0.5" : "");
        EXPECT_EQ(of.at("images_98"), spinnaker ? "90000" : "");
        EXPECT_EQ(of.at("cold_slow"), "") << "without rates of loading";
    }
    EXPECT_EQ(
        best,
        "lenet1_chip momentum_192 2, momentum_192 50000 9 sampled 5 10 15 30 0.15 5\n"
        "lenet1_board momentum_192 0.5, accelegrad_384 40000 10 sampled 0.8 2.66667 5.33333 "
        "10.6667 0.9375 1.77778\n"
        "lenet1_cpu_core  , momentum_16 10000 9 derived 0.75 1.5 3 6 1 1\n"
        "lenet1_4_threads  , momentum_192 55000 10 measured 0.916667 5.5 11 22 0.818182 "
        "3.66667\n"
        "lenet1_cpu_core_torch  , momentum_192 55000 10 measured 11 22 44 88 0.0681818 "
        "14.6667\n"
        "lenet1_gpu  , momentum_192 55000 10 measured 0.458333 5.5 5.5 5.5 1.63636 1.83333\n");
    /* Two chips of 5 s and 10, 15 or 30 J, and 1, 2 or 4 W of their board, beside 0.75 s and 1.5, 3
     * or 6 J. */
    EXPECT_EQ(read("side_by_side.csv"),
              "network,trainings,seconds,speed_over_core,joules,joules_over_core_least,"
              "joules_over_core,joules_over_core_most,desktop_least,desktop,desktop_most,"
              "desktop_share_least,desktop_share,desktop_share_most\n"
              "lenet1,2,2.5,0.3,20,2.08333,6.66667,26.6667,,,,,,\n");
    const auto facts = table_rows(read("facts.csv")).at(0);
    EXPECT_EQ(facts.at("derived_least"), "1.5");
    EXPECT_EQ(facts.at("derived_most"), "1.5");
}

/* An epoch of 1.5 s on a board takes 18, 30 or 60 J, of which 6, 6 or 12 J are not the chips'; a
 * core takes 3 s, and 0.5 s to read the images. */
TEST_F(AnswerScripts, EqualScopesAreWhatAHandComputes)
{
    write("coefficients.csv", "coefficient,low,default,high\nsdram_byte,1,2,4\nrouter_bit,1,1,1\n");
    write("terms.csv", "cell,term,low,default,high\n"
                       "lenet1_train,core_cycle,12,24,48\n"
                       "lenet1_train,board_snab,6,6,12\n"
                       "lenet1_board,chip,3,6,9\n");
    write("scopes.csv", "id,low,high,unit,kind,source\n"
                        "share,2,2,W,derived,s\n"
                        "desktop,2,8,W,derived,s\n"
                        "supply,0.25,1,of the input,derived,s\n");
    write("loading_rates.csv",
          "megabits,protocol,kind,source\n8,slow,cited,s\n16,fast,derived,s\n");
    write("needed.csv",
          "network,program,recipe,learning_rate,target,validation_needed,images,seeds_validated\n"
          "lenet1,int16,momentum_192,1,9700,9740,30000,10\n"
          "lenet1,int16,momentum_192,1,9800,9830,60000,10\n"
          "lenet1,float32,momentum_192,1,9700,9740,20000,10\n");
    write("board_training.csv", "experiment,network,mapping,epochs,images,seconds_per_epoch\n"
                                "lenet1_train,lenet1,rings,1,60000,1.5\n");
    write("baselines.csv",
          "experiment,network,program,threads,processes,images,seconds_train,"
          "seconds_cold,joules_kind,joules_low,joules,joules_high,optimizer,batch,"
          "gflops,cpu,instructions\n"
          "lenet1_train,lenet1,float32,1,1,60000,3,3.5,assumed,6,12,24,momentum,192,1,c,v\n");
    write("cells.csv", "cell,network,platform,mapping,optimizer,batch,seconds,images_loaded,"
                       "loading_seconds,loading_sdram_bytes,loading_router_bits\n"
                       "lenet1_board,lenet1,board,rings,momentum,192,3,60000,3,0,0\n");
    tables({"coefficients.csv", "terms.csv", "scopes.csv", "loading_rates.csv", "needed.csv",
            "board_training.csv", "baselines.csv", "cells.csv"});
    const auto scopes = table_rows(read("same_scope.csv"));
    ASSERT_EQ(scopes.size(), 2u);
    /* Half of 24 J of chips over 1 s of 2 W; half of 30 J, and as much lost, over 1 s of 4 W. */
    for (const auto &[column, devices, machines] :
         std::vector<std::tuple<std::string, double, double>>{
             {"lenet1", 6, 7.5}, {"lenet1_least", 3, 1.125}, {"lenet1_most", 12, 60}}) {
        EXPECT_EQ(std::stod(scopes[0].at(column)), devices) << column;
        EXPECT_EQ(std::stod(scopes[1].at(column)), machines) << column;
    }
    EXPECT_EQ(scopes[0].at("lenet5"), "") << "was not trained";
    /* Loading: 3 s at 2 W. */
    EXPECT_EQ(read("cold.csv"),
              "megabits,protocol,kind,loading_seconds,loading_joules,lenet1_epochs,lenet5_epochs,"
              "lenet1_98_board,lenet1_98_core,reading\n"
              "8,\"slow\",cited,3,6,2,,4.5,3.5,0.5\n"
              "16,\"fast\",derived,1.5,3,1,,3,3.5,0.5\n");
    /* To 97 % the board loads 30,000 images in 1.5 or 0.75 s and trains for 0.75 s; the core reads
     * for 0.5 s and trains for 1 s. */
    const auto best = table_rows(read("best.csv"));
    ASSERT_EQ(best.size(), 2u);
    EXPECT_EQ(best[0].at("cold_slow"), "0.666667");
    EXPECT_EQ(best[0].at("cold_fast"), "1");
    EXPECT_EQ(best[1].at("cold_fast"), "") << "the core";
    const auto facts = table_rows(read("facts.csv")).at(0);
    for (const auto &[column, value] :
         std::vector<std::pair<std::string, std::string>>{{"cold_least", "0.666667"},
                                                          {"cold_most", "1"},
                                                          {"cold_joules_least", "1.5"},
                                                          {"cold_joules_most", "3"},
                                                          {"idle_least", "0.2"},
                                                          {"idle_most", "0.2"}}) {
        EXPECT_EQ(facts.at(column), value) << column;
    }
}

/* Boosted LeNet-4: two stages of 1 s and 3 s, 10 J and 30 J; a core takes 2 s, and 5, 10 or 20 J.
 */
TEST_F(AnswerScripts, BoostedIsWhatAHandComputes)
{
    write("coefficients.csv", "coefficient,low,default,high\nsdram_byte,1,2,3\nrouter_bit,1,1,1\n");
    write("cells.csv", "cell,network,platform,mapping,optimizer,batch,seconds,loading_seconds,"
                       "loading_sdram_bytes,loading_router_bits\n"
                       "lenet4_chip,lenet4,chip,rings,momentum,384,6,54.6,9,1\n"
                       "lenet4_board,lenet4,board,rings,momentum,384,3,55,600,77\n");
    write("boosted_stages.csv",
          "stage,deform_seconds,deform_joules,look_seconds,look_joules,train_seconds,train_joules\n"
          "net1,0,0,0,0,1,10\n"
          "net2,0.5,4,0.25,6,2.25,20\n");
    write("boosted_chip_stages.csv",
          "stage,deform_seconds,deform_joules,look_seconds,look_joules,train_seconds,train_joules\n"
          "net1,0,0,0,0,60,30\n"
          "net2,1,0.5,2,1.5,7,3.25\n");
    write("boosted_votes.csv", "confidence,right,accuracy,networks_per_image\n"
                               ",97,0.97,2\n0.9,96,0.96,1.2\n");
    write("baselines.csv", "experiment,program,threads,accuracy,seconds_train,joules_kind,"
                           "joules_low,joules,joules_high\n"
                           "boosted_lenet4_board,float32,1,0.981,2,assumed,5,10,20\n"
                           "boosted_lenet4_board,float32,2,0.981,1.25,assumed,5.5,11,22\n"
                           "boosted_lenet4_board,int16,1,0.97,9,assumed,40,80,160\n");
    tables({"coefficients.csv", "boosted_stages.csv", "boosted_chip_stages.csv",
            "boosted_votes.csv", "cells.csv", "baselines.csv"});
    EXPECT_EQ(read("boosted.csv"),
              "machine,time,joules_kind,scope,accuracy,seconds,joules_low,joules,joules_high,"
              "loading_seconds,loading_joules_low,loading_joules,loading_joules_high\n"
              "\"one chip, 16 cores\",executed,modelled,chips,0.97,70,,35.25,,54.6,10,19,28\n"
              "\"**SpiNN-5, 48 chips**\",executed,modelled,board,0.97,4,,40,,55,677,1277,1877\n"
              "\"CPU, 1 core, float32\",measured,assumed,cores,0.981,2,5,10,20,,,,\n"
              "\"CPU, 2 threads, float32\",measured,assumed,cores,0.981,1.25,5.5,11,22,,,,\n");
    EXPECT_EQ(table_rows(read("facts.csv")).at(0).at("boosted_speed"), "0.5");
}

/* The counts of a run, as configs/energy charges for them, against the run's own joules. */
class AnswerJoules : public TrainingTest
{
  protected:
    void are_the_simulators(const std::string &counts, const std::string &cell,
                            const std::string &out, double tolerance) const
    {
        const finished made = awk("joules.awk", {COEFFICIENTS, counts}, folder);
        ASSERT_EQ(made.status, 0) << made.err;
        std::map<std::string, double> sum;
        size_t terms = 0;
        for (const auto &of : table_rows(made.out)) {
            if (of.at("cell") != cell) {
                continue;
            }
            for (const char *end : {"low", "default", "high"}) {
                sum[end] += std::stod(of.at(end));
            }
            terms++;
        }
        EXPECT_GT(terms, 5u);
        for (const auto &[end, joules] : sum) {
            const double expected = number(out, "joules_per_epoch." + end);
            EXPECT_GT(expected, 0);
            EXPECT_NEAR(joules, expected, tolerance * expected) << end;
        }
    }
};

TEST_F(AnswerJoules, OfATrainingInFullAreTheSimulators)
{
    ASSERT_EQ(train("out", {"train.epochs=1"}).status, 0);
    std::map<std::string, uint64_t> counts;
    for (const auto &of : table_rows(read("out/counters.csv"))) {
        if (of.at("phase") == "epochs") {
            counts[of.at("component") + "." + of.at("counter")] += std::stoull(of.at("value"));
        }
    }
    ASSERT_EQ(counts["machine.epochs"], 1u);
    std::string table = "sweep,cell,counter,count\n";
    for (const auto &[name, count] : counts) {
        table += "s,c," + name + "," + std::to_string(count) + "\n";
    }
    table += "s,c,time_ps," + std::to_string(counts["machine.stage_ps"]) + "\n";
    write("counts.csv", table + "s,c,chips,1\ns,c,boards,0\n");
    are_the_simulators("counts.csv", "c", "out", 1e-12);
}

/* record_answer.sh, with a sweep of two small points. */
TEST_F(AnswerJoules, OfARecordedSampleAreTheSimulators)
{
    std::filesystem::create_directory(path("build"));
    write("build/spinnsim",
          "#!/bin/sh\n" /* sweep configs/study/answer/least.yaml --out DIR -j N */
          "for batch in 16 12; do " SPINN_PROGRAM " run " +
              path("small.yaml") +
              " --set train.epochs=1 --set train.global_batch=$batch --set data.train_images=200"
              " --set data.input=ethernet --set run.sample.updates=9 --progress none --force"
              " --out \"$4/answer_least-$((1 - batch / 16))\"; done\n");
    std::filesystem::permissions(path("build/spinnsim"), std::filesystem::perms::owner_all);
    const finished made =
        run_command({"env", "BUILD=" + path("build"), "RECORDED=" + path("recorded"),
                     "OUT=" + path("out"), SCRIPTS + "record_answer.sh", "least"},
                    folder);
    ASSERT_EQ(made.status, 0) << made.out << made.err;
    /* A sample's joules and counts are rounded in equations of their own. */
    are_the_simulators("recorded/counts.csv", "lenet1_chip_momentum_16", "out/least/answer_least-0",
                       1e-10);
    const auto cells = table_rows(read("recorded/cells.csv"));
    ASSERT_EQ(cells.size(), 2u);
    EXPECT_EQ(cells[0].at("sweep"), "least");
    EXPECT_EQ(cells[0].at("cell"), "lenet1_chip_momentum_12");
    const auto &cell = cells[1];
    const std::string out = "out/least/answer_least-0";
    for (const auto &[column, expected] :
         std::map<std::string, std::string>{{"sweep", "least"},
                                            {"cell", "lenet1_chip_momentum_16"},
                                            {"network", "lenet1"},
                                            {"platform", "chip"},
                                            {"chips_used", "1"},
                                            {"cores_used", "16"},
                                            {"mapping", "replica_per_chip"},
                                            {"optimizer", "momentum"},
                                            {"batch", "16"},
                                            {"updates_executed", "10"},
                                            {"updates", "13"},
                                            {"dropped", "0"},
                                            {"images_loaded", "220"},
                                            {"loading_seconds", "0.17424"},
                                            {"stats_hash", text(out, "identity.stats_hash")}}) {
        EXPECT_EQ(cell.at(column), expected) << column;
    }
    EXPECT_NE(read(out + "/summary.json").find("\"sha256\": \"" + cell.at("elf") + "\""),
              std::string::npos);
    for (const auto &[column, key] :
         std::map<std::string, std::string>{{"accuracy", "accuracy"},
                                            {"seconds", "seconds_per_epoch"},
                                            {"seconds_low", "sampled.seconds_per_epoch.low"},
                                            {"seconds_high", "sampled.seconds_per_epoch.high"},
                                            {"compute", "train_time.compute"},
                                            {"exchange", "train_time.exchange"},
                                            {"sdram", "train_time.sdram"},
                                            {"imbalance", "train_time.imbalance"},
                                            {"loading_sdram_bytes", "loading.sdram_bytes"},
                                            {"loading_router_bits", "loading.router_bits"}}) {
        EXPECT_EQ(std::stod(cell.at(column)), number(out, key)) << column;
    }
}

TEST_F(AnswerScripts, RefuseWhatIsNone)
{
    for (const char *script :
         {"record_answer.sh", "record_needed.sh", "record_search.sh", "record_batches.sh"}) {
        const finished refused = run_command({SCRIPTS + script, "lenet9"}, folder);
        EXPECT_EQ(refused.status, 2) << script;
        EXPECT_EQ(refused.err.find("lenet9 is none of "), 0u) << refused.err;
        EXPECT_EQ(refused.out, "");
    }
}

} // namespace
