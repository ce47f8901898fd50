/* result_of.c - see result_of.h. */
#include "sim/measure/result_of.h"

#include "sim/experiment/experiment.h"
#include "sim/file.h"
#include "sim/measure/temporary.h"
#include "sim/steps.h"

#include <ftw.h>
#include <unistd.h>

static enum status record(const struct experiment_request *request, const char *folder,
                          struct diagnostic *diagnostic)
{
    RELEASED(experiment_destroy) struct experiment *experiment = NULL;
    struct experiment *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = experiment_prepare(made, request, diagnostic);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    experiment = made;
    TRY(experiment_record(experiment, folder, false, diagnostic));
    status = experiment_verdict(experiment, diagnostic);
    return status == STATUS_REJECTED ? STATUS_OK : status;
}

enum status result_of_take(struct result_of *result, const char *what, const char *configs_folder,
                           const struct job_options *options, struct diagnostic *diagnostic)
{
    const struct experiment_request request = {
        .file = what, .configs_folder = configs_folder, .job = *options};
    *result = (struct result_of){0};
    if (!file_ends_in(what, ".yaml")) {
        result->folder = file_print("%s", what);
        return result->folder == NULL ? no_memory(diagnostic) : STATUS_OK;
    }
    TRY(temporary_folder(&result->temporary, diagnostic));
    result->folder = file_join(result->temporary, "results");
    return result->folder == NULL ? no_memory(diagnostic)
                                  : record(&request, result->folder, diagnostic);
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *place)
{
    (void)stat;
    (void)type;
    (void)place;
    (void)remove(path);
    return 0;
}

void result_of_release(struct result_of *result)
{
    enum { OPEN_FOLDERS = 8 };
    if (result->temporary != NULL) {
        (void)nftw(result->temporary, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    }
    free(result->temporary);
    free(result->folder);
    *result = (struct result_of){0};
}
