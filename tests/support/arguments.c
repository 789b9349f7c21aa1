/* SPDX-License-Identifier: Apache-2.0
 * Prints the arguments of a plan's steps. */
#include "support/arguments.h"

static const char *type_of(const struct clg_plan *plan, enum clg_arg_kind kind) {
    static const char *const factors[2][2] = {{"float", "float2"}, {"double", "double2"}};
    const clgemm_type type = plan->problem.type;
    const bool is_pair = clg_type_is_complex(type) && kind >= CLG_ARG_ALPHA && kind <= CLG_ARG_ONE;
    switch (kind) {
    case CLG_ARG_MATRIX:
    case CLG_ARG_WORKSPACE:
        return "global";
    case CLG_ARG_INT:
    case CLG_ARG_FIRST:
    case CLG_ARG_STORED:
        return "int";
    case CLG_ARG_LONG:
    case CLG_ARG_OFFSET:
    case CLG_ARG_NUMBERS:
        return "long";
    default:
        return factors[clg_type_real_size(type) == sizeof(double)][is_pair];
    }
}

void clg_test_print_arguments(FILE *file, const struct clg_plan *plan) {
    for (int s = 0; s < plan->num_steps; s++) {
        const struct clg_step *step = &plan->steps[s];
        fprintf(file, "%s\t", step->source);
        for (int i = 0; i < step->num_args; i++)
            fprintf(file, "%s%s %s", i ? "," : "", type_of(plan, step->args[i].kind),
                    step->args[i].name);
        fprintf(file, "\t%s\n", step->options);
    }
}
