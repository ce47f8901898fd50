/* rows.h - the rows by which mappings and exchanges are known to the configuration, the table of
 * mappings and the build.  They stand in the file of the mapping or the exchange, and
 * scripts/cmake/Kinds.cmake collects them into tables/mappings.def; here they are nothing.
 *
 * MAPPING(KIND, MODE, descriptor, lever): the value of mapping.kind, in upper case, and the mode;
 * the mapping (a struct mapping); the configuration key whose larger value gives each core less of
 * the network, "" where there is none.
 *
 * EXCHANGE(NAME, text, descriptor): a value of train.exchange; its plan (a struct exchange_kind).
 *
 * DISTRIBUTION(NAME, text, descriptor): a value of train.distributed, other than allreduce, which
 * leaves it to train.exchange; its plan (a struct exchange_kind, too).
 *
 * PROGRAM(name, descriptor, exchange, formats, operators, of_1998, sources): a program, which is
 * linked for its experiment (program_recipe.h).
 *   exchange   NAME of the exchange or the distribution that the program has
 *   formats    values of network.number_format that it has, for networks without operators
 *              (sim/networks/operators.h)
 *   operators  the same for networks with operators
 *   of_1998    the same for networks with scaled tanh or rbf
 *   sources    in workloads, in the order in which they are linked
 *
 * The build reads them as text: a row begins a line, and has no brackets but its own. */
#pragma once

#define MAPPING(KIND, MODE, descriptor, lever)
#define EXCHANGE(NAME, text, descriptor)
#define DISTRIBUTION(NAME, text, descriptor)
#define PROGRAM(name, descriptor, exchange, formats, operators, of_1998, sources)
