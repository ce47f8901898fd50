/* job.c - see job.h. */
#include "sim/run_control/job.h"
#include "sim/run_control/job_backend.h"

#include "models/energy/energy.h"
#include "sim/file.h"
#include "sim/load/machine_load.h"
#include "sim/load/program_link.h"
#include "sim/load/sark_program.h"
#include "sim/mapping/choose.h"
#include "sim/mapping/load_plan.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/program_recipe.h"
#include "sim/networks/operators.h"
#include "sim/networks/quantise.h"
#include "sim/run_control/dataflow_app.h"
#include "sim/run_control/number_formats.h"
#include "sim/steps.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- energy coefficients fit the counters ---- */

enum { COUNTER_NAMES_MAX = 256, COUNTER_NAME_CHARS = 64 };

struct counter_names {
    char text[COUNTER_NAMES_MAX][COUNTER_NAME_CHARS];
    const char *name[COUNTER_NAMES_MAX];
    size_t count;
};

static void add_counter_name(void *context, const char *component, const struct counter_info *info)
{
    struct counter_names *names = context;
    if (names->count < COUNTER_NAMES_MAX) {
        char *text = names->text[names->count];
        (void)snprintf(text, COUNTER_NAME_CHARS, "%s.%s", component, info->name);
        names->name[names->count++] = text;
    }
}

enum status job_check_energy(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->energy.term_count == 0 && config->energy.free_count == 0) {
        (void)file_refuse(config->file, "include: [energy/spinnaker1.yaml]", diagnostic,
                          "no energy coefficients");
        diagnostic_key(diagnostic, "energy");
        return STATUS_CONFIGURATION;
    }
    struct counter_names *names = calloc(1, sizeof *names);
    if (names == NULL) {
        return no_memory(diagnostic);
    }
    machine_each_counter_name(add_counter_name, names);
    const enum status status = energy_check(&config->energy, names->name, names->count, diagnostic);
    if (status != STATUS_OK) {
        config_locate(config, NULL, diagnostic);
    }
    free(names);
    return status;
}

/* ---- network, weights, data ---- */

/* Whether a network's name is that of its file. */
static bool is_path(const char *name)
{
    static const char END[] = ".yaml";
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL ||
           (length >= strlen(END) && strcmp(name + length - strlen(END), END) == 0);
}

static enum status load_network(struct job *job, struct diagnostic *diagnostic)
{
    const char *name = job->config->network_name;
    FREED char *relative = is_path(name) ? strdup(name) : file_print("networks/%s.yaml", name);
    char *path;
    if (relative == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = config_find_file(job->config, "network.name", relative, &path, diagnostic);
    if (status != STATUS_OK) {
        diagnostic_hint(diagnostic, "a network is a file configs/networks/NAME.yaml, or the path "
                                    "of a file, with a / or .yaml at its end");
        return status;
    }
    status = job_store_network(job->options.store, path, &job->network, diagnostic);
    free(path);
    TRY(status);
    job->network.loss = (uint8_t)job->config->train_loss;
    if (job->config->mode == CONFIG_MODE_TRAIN) {
        job->network.logit_factor = 1; /* a training's loss is of the sums as they are */
    }
    TRY(number_formats_use(job->config, &job->network, diagnostic));
    const char *variant = config_variant_text(job->config->network_variant);
    if (strcmp(job->network.variant, variant) != 0) {
        (void)config_refuse(job->config, "network.variant", NULL, diagnostic,
                            "%s is the %s variant, not %s", job->network.path, job->network.variant,
                            variant);
        diagnostic_hint(diagnostic, "set network.variant: %s", job->network.variant);
        return STATUS_CONFIGURATION;
    }
    return layer_table_make(&job->network, &job->table, diagnostic);
}

/* Path of the weights file: from the configuration, or else the network's own for the data set. */
static enum status find_weights(const struct job *job, char **path, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (config->network_weights[0] != '\0') {
        return config_find_file(config, "network.weights", config->network_weights, path,
                                diagnostic);
    }
    const char *const own[] = {[CONFIG_DATA_SET_UNSET] = NULL,
                               [CONFIG_DATA_SET_MNIST] = job->network.weights_mnist,
                               [CONFIG_DATA_SET_SYNTHETIC] = job->network.weights_synthetic,
                               [CONFIG_DATA_SET_FILES] = NULL};
    const char *name = own[config->data_set];
    if (name == NULL) {
        (void)file_refuse(job->network.path,
                          "name a file in network.weights, or train one (mode: train)", diagnostic,
                          "network %s names no weights for %s", job->network.name,
                          config_data_set_text(config->data_set));
        diagnostic_key(diagnostic, "weights");
        return STATUS_CONFIGURATION;
    }
    const char *slash = strrchr(job->network.path, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - job->network.path) + 1;
    if (asprintf(path, "%.*s%s", folder, job->network.path, name) < 0) {
        *path = NULL;
        return no_memory(diagnostic);
    }
    return STATUS_OK;
}

static enum status load_weights(struct job *job, struct diagnostic *diagnostic)
{
    char *path = NULL;
    if (job->options.given.parameters != NULL) {
        TRY(weights_allocate(&job->weights, &job->network, job->table, false, diagnostic));
        memcpy(job->weights.block, job->options.given.parameters,
               weights_block_bytes(&job->network, job->table));
        return STATUS_OK;
    }
    enum status status = find_weights(job, &path, diagnostic);
    if (status == STATUS_OK) {
        status = weights_read(&job->weights, path, &job->network, job->table, diagnostic);
    }
    free(path);
    return status;
}

/* Refuses images that the network does not take; `file` holds them, NULL: none. */
static enum status check_shape(const struct job *job, const struct dataset *images,
                               const char *file, struct diagnostic *diagnostic)
{
    const struct network_shape input = job->network.input;
    const bool same = input.channels == images->channels && input.height == images->height &&
                      input.width == images->width;
    if (file != NULL && !same) {
        (void)file_refuse(file, NULL, diagnostic,
                          "the images are %u x %u x %u, network %s takes %u x %u x %u",
                          images->channels, images->height, images->width, job->network.name,
                          input.channels, input.height, input.width);
        diagnostic_hint(diagnostic, "channels x rows x columns: those of x here, and `input` of %s",
                        job->network.path);
        diagnostic_key(diagnostic, "x");
        return STATUS_CONFIGURATION;
    }
    if (network_values(input) == dataset_pixels(images) && job->table->classes == images->classes) {
        return STATUS_OK;
    }
    (void)file_refuse(job->network.path, NULL, diagnostic,
                      "network %s takes %u x %u x %u values to %u classes; the images are %u x %u, "
                      "in %u classes",
                      job->network.name, input.channels, input.height, input.width,
                      job->table->classes, images->height, images->width, images->classes);
    diagnostic_hint(diagnostic, "sets mnist and synthetic hold 28 x 28 pixels of ten digits; "
                                "data.set: files has others");
    diagnostic_key(diagnostic, "input");
    return STATUS_CONFIGURATION;
}

/* The file of a split; NULL: the set is not one of files. */
static enum status find_split(const struct job *job, enum dataset_split split, char **file,
                              struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const bool of_test = split == DATASET_TEST;
    if (config->data_set != CONFIG_DATA_SET_FILES) {
        return STATUS_OK;
    }
    if (job->table->classes < 2) {
        (void)file_refuse(job->network.path, NULL, diagnostic,
                          "the last layer of network %s has 1 output, and thus one class",
                          job->network.name);
        diagnostic_key(diagnostic, "layers");
        diagnostic_hint(diagnostic, "an output for each class, 2 to %d", NN_MANY_CLASSES);
        return STATUS_CONFIGURATION;
    }
    return config_find_file(config, of_test ? "data.test" : "data.train",
                            of_test ? config->data_test : config->data_train, file, diagnostic);
}

static enum status load_split(struct job *job, enum dataset_split split, uint64_t images,
                              struct dataset *dataset, struct diagnostic *diagnostic)
{
    const struct dataset *const given[] = {[DATASET_TRAIN] = job->options.given.train,
                                           [DATASET_TEST] = job->options.given.test,
                                           [DATASET_VALIDATION] = NULL};
    if (given[split] != NULL) {
        return dataset_copy(dataset, given[split], diagnostic);
    }
    FREED char *file = NULL;
    TRY(find_split(job, split, &file, diagnostic));
    const struct dataset_request request = {.set = config_data_set_text(job->config->data_set),
                                            .data_dir = job->options.data_dir,
                                            .split = split,
                                            .limit = (uint32_t)images,
                                            .file = file,
                                            .classes = job->table->classes};
    const enum status status = job_store_dataset(job->options.store, &request, dataset, diagnostic);
    if (status != STATUS_OK && diagnostic->file[0] == '\0') {
        config_locate(job->config, NULL, diagnostic);
    }
    return status != STATUS_OK || file == NULL ? status
                                               : check_shape(job, dataset, file, diagnostic);
}

/* Loads the images to train with, and those for validation, which must be others. */
static enum status load_training(struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    TRY(load_split(job, DATASET_TRAIN, config->data_train_images, &job->train, diagnostic));
    if (config->data_validation_images == 0) {
        return STATUS_OK;
    }
    TRY(load_split(job, DATASET_VALIDATION, config->data_validation_images, &job->validation,
                   diagnostic));
    const uint32_t left = job->validation.available - job->validation.count;
    if (job->train.count <= left) {
        return STATUS_OK;
    }
    return config_refuse(config, "data.validation_images", NULL, diagnostic,
                         "%u images to train with and %u for validation are more than the training "
                         "set has, %u\vdata.train_images: %u at most",
                         job->train.count, job->validation.count, job->validation.available, left);
}

/* The same of a set whose images are known before they are loaded. */
static enum status check_set(const struct job *job, struct diagnostic *diagnostic)
{
    struct dataset like = {.count = 0};
    return dataset_shape(config_data_set_text(job->config->data_set), &like)
               ? check_shape(job, &like, NULL, diagnostic)
               : STATUS_OK;
}

/* ---- programs ---- */

static enum status set_program(const struct job *job, struct job_program *program, const char *path,
                               struct diagnostic *diagnostic)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');
    (void)snprintf(program->name, sizeof program->name, "%.*s",
                   dot == NULL ? (int)strlen(name) : (int)(dot - name), name);
    TRY(job_store_image(job->options.store, path, &program->image, program->digest, diagnostic));
    return machine_check_program(&job->config->machine, &program->image, diagnostic);
}

/* Whether any ARM program lies in the folder: its builder had a compiler. */
static bool has_programs(const char *folder)
{
    DIR *files = opendir(folder);
    bool any = false;
    for (const struct dirent *file = NULL;
         files != NULL && !any && (file = readdir(files)) != NULL;) {
        const char *dot = strrchr(file->d_name, '.');
        any = dot != NULL && strcmp(dot, ".elf") == 0;
    }
    if (files != NULL) {
        (void)closedir(files);
    }
    return any;
}

/* What to do about a program that is not among those built. */
static const char *missing_hint(const struct job *job)
{
    return has_programs(job->options.workloads_folder)
               ? "other programs are there: build again, or name the folder that has it with "
                 "--workloads"
               : "no program is there: they are built with arm-none-eabi-gcc; install "
                 "gcc-arm-none-eabi and libnewlib-arm-none-eabi, then build again";
}

static void drop_programs(struct job *job)
{
    for (size_t i = 0; i < job->program_count; i++) {
        elf_image_deinit(&job->program[i].image);
    }
    free(job->program);
    job->program = NULL;
    job->program_count = 0;
}

/* Links the program of an experiment. */
static enum status link_network_program(struct job *job, const struct sim_config *config,
                                        const struct mapping_program *program,
                                        struct diagnostic *diagnostic)
{
    struct program_recipe recipe;
    char *path = NULL;
    job->program = calloc(1, sizeof *job->program);
    if (job->program == NULL) {
        return no_memory(diagnostic);
    }
    job->program_count = 1;
    program_recipe_make(config, &job->network, job->table, program, &recipe);
    if (!program_has_parts(job->options.workloads_folder, recipe.format)) {
        return file_refuse(job->options.workloads_folder, missing_hint(job), diagnostic,
                           "the programs of networks are linked from parts, and there are none for "
                           "%s",
                           recipe.format);
    }
    TRY((job->ships_program ? program_ship : program_link)(&recipe, job->options.workloads_folder,
                                                           &path, diagnostic));
    const enum status status = set_program(job, job->program, path, diagnostic);
    (void)snprintf(job->program->name, sizeof job->program->name, "%s", recipe.name);
    job->program->way = program_way(&job->program->image);
    free(path);
    return status;
}

/* Loads the program of a configuration's mapping, mode, format and exchange. */
static enum status load_program_for(struct job *job, const struct sim_config *config,
                                    struct diagnostic *diagnostic)
{
    struct mapping_program program;
    drop_programs(job);
    TRY(mapping_program(config, &job->network, &program, diagnostic));
    program.tight = job->tight;
    return link_network_program(job, config, &program, diagnostic);
}

/* For choose_mapping(). */
static const struct elf_image *program_for(void *context, const struct sim_config *config)
{
    struct job *job = context;
    struct diagnostic why = {0};
    return load_program_for(job, config, &why) == STATUS_OK ? &job->program->image : NULL;
}

static struct plan_request request_of(const struct job *job)
{
    return (struct plan_request){.config = job->config,
                                 .network = &job->network,
                                 .table = job->table,
                                 .images = &job->classified,
                                 .train_images =
                                     job->config->mode == CONFIG_MODE_TRAIN ? &job->train : NULL};
}

/* mapping.kind: auto. */
static enum status choose(struct job *job, struct diagnostic *diagnostic)
{
    const struct plan_request request = request_of(job);
    job->chosen = malloc(sizeof *job->chosen);
    if (job->chosen == NULL) {
        return no_memory(diagnostic);
    }
    *job->chosen = *job->config;
    TRY(choose_mapping(&request, program_for, job, job->chosen, diagnostic));
    job->config = job->chosen;
    return STATUS_OK;
}

/* Loads the program of the job's network, again where the plan has to be tight.  What does not fit
 * at all is refused by who makes the plan. */
static enum status load_network_program(struct job *job, struct diagnostic *diagnostic)
{
    struct plan_request request = request_of(job);
    TRY(load_program_for(job, job->config, diagnostic));
    request.program = &job->program->image;
    job->tight = load_plan_needs_tight(&request);
    return job->tight ? load_program_for(job, job->config, diagnostic) : STATUS_OK;
}

/* Finds a program: by the path as written, beside the configuration or in the configuration folder;
 * else among the programs built here. */
static enum status find_app(const struct job *job, size_t index, char **path,
                            struct diagnostic *diagnostic)
{
    char key[32];
    const char *file = job->config->app[index].file;
    (void)snprintf(key, sizeof key, "app[%zu].file", index);
    const enum status status = config_find_file(job->config, key, file, path, diagnostic);
    if (status == STATUS_OK || strchr(file, '/') != NULL) {
        return status;
    }
    *path = status == STATUS_CONFIGURATION ? file_join(job->options.workloads_folder, file) : NULL;
    if (*path == NULL) {
        return no_memory(diagnostic);
    }
    if (access(*path, F_OK) == 0) {
        *diagnostic = (struct diagnostic){0}; /* it has been found here */
        return STATUS_OK;
    }
    free(*path);
    *path = NULL;
    diagnostic_hint(diagnostic,
                    "looked beside the configuration, in the configuration folder and among the "
                    "built programs in %s%s",
                    job->options.workloads_folder,
                    has_programs(job->options.workloads_folder)
                        ? ""
                        : ", of which there are none: they need arm-none-eabi-gcc");
    return status;
}

static enum status load_app_programs(struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    job->program = calloc(config->app_count + 1, sizeof *job->program);
    if (job->program == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; i < config->app_count && status == STATUS_OK; i++) {
        char *path = NULL;
        status = find_app(job, i, &path, diagnostic);
        job->program_count = i + 1;
        if (status == STATUS_OK) {
            status = set_program(job, &job->program[i], path, diagnostic);
        }
        free(path);
    }
    return status;
}

/* Files of the services, and the keys that ask for them. */
static const struct {
    const char *file, *key;
} SERVICES[] = {[JOB_SERVICE_REINJECTOR] = {"reinjector.elf", "run.reinjector"},
                [JOB_SERVICE_SYSTEM] = {"system_monitor.elf", "app"}};

static enum status load_service(struct job *job, enum job_service service,
                                struct diagnostic *diagnostic)
{
    const char *key = SERVICES[service].key;
    const char *file = SERVICES[service].file;
    if (job->config->machine.chip_monitor_cores == 0) {
        return config_refuse(job->config, key, "chip.monitor_cores is 0", diagnostic,
                             "there is no monitor processor for it to run on");
    }
    char *path = file_join(job->options.workloads_folder, file);
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = STATUS_OK;
    if (access(path, F_OK) != 0) {
        status = config_refuse(job->config, key, missing_hint(job), diagnostic,
                               "there is no program %s in %s", file, job->options.workloads_folder);
    } else {
        job->service = service;
        status = set_program(job, &job->monitor, path, diagnostic);
    }
    free(path);
    return status;
}

/* Programs that are linked with SARK need a monitor that does what SC&MP does.  Those of
 * workloads/runtime that can use one find none where the monitor processor has something else to
 * do. */
static enum status load_services(struct job *job, struct diagnostic *diagnostic)
{
    const bool can_have =
        !job->config->run_reinjector && job->config->machine.chip_monitor_cores != 0;
    bool has_sark = false;
    bool wants_system = false;
    for (size_t i = 0; i < job->program_count; i++) {
        const struct elf_image *image = &job->program[i].image;
        has_sark = has_sark || sark_program_is(image);
        wants_system = wants_system || (can_have && sark_program_uses_system(image));
    }
    if (has_sark && job->config->run_reinjector) {
        return config_refuse(job->config, "run.reinjector", "set it to false", diagnostic,
                             "the monitor processors stand in for SC&MP here: a program of app is "
                             "linked with SARK");
    }
    return has_sark || wants_system      ? load_service(job, JOB_SERVICE_SYSTEM, diagnostic)
           : job->config->run_reinjector ? load_service(job, JOB_SERVICE_REINJECTOR, diagnostic)
                                         : STATUS_OK;
}

static enum status load_boot_rom(struct job *job, struct diagnostic *diagnostic)
{
    FREED char *path = file_join(job->options.workloads_folder, BOOT_ROM_FILE);
    job->boot_rom = calloc(1, sizeof *job->boot_rom);
    if (path == NULL || job->boot_rom == NULL) {
        return no_memory(diagnostic);
    }
    if (access(path, F_OK) != 0) {
        return config_refuse(job->config, "run.boot", missing_hint(job), diagnostic,
                             "there is no program %s in %s", BOOT_ROM_FILE,
                             job->options.workloads_folder);
    }
    return boot_rom_read(job->boot_rom, path, diagnostic);
}

/* ---- the host ---- */

/* Refuses a machine that needs more memory than the host has: the operating system would kill the
 * run without a message. */
static enum status check_memory(const struct sim_config *config, struct diagnostic *diagnostic)
{
    struct topology topology;
    enum status status = config_topology(config, &topology, diagnostic);
    if (status == STATUS_OK) {
        const long pages = sysconf(_SC_PHYS_PAGES);
        const long page = sysconf(_SC_PAGESIZE);
        const bool known = pages > 0 && page > 0;
        status = known ? job_check_memory(config, topology.count, (uint64_t)pages * (uint64_t)page,
                                          diagnostic)
                       : STATUS_OK;
    }
    topology_deinit(&topology);
    return status;
}

enum status job_check_memory(const struct sim_config *config, size_t chips, uint64_t host_bytes,
                             struct diagnostic *diagnostic)
{
    enum { LEAST_CHIP_BYTES = 480 * 1024 }; /* measured with an idle chip */
    if (host_bytes / LEAST_CHIP_BYTES >= chips) {
        return STATUS_OK;
    }
    (void)config_refuse(config, "board.width", NULL, diagnostic,
                        "%zu chips take more memory than this computer has, %.1f GiB", chips,
                        (double)host_bytes / (1 << 30));
    diagnostic_hint(diagnostic, "a chip on which nothing runs takes %d KiB",
                    LEAST_CHIP_BYTES / 1024);
    return STATUS_CONFIGURATION;
}

/* ---- the whole ---- */

bool job_is_sampled(const struct sim_config *config)
{
    return config->run_sample_updates > 0 && config->backend == CONFIG_BACKEND_SPINNAKER;
}

/* Checks the keys of a training that goes on from another, or is gone on from. */
static enum status check_continued(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const char *key = config->train_continues ? "train.continues" : "record.last_checkpoint";
    if (!config->train_continues && !config->record_last_checkpoint) {
        return STATUS_OK;
    }
    if (config->stage_count > 0 || job_is_sampled(config)) {
        return config_refuse(config, key, "set it to false", diagnostic,
                             "stages and samples have checkpoints of their own, from which no "
                             "other training goes on");
    }
    return !config->train_continues || job->options.resume != NULL
               ? STATUS_OK
               : config_refuse(config, key,
                               "--resume DIR, the results of a run with "
                               "record.last_checkpoint",
                               diagnostic, "the training has no checkpoint to go on from");
}

static enum status load_checkpoint(struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    struct learning learning;
    if (!job->has_network || config->mode != CONFIG_MODE_TRAIN ||
        config->network_number_format != CONFIG_NUMBER_FORMAT_INT16) {
        return file_refuse("--resume", "mode: train, network.number_format: int16", diagnostic,
                           "only a training in int16 goes on from a checkpoint");
    }
    if (config->record_parameter_norms > 0) {
        return file_refuse("--resume", "set record.parameter_norms: 0, or run it as a whole",
                           diagnostic,
                           "record.parameter_norms follows a run from its first update on");
    }
    TRY(learning_of(config, &job->network, job->train.count, &learning, diagnostic));
    TRY(checkpoint_read(&job->checkpoint, job->options.resume, &learning, job->table,
                        job->train.digest_hex, config->train_continues, diagnostic));
    if (config->train_continues && job->weights.block != NULL) { /* the state goes on with these */
        memcpy(job->checkpoint.parameters, job->weights.block,
               weights_block_bytes(&job->network, job->table));
    }
    job->resumes = true;
    return STATUS_OK;
}

/* Makes the int8 network; scales of outputs are measured on training images. */
static enum status make_int8(struct job *job, struct diagnostic *diagnostic)
{
    struct dataset images = {0};
    const bool of_files = job->config->data_set == CONFIG_DATA_SET_FILES; /* may have fewer */
    enum status status =
        load_split(job, DATASET_TRAIN, of_files ? 0 : QUANTISE_IMAGES, &images, diagnostic);
    if (status == STATUS_OK) {
        images.count = images.count < QUANTISE_IMAGES ? images.count : QUANTISE_IMAGES;
        status = quantise(&job->network, &job->table, &job->weights, &images, diagnostic);
    }
    dataset_deinit(&images);
    return status;
}

static enum status prepare_network(struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    struct mapping_program program;
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    const bool on_machine = config->backend == CONFIG_BACKEND_SPINNAKER;
    const bool chooses = on_machine && config->mapping_kind == CONFIG_MAPPING_KIND_AUTO;
    TRY(number_formats_check(config, diagnostic));
    TRY(job_open_backend(job, diagnostic));
    TRY(load_network(job, diagnostic));
    TRY(operators_check(config, &job->network, diagnostic));
    if (on_machine && !chooses) {
        TRY(mapping_program(config, &job->network, &program, diagnostic));
    }
    TRY(check_set(job, diagnostic));
    if (!trains || config->network_weights[0] != '\0' || job->options.given.parameters != NULL) {
        TRY(load_weights(job, diagnostic));
    }
    if (config->network_number_format == CONFIG_NUMBER_FORMAT_INT8) {
        TRY(make_int8(job, diagnostic));
    }
    if (trains) {
        TRY(load_training(job, diagnostic));
    }
    TRY(load_split(job, DATASET_TEST, config->data_test_images, &job->test, diagnostic));
    if (job->validation.count == 0) {
        job->classified = dataset_borrow(&job->test);
    } else {
        TRY(dataset_join(&job->classified, &job->test, &job->validation, diagnostic));
    }
    if (chooses) {
        TRY(choose(job, diagnostic));
    }
    return on_machine ? load_network_program(job, diagnostic) : STATUS_OK;
}

static enum status prepare(struct job *job, struct diagnostic *diagnostic)
{
    const bool on_machine = job->config->backend == CONFIG_BACKEND_SPINNAKER;
    TRY(job_check_energy(job->config, diagnostic));
    if (on_machine) {
        TRY(check_memory(job->config, diagnostic));
    }
    TRY(check_continued(job, diagnostic));
    TRY(job->has_network ? prepare_network(job, diagnostic) : load_app_programs(job, diagnostic));
    TRY(dataflow_app_load(job->config, &job->graph, diagnostic));
    /* stages and samples have checkpoints of their own: sealed_state.h */
    if (job->options.resume != NULL && job->config->stage_count == 0 &&
        !job_is_sampled(job->config)) {
        TRY(load_checkpoint(job, diagnostic));
    }
    if (on_machine) {
        TRY(load_services(job, diagnostic));
    }
    if (on_machine && job->config->run_boot == CONFIG_BOOT_ROM) {
        TRY(load_boot_rom(job, diagnostic));
    }
    return job_identify(job, diagnostic);
}

enum status job_ship_program(struct job *job, const struct sim_config *config,
                             const struct job_options *options, struct diagnostic *diagnostic)
{
    *job = (struct job){
        .config = config, .options = *options, .has_network = true, .ships_program = true};
    enum status status = number_formats_check(config, diagnostic);
    if (status == STATUS_OK) {
        status = load_network(job, diagnostic);
    }
    if (status == STATUS_OK) {
        status = operators_check(config, &job->network, diagnostic);
    }
    if (status == STATUS_OK) {
        status = load_program_for(job, config, diagnostic);
    }
    if (status != STATUS_OK) {
        job_deinit(job);
    }
    return status;
}

enum status job_prepare(struct job *job, const struct sim_config *config,
                        const struct job_options *options, struct diagnostic *diagnostic)
{
    *job = (struct job){.config = config, .options = *options, .has_network = !config->has_app};
    const enum status status = prepare(job, diagnostic);
    if (status != STATUS_OK) {
        job_deinit(job);
    }
    return status;
}

enum machine_stop job_run_plain(void *context, struct machine *machine, uint64_t time_ps)
{
    (void)context;
    return machine_run_until(machine, time_ps);
}

void job_deinit(struct job *job)
{
    drop_programs(job);
    if (job->service != JOB_SERVICE_NONE) {
        elf_image_deinit(&job->monitor.image);
    }
    backend_library_close(&job->library);
    free(job->boot_rom);
    free(job->chosen);
    free(job->table);
    weights_deinit(&job->weights);
    checkpoint_deinit(&job->checkpoint);
    dataset_deinit(&job->train);
    dataset_deinit(&job->test);
    dataset_deinit(&job->validation);
    dataset_deinit(&job->classified);
    network_deinit(&job->network);
    dataflow_graph_deinit(&job->graph);
    *job = (struct job){0};
}
