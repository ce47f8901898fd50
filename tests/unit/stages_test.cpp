/* Runs of several stages on the host: streams, filters, votes, and whole runs. */
#include "tests/unit/host_job.h"

extern "C" {
#include "sim/data/digits.h"
#include "sim/stages/filter.h"
#include "sim/stages/stages.h"
#include "sim/stages/stream.h"
#include "workloads/nn/deform.h"
}

#include <cmath>
#include <filesystem>
#include <memory>

namespace
{

/* ---- streams ---- */

class Stream : public testing::Test
{
  protected:
    void SetUp() override
    {
        const struct dataset_request request = {"synthetic", nullptr, DATASET_TRAIN, 3, nullptr, 0};
        ASSERT_EQ(dataset_load(&source, &request, nullptr), STATUS_OK);
    }
    void TearDown() override
    {
        dataset_deinit(&source);
        dataset_deinit(&images);
    }
    struct dataset source = {}, images = {};
};

TEST_F(Stream, RepeatsTheImagesWhereNothingIsDeformed)
{
    struct config_stage stage = {};
    ASSERT_EQ(stream_take(&stage, &source, 2, 5, &images, nullptr), STATUS_OK);
    EXPECT_FALSE(stream_is_deformed(&stage));
    EXPECT_TRUE(images.original);
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t from = (i + 2) % 3;
        EXPECT_EQ(images.labels[i], source.labels[from]);
        EXPECT_EQ(memcmp(images.images + i * DIGITS_PIXELS, source.images + from * DIGITS_PIXELS,
                         DIGITS_PIXELS),
                  0);
    }
}

TEST_F(Stream, DeformsEachImageByItsNumber)
{
    struct config_stage stage = {};
    stage.stream_seed = 5;
    stage.shift = 2;
    stage.scale = 0.125;
    stage.squeeze = 0.125;
    stage.shear = 0.25;
    const struct nn_deformation limits = {2 * NN_DEFORM_ONE, NN_DEFORM_ONE / 8, NN_DEFORM_ONE / 8,
                                          NN_DEFORM_ONE / 4};
    ASSERT_EQ(stream_take(&stage, &source, 1000, 2, &images, nullptr), STATUS_OK);
    EXPECT_TRUE(stream_is_deformed(&stage));
    ASSERT_TRUE(stream_deform(&stage, 1000, &images));
    EXPECT_FALSE(images.original);
    for (uint32_t i = 0; i < 2; i++) {
        std::vector<uint8_t> expected(DIGITS_PIXELS);
        const struct nn_affine affine = nn_affine_draw(&limits, 5, 1000 + i);
        nn_deform(&affine, 28, 28, source.images + (1000 + i) % 3 * DIGITS_PIXELS, expected.data());
        EXPECT_EQ(memcmp(images.images + i * DIGITS_PIXELS, expected.data(), DIGITS_PIXELS), 0);
    }
}

/* ---- votes and filters ---- */

/* A network of which each image's label is given: its logit is 1, the others 0. */
class Votes : public testing::Test
{
  protected:
    Votes() : job(HOST + "network: {name: lenet1}\ndata: {set: synthetic, test_images: 1}\n")
    {
    }

    void add(const std::vector<uint32_t> &labels, double logit = 1)
    {
        enum { FRACTION = 24 };
        auto results = std::make_unique<std::vector<struct nn_result>>();
        for (const uint32_t label : labels) {
            struct nn_result result = {};
            result.logits[label] = static_cast<int32_t>(std::ldexp(logit, FRACTION));
            result.label = label;
            uint32_t sums[NN_RESULT_CLASSES] = {};
            vote_add(job.job.table, &result, sums);
            result.confidence = sums[label];
            results->push_back(result);
        }
        of.images = labels.size();
        vote_join(&of, job.job.table, results->data());
        kept.push_back(std::move(results));
    }

    host_job job;
    std::vector<std::unique_ptr<std::vector<struct nn_result>>> kept;
    struct vote_networks of = {};
};

/* e / (e + 9) = 0.23197 and 1 / (e + 9) = 0.08534, times 2^16, from the table. */
TEST_F(Votes, TheSumIsOfProbabilities)
{
    add({3, 3, 1});
    EXPECT_EQ(kept[0]->at(0).confidence, 15203u);
    add({4, 3, 2});
    add({4, 3, 3});
    EXPECT_EQ(vote_sum(&of, 0).label, 4u);
    EXPECT_EQ(vote_sum(&of, 0).confidence, (2 * 15203u + 5593u) / 3);
    EXPECT_EQ(vote_sum(&of, 1).label, 3u);
    EXPECT_EQ(vote_sum(&of, 1).confidence, 15203u);
    EXPECT_EQ(vote_sum(&of, 2).label, 1u) << "the first of equals";
}

TEST_F(Votes, ACascadeAsksTheOthersBelowTheConfidence)
{
    add({3});
    add({4});
    add({4});
    size_t asked = 0;
    EXPECT_EQ(vote_cascade(&of, 0, 15203 / 65536.0, &asked).label, 3u);
    EXPECT_EQ(asked, 1u);
    EXPECT_EQ(vote_cascade(&of, 0, 15204 / 65536.0, &asked).label, 4u);
    EXPECT_EQ(asked, 3u);
}

/* After each error the next right one: halves, wherever the stream ends. */
TEST_F(Votes, ErrorsAreHalfOfWhatIsKept)
{
    struct filter filter = {};
    filter.kind = CONFIG_FILTER_ERRORS;
    filter.keep = 4;
    add(std::vector<uint32_t>(9, 5));
    const uint8_t labels[] = {5, 5, 0, 5, 5, 0, 0, 5, 5};
    std::vector<bool> keeps;
    for (size_t i = 0; i < 9; i++) {
        keeps.push_back(filter_keeps(&filter, &of, i, labels[i]));
    }
    EXPECT_EQ(keeps,
              (std::vector<bool>{false, false, true, true, false, true, false, true, false}));
    EXPECT_EQ(filter.looked_at, 9u);
    EXPECT_EQ(filter.found, 3u);
}

TEST_F(Votes, DisagreementIsOfLabels)
{
    struct filter filter = {};
    filter.kind = CONFIG_FILTER_DISAGREEMENT;
    filter.keep = 2;
    add({1, 1, 2, 3, 4});
    add({1, 2, 2, 2, 4});
    add({1, 1, 2, 3, 5});
    std::vector<bool> keeps;
    for (size_t i = 0; i < 5; i++) {
        keeps.push_back(filter_keeps(&filter, &of, i, 9));
    }
    EXPECT_EQ(keeps, (std::vector<bool>{false, true, false, true, false}));
    EXPECT_EQ(filter.found, 3u);
}

/* ---- whole runs ---- */

const std::string BOOSTED =
    HOST +
    "mode: train\ndata: {set: synthetic, train_images: 400, test_images: 300}\n"
    "network: {name: lenet4}\n"
    "train: {epochs: 2, global_batch: 48, learning_rate: 0.001953125}\n"
    "test: {every_epochs: 0}\n"
    "stages:\n"
    "  - {name: a, seed: 1, stream: {images: 1200, seed: 4, shift: 1, shear: 0.1}}\n"
    "  - {name: b, seed: 2, stream: {images: 2500, seed: 5, shift: 2, scale: 0.2, shear: 0.3},\n"
    "     filter: {kind: errors, of: [a], keep: 200}}\n"
    "  - {name: c, seed: 3, stream: {images: 2500, seed: 6, shift: 2, scale: 0.2, shear: 0.3},\n"
    "     filter: {kind: disagreement, of: [a, b], keep: 100}}\n"
    "vote: {of: [a, b, c], confidence: [0, 0.9, 1]}\n";

struct summary_of {
    std::vector<uint64_t> looked_at, found, kept, updates, right;
    std::string hash;
};

summary_of run(const std::string &text, unsigned threads)
{
    host_job j(text, {}, "test.yaml", threads);
    summary_of made;
    EXPECT_EQ(stages_check(&j.job, &j.said_of), STATUS_OK) << said(j.said_of);
    EXPECT_EQ(stages_run(&j.job, &j.outcome, &j.said_of), STATUS_OK) << said(j.said_of);
    for (size_t i = 0; i < j.outcome.stage_count; i++) {
        const struct outcome_stage &stage = j.outcome.stage[i];
        made.looked_at.push_back(stage.looked_at);
        made.found.push_back(stage.found);
        made.kept.push_back(stage.kept);
        made.updates.push_back(stage.updates);
        made.right.push_back(static_cast<uint64_t>(std::lround(stage.accuracy * 300)));
    }
    for (size_t i = 0; i < j.outcome.vote_count; i++) {
        made.right.push_back(j.outcome.vote[i].right);
    }
    made.hash = j.outcome.stats_hash;
    return made;
}

TEST(Stages, ABoostedRunHasExactNumbersOnAnyNumberOfThreads)
{
    const summary_of one = run(BOOSTED, 1);
    EXPECT_EQ(one.looked_at, (std::vector<uint64_t>{1200, 1000, 1000}));
    EXPECT_EQ(one.found, (std::vector<uint64_t>{1200, 259, 776}));
    EXPECT_EQ(one.kept, (std::vector<uint64_t>{1200, 200, 100}));
    EXPECT_EQ(one.updates, (std::vector<uint64_t>{50, 10, 6}));
    EXPECT_EQ(one.right, (std::vector<uint64_t>{244, 84, 38, 245, 244, 245, 245}));
    EXPECT_EQ(one.hash, "fe2977cbf11bceb479c620241540cb9cae7608c410ab9e9d4f28d2eeef29d6bb");
    EXPECT_EQ(run(BOOSTED, 3).hash, one.hash);
}

/* A cascade that is always sure is the first network; one that never is, the sum. */
TEST(Stages, CascadesLieBetweenTheFirstNetworkAndTheSum)
{
    host_job j(BOOSTED);
    ASSERT_EQ(stages_run(&j.job, &j.outcome, &j.said_of), STATUS_OK) << said(j.said_of);
    ASSERT_EQ(j.outcome.vote_count, 4u);
    const struct outcome_vote *vote = j.outcome.vote;
    EXPECT_TRUE(std::isnan(vote[0].confidence));
    EXPECT_EQ(vote[0].networks_per_image, 3);
    EXPECT_EQ(vote[0].right, j.outcome.right);
    EXPECT_EQ(vote[1].networks_per_image, 1);
    EXPECT_EQ(vote[1].accuracy, j.outcome.stage[0].accuracy);
    EXPECT_GT(vote[2].networks_per_image, 1);
    EXPECT_LT(vote[2].networks_per_image, 3);
    EXPECT_EQ(j.outcome.result_count, 300u);
    EXPECT_EQ(j.outcome.updates,
              j.outcome.stage[0].updates + j.outcome.stage[1].updates + j.outcome.stage[2].updates);
}

/* One stage without a stream is a training as usual, to the bit; two with `from` go on. */
TEST(Stages, OneStageIsATrainingAsUsual)
{
    const std::string head =
        HOST + "mode: train\ndata: {set: synthetic, train_images: 96, test_images: 50}\n"
               "network: {name: lenet1}\ntrain: {epochs: 1, global_batch: 24}\nseed: 7\n";
    host_job usual(head);
    ASSERT_EQ(usual.run(), STATUS_OK) << said(usual.said_of);
    host_job staged(head + "stages: [{name: a, seed: 7}]\n");
    ASSERT_EQ(stages_run(&staged.job, &staged.outcome, &staged.said_of), STATUS_OK);
    ASSERT_EQ(staged.outcome.result_count, 50u);
    for (size_t i = 0; i < 50; i++) {
        EXPECT_EQ(staged.outcome.result[i].label, usual.outcome.result[i].label);
        EXPECT_EQ(staged.outcome.result[i].confidence, usual.outcome.result[i].confidence);
    }
    EXPECT_EQ(staged.outcome.updates, 4u);
}

TEST(Stages, AStageGoesOnFromTheWeightsOfAnother)
{
    const std::string head =
        HOST + "mode: train\ndata: {set: synthetic, train_images: 480, test_images: 200}\n"
               "network: {name: lenet1}\ntrain: {epochs: 1, global_batch: 24}\n";
    host_job j(head + "stages:\n  - {name: a, seed: 7, epochs: 3}\n"
                      "  - {name: b, seed: 8, from: a, learning_rate: 0.00000001}\n");
    ASSERT_EQ(stages_run(&j.job, &j.outcome, &j.said_of), STATUS_OK) << said(j.said_of);
    EXPECT_EQ(j.outcome.stage[0].accuracy, j.outcome.stage[1].accuracy);
    EXPECT_GT(j.outcome.stage[1].accuracy, 0.5) << "one epoch at no rate learns nothing";
}

TEST(Stages, EachStageHasAResultFolder)
{
    const temporary_folder folder;
    const std::string path = folder.file("run");
    host_job j(HOST + "mode: train\nnetwork: {name: lenet1}\ntrain: {global_batch: 10}\n"
                      "data: {set: synthetic, train_images: 20, test_images: 10}\n"
                      "stages: [{name: a, seed: 1}, {name: b, seed: 2}]\n");
    j.job.options.results = path.c_str();
    ASSERT_EQ(stages_run(&j.job, &j.outcome, &j.said_of), STATUS_OK) << said(j.said_of);
    for (const char *name : {"a", "b"}) {
        EXPECT_TRUE(std::filesystem::exists(path + "-" + name + "/weights.npz")) << name;
        EXPECT_TRUE(std::filesystem::exists(path + "-" + name + "/summary.json")) << name;
    }
}

std::string refusal(const std::string &text, const std::vector<const char *> &sets = {})
{
    host_job j(text, sets);
    enum status status = stages_check(&j.job, &j.said_of);
    if (status == STATUS_OK) {
        status = stages_run(&j.job, &j.outcome, &j.said_of);
    }
    EXPECT_EQ(status, STATUS_CONFIGURATION);
    return std::string(j.said_of.key) + ": " + j.said_of.text;
}

TEST(Stages, RefuseWhatTheyCannotDo)
{
    EXPECT_EQ(refusal(BOOSTED, {"data.validation_images=10"}),
              "data.validation_images: stages have no validation");
    const std::string all_right =
        HOST + "mode: train\ndata: {set: synthetic, train_images: 10, test_images: 10}\n"
               "network: {name: lenet1}\ntrain: {epochs: 100, global_batch: 10}\n"
               "stages:\n  - {name: a, seed: 1}\n"
               "  - {name: b, seed: 1, filter: {kind: disagreement, of: [a, a2], keep: 2}}\n";
    std::string same = all_right;
    same.insert(same.find("  - {name: b"), "  - {name: a2, seed: 1}\n");
    EXPECT_EQ(refusal(same), "stages[2].filter: none of 10 images of the stream was to be kept");
    EXPECT_NE(refusal(HOST + "mode: train\ndata: {set: synthetic, train_images: 10}\n"
                             "network: {name: lenet1}\n"
                             "stages: [{name: a, seed: 1}, {name: b, seed: 1, network: lenet9}]\n")
                  .find("lenet9"),
              std::string::npos);
}

} // namespace
