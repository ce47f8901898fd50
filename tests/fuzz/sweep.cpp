/* sweep.cpp - a sweep's folder: whether it takes a point's results, and its table of them. */
#include "tests/fuzz/result_folder.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

extern "C" {
#include "sim/sweep/sweep.h"
}

namespace
{

constexpr char SIM_HASH[] = "d304";
constexpr char ENERGY_HASH[] = "54cf";
constexpr char CONFIGURATION[] = "name: small\napp: []\n"
                                 "include: [boards/one_chip.yaml, timing/arm968.yaml, "
                                 "energy/spinnaker1.yaml]\nrun: {simulated_time_limit: 1 s}\n";

/* Two points: one with results, if they are taken, and one that was refused. */
class small_sweep
{
  public:
    small_sweep()
        : folder_(make_folder()),
          file_(fuzz_file("small.yaml", CONFIGURATION, sizeof CONFIGURATION - 1)),
          results_("point", {"summary.json", "config.yaml", "counters.csv"})
    {
        static const char *const AXES[] = {"seed=1,=2"};
        const struct sim_config none = {};
        struct diagnostic diagnostic = {};
        request_.run.file = file_.c_str();
        request_.run.configs_folder = SPINN_CONFIGS_FOLDER;
        request_.warn = warn;
        request_.context = this;
        sweep_.request = &request_;
        sweep_.out = fuzz_folder().c_str();
        sweep_.name = name_;
        sweep_.point = point_;
        point_[0].folder = folder_.data();
        (void)snprintf(point_[0].energy_hash, sizeof point_[0].energy_hash, "%s", ENERGY_HASH);
        point_[1].state = POINT_REFUSED;
        point_[1].runs_for = 1;
        point_[1].message = message_;
        if (axes_make(&sweep_.axes, &none, AXES, 1, &diagnostic) != STATUS_OK) {
            fuzz_fail(diagnostic.text);
        }
    }
    ~small_sweep()
    {
        axes_deinit(&sweep_.axes);
    }
    small_sweep(const small_sweep &) = delete;
    small_sweep &operator=(const small_sweep &) = delete;

    void take(const uint8_t *bytes, size_t size)
    {
        struct diagnostic diagnostic = {};
        const std::string table = fuzz_folder() + "/sweep.csv";
        results_.make(bytes, size);
        point_[0].distrusted = false;
        warned_ = false;
        free(point_[0].message);
        point_[0].message = nullptr;
        point_[0].state = POINT_OPEN;
        point_[0].kept = false;
        if (point_find_results(&sweep_, &point_[0], SIM_HASH, &diagnostic) != STATUS_OK) {
            fuzz_fail(diagnostic.text);
        }
        const bool taken = point_[0].kept;
        if (warned_ != point_[0].distrusted || (taken && warned_)) {
            fuzz_fail("results that are not taken without a word, or taken with one");
        }
        if (fuzz_is_good(sweep_write_table(&sweep_, table.c_str(), &diagnostic), diagnostic)) {
            check(table);
        }
    }

  private:
    static std::string make_folder()
    {
        std::string folder = fuzz_folder() + "/point";
        if (mkdir(folder.c_str(), 0700) != 0) {
            fuzz_fail("cannot make " + folder);
        }
        return folder;
    }

    static void warn(void *context, const struct diagnostic *why)
    {
        static_cast<small_sweep *>(context)->warned_ = why->text[0] != '\0';
    }

    /* Of what a spreadsheet finds in a field: neither a formula nor a line end. */
    static void check_field(const std::string &field)
    {
        char *end = nullptr;
        (void)strtod(field.c_str(), &end);
        const bool number = !field.empty() && *end == '\0';
        if (field.find_first_of("\r\n") != std::string::npos ||
            (!number && !field.empty() && strchr("=+-@\t", field[0]) != nullptr)) {
            fuzz_fail("a field of the table: " + field);
        }
    }

    /* The fields of a line, by an own reader. */
    static std::vector<std::string> fields_of(const std::string &line)
    {
        std::vector<std::string> fields(1);
        bool quoted = false;
        for (size_t i = 0; i < line.size(); i++) {
            if (quoted && line.compare(i, 2, "\"\"") == 0) {
                fields.back() += line[i++];
            } else if (line[i] == '"') {
                quoted = !quoted;
            } else if (line[i] == ',' && !quoted) {
                fields.emplace_back();
            } else {
                fields.back() += line[i];
            }
        }
        return fields;
    }

    static void check(const std::string &path)
    {
        std::ifstream stream(path, std::ios::binary);
        std::string line;
        size_t columns = 0;
        size_t rows = 0;
        for (; std::getline(stream, line); rows++) {
            const std::vector<std::string> fields = fields_of(line);
            columns = rows == 0 ? fields.size() : columns;
            if (fields.size() != columns) {
                fuzz_fail("a row of another length than the head: " + line);
            }
            for (const std::string &field : fields) {
                check_field(field);
            }
        }
        if (rows != 3) {
            fuzz_fail("a table of " + std::to_string(rows) + " lines for two points");
        }
    }

    std::string folder_, file_;
    fuzz_result_folder results_;
    char name_[6] = "small";
    char message_[16] = "=1+1, \"x\"\r\n2,";
    struct sweep_request request_ = {};
    struct sweep sweep_ = {};
    struct point point_[2] = {};
    bool warned_ = false;
};

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static small_sweep sweep;
    sweep.take(bytes, size);
}
