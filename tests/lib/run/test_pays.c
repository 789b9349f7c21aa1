/* SPDX-License-Identifier: Apache-2.0
 * A family that is right but not known to be fast enough is used if a measurement of the device
 * shows enough products a second. The device is measured once. */
#include <stdlib.h>

#include "gemm/family.h"
#include "program/finding.h"
#include "run/choose.h"
#include "run/engine.h"
#include "support/check.h"
#include "support/device.h"

static struct clg_engine *const engine = &clg_test_fixture.engine;
static struct clg_facts real;

/* An unknown device that reports tensor cores. */
static int set_up(void **state) {
    clg_test_fixture_open(state);
    struct clg_facts *facts = &engine->device->facts;
    real = *facts;
    facts->kind = CLG_DEVICE_GPU;
    facts->mma = true;
    facts->mma_pays = facts->tensor_cores = false;
    return 0;
}

static struct clg_problem large(void) {
    const struct clg_tuning_shape shape = {
        .m = 4096, .n = 4096, .k = 4096, .aligned = true, .math = CLGEMM_MATH_NORMWISE};
    struct clg_problem problem;
    clg_test_assert_success(clg_tuning_problem(&problem, &shape));
    return problem;
}

/* What the models alone choose. */
static struct clg_plan modelled(void) {
    const struct clg_problem problem = large();
    struct clg_plan plan;
    clg_test_assert_success(clg_choose_plan(&plan, &problem, &engine->device->facts, NULL));
    assert_ptr_equal(plan.family, &clg_family_mma);
    return plan;
}

static char *key(void) {
    const struct clg_checked what = {"tensor_mma", "", "pays"};
    char *made = clg_finding_key(&engine->device->facts, &what, 1);
    assert_non_null(made);
    return made;
}

static void assert_known(enum clg_finding finding) {
    char *of = key();
    uint64_t spills;
    assert_int_equal(clg_finding_find(clg_test_fixture.store, of, &spills), finding);
    free(of);
}

static bool is_chosen(void) {
    const struct clg_problem problem = large();
    const struct clg_prepared *prepared;
    clg_test_assert_success(clg_engine_plan(engine, &problem, &prepared));
    const bool chosen = prepared->plan.family == &clg_family_mma;
    clg_engine_release(prepared);
    return chosen;
}

static void it_is_measured_at_the_first_plan(void **state) {
    const struct clg_plan plan = modelled();
    (void)state;
    if (!real.mma)
        skip(); /* compilers for other devices may crash on the instruction */
    assert_known(CLG_FINDING_NONE);
    const bool pays = clg_trust_pays(&engine->trust, &plan);
    assert_known(pays ? CLG_FINDING_RIGHT : CLG_FINDING_WRONG);
    assert_int_equal(is_chosen(), pays);
}

/* Not measured again, in this process or another. */
static void what_was_found_is_believed(void **state) {
    const struct clg_plan plan = modelled();
    char *of = key();
    (void)state;
    clg_finding_keep(clg_test_fixture.store, of, CLG_FINDING_RIGHT, 0);
    assert_true(clg_trust_pays(&engine->trust, &plan));
    clg_finding_keep(clg_test_fixture.store, of, CLG_FINDING_WRONG, 0);
    assert_false(clg_trust_pays(&engine->trust, &plan));
    free(of);
    clg_engine_retune(engine, NULL, NULL); /* forgets plans */
    assert_false(is_chosen());
}

static void devices_that_are_known_are_not_asked(void **state) {
    const struct clg_plan plan = modelled();
    (void)state;
    engine->device->facts.mma_pays = true;
    assert_true(clg_trust_pays(&engine->trust, &plan)); /* whatever was found */
    engine->device->facts.mma_pays = false;
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_measured_at_the_first_plan),
        cmocka_unit_test(what_was_found_is_believed),
        cmocka_unit_test(devices_that_are_known_are_not_asked),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, set_up, clg_test_fixture_close);
}
