/* train CONFIG.yaml KEY=VALUE: trains LeNet-1 for two epochs of generated digits, and looks at a
 * weight behind each. */
#include <spinnsim.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *const set[] = {"data.train_images=192", "data.test_images=20",
                               "train.epochs=2",        "data.set=synthetic",
                               "accept=null",           argc == 3 ? argv[2] : ""};
    const struct spinnsim_options options = {.set = set, .set_count = sizeof set / sizeof *set};
    struct spinnsim *experiment;
    struct spinnsim_error error;
    bool ended = false;
    if (argc != 3 || spinnsim_open(argv[1], &options, &experiment, &error) != SPINNSIM_OK) {
        (void)fprintf(stderr, "%s: %s\n", error.key, error.text);
        return 1;
    }
    while (!ended) {
        double weights[100];
        if (spinnsim_run_to(experiment, SPINNSIM_EVENT(SPINNSIM_AFTER_EPOCH), NULL, &ended,
                            &error) != SPINNSIM_OK ||
            spinnsim_read(experiment, "conv1.weights", weights, 100, &error) != SPINNSIM_OK) {
            (void)fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        (void)printf("%s %.13f\n", ended ? "ended" : "epoch", weights[0]);
    }
    spinnsim_close(experiment);
    return 0;
}
