/* SPDX-License-Identifier: Apache-2.0
 * Requests that name several devices. No device is needed. */
#include <stdio.h>
#include <string.h>

#include "device/select.h"
#include "support/check.h"
#include "support/facts.h"

/* Platform 0: a CPU, two GPUs and one without a compiler; platform 1: the fastest GPU, and a CPU
 * that is distrusted. */
enum { ENTRIES = 6 };
static struct clg_device_entry entries[ENTRIES];
static const struct clg_device_list list = {entries, ENTRIES};

static int setup(void **state) {
    (void)state;
    for (unsigned i = 0; i < ENTRIES; i++)
        entries[i] = (struct clg_device_entry){
            .platform = i / 4, .device = i % 4, .facts = i % 5 ? clg_test_gpu : clg_test_cpu};
    snprintf(entries[0].facts.name, CLG_FACT_TEXT, "Some CPU");
    snprintf(entries[1].facts.name, CLG_FACT_TEXT, "Fine GPU");
    snprintf(entries[2].facts.name, CLG_FACT_TEXT, "Fine GPU");
    entries[3].facts.has_compiler = false;
    snprintf(entries[4].facts.name, CLG_FACT_TEXT, "GPU called all");
    entries[4].facts.compute_units = 500;
    snprintf(entries[5].facts.platform, CLG_FACT_TEXT, "rusticl");
    snprintf(entries[5].facts.name, CLG_FACT_TEXT, "llvmpipe");
    return 0;
}

/* The indices of the chosen devices, as digits; "" after a failure. */
static const char *choose(const char *request, unsigned *sharers) {
    static char text[CLG_DEVICES_MOST + 1];
    struct clg_device_choice choice;
    const struct clg_device_entry *first;
    const clgemm_status status = clg_device_choose_all(&list, request, &choice);
    assert_int_equal(status, choice.count ? CLGEMM_SUCCESS : CLGEMM_STATUS_NO_DEVICE);
    assert_int_equal(clg_device_choose(&list, request, &first, NULL), status);
    assert_ptr_equal(first, choice.count ? choice.devices[0] : NULL);
    for (int i = 0; i < choice.count; i++)
        text[i] = (char)('0' + (choice.devices[i] - entries));
    text[choice.count] = '\0';
    if (sharers)
        *sharers = choice.sharers;
    return text;
}

static void lists_name_several(void **state) {
    static const char *const cases[][2] = {
        {NULL, "4"},        {"gpu", "4"},      {"gpu:*", "412"},        {"GPU:*", "412"},
        {"cpu:*", "0"},     {"all", "4120"},   {"0:1+0:2", "12"},       {"0:2+0:1", "21"},
        {"0:2", "2"},       {"cpu+gpu", "04"}, {"cpu:*+gpu:*", "0412"}, {"called all+fine", "41"},
        {"llvm+1:0", "54"}, /* distrusted, but named */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(choose(cases[i][0], NULL), cases[i][1]);
}

static void each_process_has_its_part(void **state) {
    static const struct {
        const char *request, *devices;
        unsigned sharers;
    } cases[] = {{"gpu:*%0/1", "412", 1},
                 {"gpu:*%0/2", "4", 1},
                 {"gpu:*%1/2", "12", 1},
                 {"gpu:*%2/3", "2", 1},
                 {"all%1/3", "1", 1},
                 {"all%2/3", "20", 1},
                 {"gpu:*%0/4", "4", 2},
                 {"gpu:*%3/4", "4", 2},
                 {"gpu:*%1/4", "1", 1},
                 {"0:1+0:2%6/7", "1", 4},
                 {"all%2/4294967295", "2", 1073741824},
                 {"all%4/4", "", 1},
                 {"0:1+0:2%1", "", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned sharers;
        assert_string_equal(choose(cases[i].request, &sharers), cases[i].devices);
        assert_int_equal(sharers, cases[i].sharers);
    }
}

static void bad_lists_are_refused_with_what_there_is(void **state) {
    static const char *const twice[] = {"0:1+0:1", "gpu:*+0:2", "all+cpu", "fine+fine",
                                        "gpu+gpu:*"};
    static const char *const unknown[] = {"0:1+7:0",  "0:1+",      "+0:1",
                                          "+",        "0:1++0:2",  "0:1+0:3",
                                          "none+0:1", "acc:*+0:1", "accelerator:*"};
    (void)state;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        assert_string_equal(choose(twice[i], NULL), "");
        clg_test_assert_error_says("twice");
        clg_test_assert_error_says("1:0 GPU called all (gpu)");
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_string_equal(choose(unknown[i], NULL), "");
        clg_test_assert_error_says("no usable OpenCL device matches");
        clg_test_assert_error_says("0:3");
        clg_test_assert_error_says("has no OpenCL compiler");
    }
}

static void one_that_is_alone_is_that_one(void **state) {
    struct clg_device_choice choice;
    const struct clg_device_list one = {&entries[1], 1}, none = {NULL, 0};
    (void)state;
    clg_test_assert_success(clg_device_choose_all(&one, "gpu:*", &choice));
    assert_int_equal(choice.count, 1);
    assert_ptr_equal(choice.devices[0], &entries[1]);
    clg_test_assert_status(clg_device_choose_all(&one, "cpu:*", &choice), CLGEMM_STATUS_NO_DEVICE);
    clg_test_assert_status(clg_device_choose_all(&none, "all", &choice), CLGEMM_STATUS_NO_DEVICE);
    clg_test_assert_error_says("there is no OpenCL device");
}

static void there_are_not_too_many(void **state) {
    static struct clg_device_entry many[CLG_DEVICES_MOST + 1];
    struct clg_device_choice choice;
    struct clg_device_list all = {many, CLG_DEVICES_MOST + 1};
    (void)state;
    for (unsigned i = 0; i <= CLG_DEVICES_MOST; i++)
        many[i] = (struct clg_device_entry){.device = i, .facts = clg_test_gpu};
    clg_test_assert_status(clg_device_choose_all(&all, "all", &choice), CLGEMM_STATUS_NO_DEVICE);
    clg_test_assert_error_says("more than 64 devices");
    all.count--;
    clg_test_assert_success(clg_device_choose_all(&all, "all", &choice));
    assert_int_equal(choice.count, CLG_DEVICES_MOST);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_name_several),
        cmocka_unit_test(each_process_has_its_part),
        cmocka_unit_test(bad_lists_are_refused_with_what_there_is),
        cmocka_unit_test(one_that_is_alone_is_that_one),
        cmocka_unit_test(there_are_not_too_many),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
