/* trainer.c - see trainer.h. */
#include "sim/host_backend/trainer.h"

#include "models/common/draw.h"
#include "sim/host_backend/parallel.h"
#include "sim/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ROOM = 960, /* images of a test that are classified together */
    PIECE = 1 << 14   /* gradients that are added up together */
};

struct trainer {
    struct host_training training;
    const struct host_format *format;
    void *pass; /* of the format */
    struct parallel *parallel;
    struct host_batch batch;
    uint32_t room; /* for images of a batch */
    struct host_step step;
    uint32_t *shuffled;       /* order of this epoch's images; NULL: learning->order */
    uint32_t epoch, update;   /* the next epoch and update; update counts within its epoch */
    size_t parts;             /* of the batch */
    struct host_score *score; /* of each part */
    uint8_t *gradients;       /* of each part; NULL: the format adds them up */
    struct trainer_news now;
    struct outcome_training met;
    enum status status; /* of an update */
    struct diagnostic *diagnostic;
};

/* ---- images ---- */

static enum status fits(const struct host_training *training, const struct dataset *images,
                        struct diagnostic *diagnostic)
{
    const struct network *network = training->network;
    const struct network_shape input = network->input;
    const uint32_t classes = network->layer[network->layer_count - 1].outputs;
    enum status status = STATUS_OK;
    if (images->count == 0) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION, "the data set has no images");
        diagnostic_key(diagnostic, "data.set");
    } else if (network_values(input) != dataset_pixels(images)) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the network takes %u x %u x %u pixels, an image has %u x %u x %u",
                          input.channels, input.height, input.width, images->channels,
                          images->height, images->width);
        diagnostic_key(diagnostic, "network.name");
        diagnostic_hint(diagnostic, "channels x rows x columns must be equal");
    } else if (classes < images->classes) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the network has %u outputs, the data set %u classes", classes,
                          images->classes);
        diagnostic_key(diagnostic, "network.name");
    }
    return status;
}

static void take_image(struct host_batch *batch, uint32_t at, const struct dataset *images,
                       uint32_t number)
{
    batch->image[at] = images->images + number * dataset_pixels(images);
    batch->label[at] = images->labels[number];
    batch->number[at] = number;
}

struct reach {
    uint32_t first, end;
};

/* What this process has of `count` images from `first` on. */
static struct reach share_of(const struct exchange *exchange, uint32_t first, uint32_t count)
{
    return exchange == NULL
               ? (struct reach){first, first + count}
               : (struct reach){first + share_first(count, exchange->members, exchange->rank),
                                first + share_first(count, exchange->members, exchange->rank + 1)};
}

static bool has_others(const struct host_training *training)
{
    return training->exchange != NULL && training->exchange->members > 1;
}

void trainer_order(uint64_t seed, uint32_t epoch, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (uint32_t left = count; left > 1; left--) {
        const uint64_t word = draw_word(seed, (uint32_t)DRAW_ORDER + epoch, left - 1);
        const uint32_t chosen = draw_below(word, left);
        const uint32_t swapped = order[chosen];
        order[chosen] = order[left - 1];
        order[left - 1] = swapped;
    }
}

/* ---- a batch ---- */

static void take_batch(struct trainer *trainer)
{
    const struct host_training *training = &trainer->training;
    const struct learning *learning = training->learning;
    const struct reach own = share_of(training->exchange, trainer->update * learning->batch,
                                      learning_batch_of(learning, trainer->update));
    if (trainer->shuffled != NULL && trainer->update == 0) {
        trainer_order(training->seed, trainer->epoch, trainer->shuffled, training->train->count);
    }
    trainer->batch.epoch = trainer->epoch;
    trainer->batch.count = own.end - own.first;
    for (uint32_t i = own.first; i < own.end; i++) {
        take_image(&trainer->batch, i - own.first, training->train,
                   trainer->shuffled != NULL ? trainer->shuffled[i]
                                             : nn_order_image(&learning->order, trainer->epoch, i));
    }
}

static void train_part(void *context, unsigned worker, size_t part)
{
    struct trainer *trainer = context;
    const size_t bytes = trainer->step.places * trainer->format->word_bytes;
    uint8_t *gradients = trainer->gradients == NULL ? NULL : trainer->gradients + part * bytes;
    trainer->score[part] = (struct host_score){0};
    if (gradients != NULL) {
        memset(gradients, 0, bytes);
    }
    trainer->format->train(trainer->pass, worker, part, &trainer->batch, trainer->step.parameters,
                           gradients, &trainer->score[part]);
}

static void sum_piece(void *context, unsigned worker, size_t piece)
{
    struct trainer *trainer = context;
    const struct host_format *format = trainer->format;
    const struct host_step *step = &trainer->step;
    if (trainer->gradients == NULL) {
        format->gather(trainer->pass, worker, piece, &trainer->batch, step->gradients);
        return;
    }
    const size_t first = piece * PIECE;
    const size_t count = step->places - first < PIECE ? step->places - first : PIECE;
    uint8_t *sum = (uint8_t *)step->gradients + first * format->word_bytes;
    memset(sum, 0, count * format->word_bytes);
    for (size_t i = 0; i < trainer->parts; i++) {
        exchange_add(format->type, sum,
                     trainer->gradients + (i * step->places + first) * format->word_bytes, count);
    }
}

static void update_some(void *context, unsigned worker, size_t task)
{
    struct trainer *trainer = context;
    const size_t first = task * trainer->format->update_most;
    const size_t left = trainer->step.places - first;
    const enum status status = trainer->format->update(
        trainer->pass, &trainer->step, first,
        left < trainer->format->update_most ? left : trainer->format->update_most,
        trainer->diagnostic);
    (void)worker;
    if (status != STATUS_OK) { /* then this is the only task */
        trainer->status = status;
    }
}

static enum status check_parts(const struct trainer *trainer, struct diagnostic *diagnostic)
{
    return trainer->format->check == NULL ? STATUS_OK
                                          : trainer->format->check(trainer->pass, diagnostic);
}

/* Brings parameters and state here, if they lie elsewhere. */
static enum status fetch(struct trainer *trainer, struct diagnostic *diagnostic)
{
    if (trainer->format->fetch != NULL) {
        trainer->format->fetch(trainer->pass, &trainer->step);
    }
    return check_parts(trainer, diagnostic);
}

/* Sums of the gradients, and of the losses. */
static enum status run_batch(struct trainer *trainer, struct host_score *score,
                             struct diagnostic *diagnostic)
{
    const struct host_format *format = trainer->format;
    struct host_step *step = &trainer->step;
    size_t pieces = (step->places + PIECE - 1) / PIECE;
    if (trainer->gradients == NULL) {
        pieces = trainer->batch.count == 0 ? 0 : format->pieces(trainer->pass);
    }
    if (pieces == 0) { /* other processes have all images of the batch */
        memset(step->gradients, 0, step->places * format->word_bytes);
    }
    trainer->parts = format->parts(trainer->pass, trainer->batch.count, true);
    *score = (struct host_score){.count = trainer->batch.count};
    if (format->begin != NULL) {
        format->begin(trainer->pass, step->parameters);
    }
    parallel_run(trainer->parallel, trainer->parts, train_part, trainer);
    parallel_run(trainer->parallel, pieces, sum_piece, trainer);
    TRY(check_parts(trainer, diagnostic));
    for (size_t i = 0; i < trainer->parts; i++) {
        score->correct += trainer->score[i].correct;
        score->loss += trainer->score[i].loss;
    }
    return has_others(&trainer->training) ? exchange_sum(trainer->training.exchange, format->type,
                                                         step->gradients, step->places, diagnostic)
                                          : STATUS_OK;
}

static enum status refuse_loss(const struct trainer *trainer, struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                   "the training has diverged: the loss of update %llu is no number",
                   (unsigned long long)trainer->now.update);
    diagnostic_key(diagnostic, "train.learning_rate");
    diagnostic_hint(diagnostic, "it applies to the sum over the batch: lower it, or lengthen "
                                "train.warm_up");
    return STATUS_CONFIGURATION;
}

/* Performs the next update; after the last one of an epoch, the next is the first of the next. */
static enum status advance(struct trainer *trainer, struct diagnostic *diagnostic)
{
    const struct learning *learning = trainer->training.learning;
    struct trainer_news *now = &trainer->now;
    struct host_score score;
    const size_t most = trainer->format->update_most;
    now->epoch = trainer->epoch + 1;
    take_batch(trainer);
    TRY(run_batch(trainer, &score, diagnostic));
    trainer->step.number = now->update;
    trainer->step.rate = nn_rate(&learning->schedule, (uint32_t)now->update);
    trainer->diagnostic = diagnostic;
    parallel_run(trainer->parallel, 1 + (trainer->step.places - 1) / most, update_some, trainer);
    TRY(trainer->status);
    if (!trainer->training.keeps) {
        TRY(fetch(trainer, diagnostic));
    }
    now->update++;
    now->images += score.count;
    now->batch = score.count;
    now->loss = trainer->format->tells_losses ? score.loss / score.count : NAN;
    now->accuracy = trainer->format->tells_losses ? (double)score.correct / score.count : NAN;
    if (++trainer->update == learning->updates_per_epoch) {
        trainer->update = 0;
        trainer->epoch++;
    }
    return trainer->format->tells_losses && !isfinite(score.loss) ? refuse_loss(trainer, diagnostic)
                                                                  : STATUS_OK;
}

enum status trainer_step(struct trainer *trainer, struct diagnostic *diagnostic)
{
    return trainer->epoch == trainer->training.learning->epochs
               ? diagnose(diagnostic, STATUS_INTERNAL, "the training has no more updates")
               : advance(trainer, diagnostic);
}

/* ---- tests ---- */

static void test_part(void *context, unsigned worker, size_t part)
{
    struct trainer *trainer = context;
    trainer->format->test(trainer->pass, worker, part, &trainer->batch, trainer->step.parameters);
}

enum status trainer_test(struct trainer *trainer, const struct dataset *images,
                         struct nn_result *result, struct host_score *score,
                         struct diagnostic *diagnostic)
{
    const struct host_training *training = &trainer->training;
    const struct host_format *format = trainer->format;
    struct host_batch *batch = &trainer->batch;
    double sum[] = {0, 0}; /* images that are classified rightly; losses */
    double group = 0;
    TRY(fits(training, images, diagnostic));
    const struct reach own = share_of(training->exchange, 0, images->count);
    for (uint32_t at = own.first; at < own.end; at += batch->count) {
        batch->count = own.end - at < trainer->room ? own.end - at : trainer->room;
        batch->result = result == NULL ? NULL : result + at;
        for (uint32_t i = 0; i < batch->count; i++) {
            take_image(batch, i, images, at + i);
        }
        parallel_run(trainer->parallel, format->parts(trainer->pass, batch->count, false),
                     test_part, trainer);
        TRY(check_parts(trainer, diagnostic));
        for (uint32_t i = 0; i < batch->count; i++) {
            sum[0] += batch->found[i] == batch->label[i];
            group += batch->loss[i];
            if ((at + i + 1) % format->loss_group == 0) {
                sum[1] += group;
                group = 0;
            }
        }
    }
    sum[1] += group;
    if (has_others(training)) {
        TRY(exchange_sum(training->exchange, EXCHANGE_DOUBLES, sum, 2, diagnostic));
    }
    *score = (struct host_score){images->count, (uint32_t)sum[0], sum[1] / images->count};
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status tell(struct trainer *trainer, enum trainer_event event,
                        struct trainer_news *news, bool *enough, struct diagnostic *diagnostic)
{
    const struct host_training *training = &trainer->training;
    news->event = event;
    if (training->listener == NULL) {
        return STATUS_OK;
    }
    if (event == TRAINER_EPOCH_ENDS && trainer->format->met != NULL) {
        trainer->format->met(trainer->pass, &trainer->met);
    }
    return training->listener(training->context, news, enough, diagnostic);
}

static bool has_images(const struct dataset *images)
{
    return images != NULL && images->count > 0;
}

static enum status run_tests(struct trainer *trainer, struct diagnostic *diagnostic)
{
    const struct host_training *training = &trainer->training;
    struct trainer_news news = trainer->now;
    struct host_score score;
    bool enough;
    TRY(trainer_test(trainer, training->test, NULL, &score, diagnostic));
    news.loss = score.loss;
    news.accuracy = (double)score.correct / score.count;
    TRY(tell(trainer, TRAINER_CLASSIFIED, &news, &enough, diagnostic));
    if (has_images(training->validation)) {
        TRY(trainer_test(trainer, training->validation, NULL, &score, diagnostic));
        news.validation_loss = score.loss;
        news.validation_accuracy = (double)score.correct / score.count;
    }
    return tell(trainer, TRAINER_TESTED, &news, &enough, diagnostic);
}

static enum status run_epoch(struct trainer *trainer, bool *enough, struct diagnostic *diagnostic)
{
    const struct host_training *training = &trainer->training;
    const uint32_t every = training->test_every_epochs;
    struct trainer_news *now = &trainer->now;
    TRY(tell(trainer, TRAINER_EPOCH_BEGINS, now, enough, diagnostic));
    do {
        TRY(advance(trainer, diagnostic));
        TRY(tell(trainer, TRAINER_UPDATED, now, enough, diagnostic));
    } while (trainer->update != 0);
    TRY(fetch(trainer, diagnostic));
    TRY(tell(trainer, TRAINER_EPOCH_TRAINED, now, enough, diagnostic));
    if (training->test != NULL && (trainer->epoch == training->learning->epochs ||
                                   (every != 0 && trainer->epoch % every == 0))) {
        TRY(run_tests(trainer, diagnostic));
    }
    return tell(trainer, TRAINER_EPOCH_ENDS, now, enough, diagnostic);
}

enum status trainer_run(struct trainer *trainer, struct diagnostic *diagnostic)
{
    const struct host_training *training = &trainer->training;
    bool enough = false;
    if (training->test != NULL) {
        TRY(fits(training, training->test, diagnostic));
    }
    while (!enough && trainer->epoch < training->learning->epochs) {
        TRY(run_epoch(trainer, &enough, diagnostic));
    }
    return STATUS_OK;
}

size_t trainer_parameter_bytes(const struct host_training *training)
{
    return training->format->has_block
               ? weights_block_bytes(training->network, training->table)
               : network_parameters(training->network) * training->format->value_bytes;
}

const void *trainer_parameters(const struct trainer *trainer)
{
    return trainer->step.parameters;
}

/* ---- memory ---- */

static enum status init_training(struct trainer *trainer, struct diagnostic *diagnostic)
{
    const struct host_training *training = &trainer->training;
    const struct host_format *format = training->format;
    const struct learning *learning = training->learning;
    const size_t parts = format->parts(trainer->pass, trainer->room, true);
    const size_t words =
        format->state_words > 0 ? format->state_words : nn_rule_state_words(&learning->rule);
    const size_t state_words = trainer->step.places * words;
    trainer->step.gradients = calloc(trainer->step.places, format->word_bytes);
    trainer->step.state = calloc(state_words + 1, format->word_bytes);
    trainer->score = calloc(parts, sizeof *trainer->score);
    trainer->gradients =
        format->gather != NULL ? NULL : malloc(parts * trainer->step.places * format->word_bytes);
    trainer->shuffled =
        training->shuffled ? calloc(training->train->count, sizeof(uint32_t)) : NULL;
    if (trainer->step.gradients == NULL || trainer->step.state == NULL || trainer->score == NULL ||
        (format->gather == NULL && trainer->gradients == NULL) ||
        (training->shuffled && trainer->shuffled == NULL)) {
        return no_memory(diagnostic);
    }
    if (training->state != NULL) {
        memcpy(trainer->step.state, training->state, state_words * format->word_bytes);
    }
    trainer->epoch = training->first_epoch;
    trainer->now = (struct trainer_news){
        .epoch = trainer->epoch,
        .update = (uint64_t)trainer->epoch * learning->updates_per_epoch,
        .updates = learning->schedule.updates,
        .images = (uint64_t)trainer->epoch * learning->order.images,
        .validation_loss = NAN,
        .validation_accuracy = NAN,
        .work = trainer->batch.work,
        .parameters = trainer->step.parameters,
        .state = trainer->step.state,
        .gradients = trainer->step.gradients,
        .met = &trainer->met,
    };
    return STATUS_OK;
}

static enum status init(struct trainer *trainer, struct diagnostic *diagnostic)
{
    const struct host_training *training = &trainer->training;
    const struct host_format *format = training->format;
    const size_t bytes = trainer_parameter_bytes(training);
    struct host_batch *batch = &trainer->batch;
    trainer->format = format;
    trainer->room = training->learning != NULL && training->learning->batch > LEAST_ROOM
                        ? training->learning->batch
                        : LEAST_ROOM;
    batch->image = calloc(trainer->room, sizeof *batch->image);
    batch->label = calloc(trainer->room, sizeof *batch->label);
    batch->number = calloc(trainer->room, sizeof *batch->number);
    batch->found = calloc(trainer->room, sizeof *batch->found);
    batch->loss = calloc(trainer->room, sizeof *batch->loss);
    batch->work = calloc(trainer->room, sizeof *batch->work);
    trainer->parallel = parallel_create(training->threads);
    trainer->step.places = bytes / format->value_bytes;
    trainer->step.parameters = malloc(bytes);
    if (batch->image == NULL || batch->label == NULL || batch->number == NULL ||
        batch->found == NULL || batch->loss == NULL || batch->work == NULL ||
        trainer->parallel == NULL || trainer->step.parameters == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(trainer->step.parameters, training->initial, bytes);
    TRY(format->open(training, trainer->room, parallel_workers(trainer->parallel), &trainer->pass,
                     diagnostic));
    return training->learning == NULL ? STATUS_OK : init_training(trainer, diagnostic);
}

enum status trainer_open(const struct host_training *training, struct trainer **trainer,
                         struct diagnostic *diagnostic)
{
    *trainer = NULL;
    if (training->learning != NULL) {
        TRY(fits(training, training->train, diagnostic));
    }
    struct trainer *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    made->training = *training;
    const enum status status = init(made, diagnostic);
    if (status != STATUS_OK) {
        trainer_close(made);
        return status;
    }
    *trainer = made;
    return STATUS_OK;
}

void trainer_close(struct trainer *trainer)
{
    if (trainer == NULL) {
        return;
    }
    if (trainer->pass != NULL) {
        trainer->format->close(trainer->pass);
    }
    parallel_destroy(trainer->parallel);
    void *const owned[] = {trainer->batch.image, trainer->batch.label,    trainer->batch.number,
                           trainer->batch.found, trainer->batch.loss,     trainer->batch.work,
                           trainer->shuffled,    trainer->step.gradients, trainer->step.parameters,
                           trainer->step.state,  trainer->score,          trainer->gradients};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        free(owned[i]);
    }
    free(trainer);
}

enum status trainer_classify(const struct host_training *training, const struct dataset *images,
                             struct nn_result *result, struct host_score *score,
                             struct diagnostic *diagnostic)
{
    struct host_training alone = *training;
    struct trainer *trainer;
    alone.learning = NULL;
    TRY(trainer_open(&alone, &trainer, diagnostic));
    const enum status status = trainer_test(trainer, images, result, score, diagnostic);
    trainer_close(trainer);
    return status;
}
