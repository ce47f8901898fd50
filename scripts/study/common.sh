# common.sh - sourced by the scripts of this folder: the checkout, the program, recorded tables, numbers of result folders.
. "$(dirname -- "$0")/../checkout.sh"
program=${BUILD:-build}/spinnsim
recorded=${RECORDED:-docs/results/recorded}

# experiment NAME: its file.
experiment() {
    if [ -e "configs/study/$1.yaml" ]; then
        echo "configs/study/$1.yaml"
    else
        echo "configs/experiments/$1.yaml"
    fi
}

# of SUMMARY KEY: prints the first number of that key that stands alone on its line, in six digits.
of() {
    awk -F'[:,]' -v key="\"$2\"" 'index($1, key) { print $2 + 0; exit }' "$1"
}

# text SUMMARY KEY: prints the first text of that key.
text() {
    sed -n "s/.*\"$2\": \"\(.*\)\".*/\1/p" "$1" | head -n 1
}

# of_each TABLE WRITER [PREFIX]: rows of a recorded table: those of the names in $wanted by WRITER NAME, those of the others in $all, which begin with
# PREFIX and their name, as they were.
of_each() {
    for name in $all; do
        case " $wanted " in
        *" $name "*) "$2" "$name" ;;
        *) grep "^${3:-}$name," "$recorded/$1.csv" 2>/dev/null || true ;; # never recorded
        esac
    done
}

# keep TABLE...: tables that were made in $out are the recorded ones now.
keep() {
    mkdir -p "$recorded"
    for table in "$@"; do
        mv "$out/$table.csv" "$recorded/$table.csv"
    done
}

# accuracies IMAGES SEED: trains on this computer by the recipe in $network, $program_of (int16 or float32), $optimizer, $batch, $rate, $momentum and $warm_up with so
# many images of all epochs; prints validation accuracy and test accuracy, in ten-thousandths, which are 0 where it diverges.  An epoch has up to 50,000 images, and all epochs have as many;
# the last 10,000 of the training set validate.  Each training runs once: $kept_in, a folder, keeps what it has given; $out is a folder for what passes.
accuracies() {
    kept=$kept_in/$network-$program_of-$optimizer-$batch-$rate-$momentum-$warm_up-$1-$2
    if [ ! -e "$kept" ]; then
        epochs=$((($1 + 49999) / 50000))
        "$program" baseline "configs/experiments/${network}_train.yaml" --program "$program_of" --threads 1 --repeat 1 --format csv --set "seed=$2" \
            --set data.validation_images=10000 --set "data.train_images=$(($1 / epochs))" --set "train.epochs=$epochs" --set "train.optimizer=$optimizer" \
            --set "train.global_batch=$batch" --set "train.learning_rate=$rate" --set "train.momentum=$momentum" --set "train.warm_up=$warm_up" >"$out/row.csv" 2>"$out/error.txt" || {
            grep -q diverge "$out/error.txt" || {
                cat "$out/error.txt" >&2
                exit 1
            }
        }
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i } NR == 2 { printf "%.0f %.0f\n", 10000 * $column["validation_accuracy"], 10000 * $column["accuracy"] }
            END { if (NR == 0) print "0 0" }' \
            "$out/row.csv" >"$kept.new"
        mv "$kept.new" "$kept"
    fi
    cat "$kept"
}
