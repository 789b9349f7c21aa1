/* SPDX-License-Identifier: Apache-2.0
 * Matrices in host memory: which host access is used, and that no access touches a byte outside of
 * the matrices, wherever they are. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/check.h"
#include "support/host_access.h"
#include "support/level3.h"

/* ---- Which host access ---- */

static void the_way_follows_from_the_facts(void **state) {
    (void)state;
    const struct clg_facts *facts = &clg_test_host.engine.device->facts;
    const enum clg_host_access way = clg_host_access_of(&clg_test_host.host);
    if (!facts->shares_host_memory)
        assert_int_equal(way, CLG_HOST_COPY);
    else if (!facts->takes_pointers ||
             (facts->kind != CLG_DEVICE_CPU && !facts->takes_host_pointers))
        assert_int_equal(way, CLG_HOST_BUFFER);
    else if (strstr(facts->platform, "Portable Computing Language"))
        assert_int_equal(way, CLG_HOST_POINTER);
    assert_int_equal(clg_host_access_of(&clg_test_host.host), way);
}

static enum clg_host_access way_with(void (*change)(struct clg_facts *)) {
    struct clg_device *device;
    struct clg_engine changed;
    struct clg_host host;
    clg_test_assert_success(
        clg_device_adopt(&device, clg_test_host.cl.context, clg_test_host.cl.device));
    change(&device->facts);
    clg_test_assert_success(clg_engine_open(&changed, device, clg_test_host.store));
    clg_host_open(&host, &changed);
    const enum clg_host_access access = clg_host_access_of(&host);
    clg_host_close(&host);
    clg_engine_close(&changed);
    return access;
}

static void discrete(struct clg_facts *facts) {
    facts->shares_host_memory = false;
}

static void without_svm(struct clg_facts *facts) {
    facts->shares_host_memory = true;
    facts->takes_pointers = facts->takes_host_pointers = false;
}

static void integrated_gpu(struct clg_facts *facts) {
    facts->shares_host_memory = facts->takes_pointers = true;
    facts->takes_host_pointers = false;
    facts->kind = CLG_DEVICE_GPU;
}

static void other_devices_go_other_ways(void **state) {
    (void)state;
    assert_int_equal(way_with(discrete), CLG_HOST_COPY);
    assert_int_equal(way_with(without_svm), CLG_HOST_BUFFER);
    assert_int_equal(way_with(integrated_gpu), CLG_HOST_BUFFER);
}

/* ---- Nothing outside the matrices ---- */

/* A matrix at the start or at the end of memory between two inaccessible pages. */
struct guarded {
    char *pages;
    size_t bytes; /* including the guards */
    void *matrix;
};

static void guard(struct guarded *out, clgemm_type type, size_t count, bool at_end,
                  struct clg_test_random *random) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t bytes = count * clg_type_size(type), room = (bytes + page - 1) / page * page;
    out->bytes = room + 2 * page;
    out->pages = mmap(NULL, out->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(out->pages != MAP_FAILED);
    assert_int_equal(mprotect(out->pages, page, PROT_NONE), 0);
    assert_int_equal(mprotect(out->pages + page + room, page, PROT_NONE), 0);
    out->matrix = out->pages + page + (at_end ? room - bytes : 0);
    for (size_t i = 0; i < count; i++)
        clg_element_set(type, out->matrix, (int64_t)i, clg_test_element(type, random));
}

static void check_guarded(enum clg_host_access way, const struct clg_test_problem *p, bool at_end,
                          int64_t gap, struct clg_test_random *random) {
    const bool ta = p->ta != CLGEMM_NO_TRANS, tb = p->tb != CLGEMM_NO_TRANS;
    const int64_t rows[] = {ta ? p->k : p->m, tb ? p->n : p->k, p->m};
    const int64_t cols[] = {ta ? p->m : p->k, tb ? p->k : p->n, p->n};
    struct guarded x[3];
    const size_t size = clg_type_size(p->type);
    void *old = NULL;
    for (int i = 0; i < 3; i++) {
        const size_t count = (size_t)((cols[i] - 1) * (rows[i] + gap) + rows[i]);
        guard(&x[i], p->type, count, at_end, random);
        if (i == 2) {
            old = clg_test_alloc(count * size);
            memcpy(old, x[2].matrix, count * size);
        }
    }
    clg_test_assert_success(clg_test_run_by(way, p, x[0].matrix, rows[0] + gap, x[1].matrix,
                                            rows[1] + gap, x[2].matrix, rows[2] + gap));
    clg_test_assert_no_fault(clg_test_result_fault(p, x[0].matrix, rows[0] + gap, x[1].matrix,
                                                   rows[1] + gap, old, x[2].matrix, rows[2] + gap));
    for (int64_t j = 0; j + 1 < p->n; j++)
        assert_memory_equal(clg_element_at(p->type, x[2].matrix, p->m + j * (p->m + gap)),
                            clg_element_at(p->type, old, p->m + j * (p->m + gap)),
                            (size_t)gap * size);
    for (int i = 0; i < 3; i++)
        munmap(x[i].pages, x[i].bytes);
    free(old);
}

static void nothing_outside_is_touched(void **state) {
    static const int64_t shapes[][3] = {{37, 29, 41}, {1, 1, 1}, {70, 3, 33}, {97, 130, 75}};
    struct clg_test_random random = clg_test_random_start(1);
    (void)state;
    for (int w = 0; w < clg_test_host.count; w++)
        for (int s = 0; s < 4; s++)
            for (int form = 0; form < 16; form++) {
                const struct clg_test_problem p = {.type = clg_test_type(s + form / 8),
                                                   .layout = CLGEMM_COL_MAJOR,
                                                   .ta = form & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                                   .tb = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                                   .m = shapes[s][0],
                                                   .n = shapes[s][1],
                                                   .k = shapes[s][2],
                                                   .alpha = 1,
                                                   .beta = form & 4 ? -0.7f : 0.0f};
                check_guarded(clg_test_host.access[w], &p, form & 8, form & 4 ? 3 : 0, &random);
            }
}

/* The call's matrices without what is before and behind them. */
static void check_guarded_level3(struct clg_test_level3 *t, bool at_end,
                                 struct clg_test_random *random) {
    struct guarded x[CLG_TEST_MATRICES];
    float alpha[2], beta[2];
    size_t bytes[CLG_TEST_MATRICES];
    for (int i = 0; i < CLG_TEST_MATRICES; i++) {
        const struct clg_test_matrix *m = &t->matrix[i];
        const size_t count =
            (size_t)((m->matrices - 1) * m->stride + (m->vectors - 1) * m->ld + m->length);
        bytes[i] = count * clg_type_size(m->type);
        guard(&x[i], m->type, count, at_end, random);
        memcpy(x[i].matrix, clg_test_matrix_data(m), bytes[i]);
    }
    clg_test_assert_success(clgemm_level3(
        NULL, &t->desc, clg_test_level3_factor(t, t->alpha, alpha), x[CLG_TEST_A].matrix,
        x[CLG_TEST_B].matrix, clg_test_level3_factor(t, t->beta, beta), x[CLG_TEST_C].matrix));
    memcpy(clg_test_matrix_data(&t->matrix[CLG_TEST_C]), x[CLG_TEST_C].matrix, bytes[CLG_TEST_C]);
    clg_test_assert_no_fault(clg_test_level3_fault(t));
    for (int i = 0; i < CLG_TEST_MATRICES; i++)
        munmap(x[i].pages, x[i].bytes);
}

static void level3_touches_nothing_outside(void **state) {
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};
    const int last = clg_test_num_types() == CLG_TYPE_COUNT ? 3 : 1;
    struct clg_test_random random = clg_test_random_start(4);
    (void)state;
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++)
        for (int turn = 0; turn < 4; turn++) {
            struct clg_test_level3 t = clg_test_level3_draw(
                (clgemm_routine)routine, types[clg_test_range(&random, 0, last)],
                (int)clg_test_range(&random, 0, 15), 60, &random);
            t.desc.k += t.desc.k == 0; /* so that there are matrices */
            clg_test_level3_create(&t, &random);
            check_guarded_level3(&t, turn % 2, &random);
            clg_test_level3_destroy(&t);
        }
}

/* ---- Any place in memory, any leading dimension ---- */

static void any_offset_and_gap(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    (void)state;
    for (int w = 0; w < clg_test_host.count; w++)
        for (int form = 0; form < 24; form++) {
            const struct clg_test_problem p = {
                .type = clg_test_type(form / 2),
                .layout = form & 4 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                .ta = form & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                .tb = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                .m = 48 + form,
                .n = 40,
                .k = 36 + 2 * (form % 3),
                .alpha = -0.7f,
                .beta = form % 3 ? 1.5f : 0.0f,
                .gap_a = form % 5,
                .gap_b = form % 3 ? 50 : 0, /* more gap than matrix */
                .gap_c = form % 2 ? 4 : 0,
                .offset_a = (size_t)(form % 7),
                .offset_b = 3,
                .offset_c = (size_t)(form % 4)};
            struct clg_test_case test;
            clg_test_case_create(&test, &p, &random);
            clg_test_assert_success(clg_test_run_by(clg_test_host.access[w], &p,
                                                    clg_test_matrix_data(&test.a), test.a.ld,
                                                    clg_test_matrix_data(&test.b), test.b.ld,
                                                    clg_test_matrix_data(&test.c), test.c.ld));
            clg_test_assert_no_fault(clg_test_case_fault(&test));
            clg_test_case_destroy(&test);
        }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_follows_from_the_facts),
        cmocka_unit_test(other_devices_go_other_ways),
        cmocka_unit_test(nothing_outside_is_touched),
        cmocka_unit_test(level3_touches_nothing_outside),
        cmocka_unit_test(any_offset_and_gap),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
