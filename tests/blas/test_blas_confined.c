/* SPDX-License-Identifier: Apache-2.0
 * The drop-in in a program that closes descriptors, filters its system calls, or has little room:
 * it ends as it would without the drop-in. Nothing is compiled yet: both caches are empty. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "drop_in.h"
#include "opening.h"
#include "support/cache.h"
#include "support/child.h"
#include "support/device.h"

static void nap(int ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

/* Runs the role with empty caches, by default settings otherwise. With a setting more, all products
 * are for the device. */
static void succeed(void **state, const char *role, const char *more) {
    const struct clg_test_cache *cache = *state;
    char pocl[CLG_TEST_PATH + 32];
    snprintf(pocl, sizeof pocl, "POCL_CACHE_DIR=%s/pocl", cache->scratch);
    const char *const settings[] = {pocl, more, more ? "CLGEMM_MIN_FLOPS=0" : NULL, NULL};
    drop_in_succeed(role, settings);
}

/* ---- Descriptors --------------------------------------------------------------------------- */

static int entries(void) {
    struct clg_test_cache cache = {.scratch = ""};
    snprintf(cache.folder, sizeof cache.folder, "%s/v1", getenv("CLGEMM_CACHE_DIR"));
    return clg_test_cache_tally(&cache).entries;
}

/* As a daemon does, while a better kernel is being compiled: until that and its verdict are kept.
 */
static int close_all(void) {
    drop_in_multiply(213, 0);
    const int general = entries();
    for (int ms = 0; entries() < general + 2 && ms < 60000; ms += 50) {
        for (int file = 3; file < 256; file++)
            close(file);
        nap(50);
    }
    nap(200); /* until the library has noticed, too */
    drop_in_multiply(213, 0.5F);
    return 0;
}

static void descriptors_may_be_closed(void **state) {
    succeed(state, "close all", "CLGEMM_BUILD");
    drop_in_assert_lines("?gemm on=device", 2);
    drop_in_assert_lines("why=interim", 1);
    drop_in_assert_lines("could not be built", 0);
}

/* ---- Filters ------------------------------------------------------------------------------- */

/* Kills the process at such a system call of any thread. */
static int filter_call(unsigned number) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int filter_files(void) {
    if (filter_call(SYS_openat))
        return CLG_TEST_SKIP;
    opening_multiply(OPENING_CALLS + 1);
    return 0;
}

static int filter_processes(void) {
    opening_multiply(1);
#ifdef SYS_clone3
    if (filter_call(SYS_clone3))
        return CLG_TEST_SKIP;
#endif
    if (filter_call(SYS_clone))
        return CLG_TEST_SKIP;
    opening_multiply(OPENING_CALLS);
    return 0;
}

static void a_filter_keeps_the_device_closed(void **state) {
    succeed(state, "filter files", NULL);
    drop_in_assert_lines("sgemm on=cpu why=no-device", OPENING_CALLS + 1);
    drop_in_assert_lines("has set a filter of system calls", 1);
    succeed(state, "filter processes", NULL);
    drop_in_assert_lines("sgemm on=cpu why=little", 1);
    drop_in_assert_lines("sgemm on=cpu why=no-device", OPENING_CALLS);
}

/* ---- Room ---------------------------------------------------------------------------------- */

static int limit(int resource, rlim_t most) {
    const struct rlimit limit = {most, most};
    return setrlimit(resource, &limit);
}

static int little_memory(void) {
#if defined CLG_TEST_ASAN || defined CLG_TEST_TSAN
    return CLG_TEST_SKIP; /* they take terabytes */
#else
    const char *room = getenv("ROOM_MB");
    const rlim_t more = (rlim_t)atoi(room ? room : "0") << 20;
    if (limit(RLIMIT_AS, clg_process_address_space() + more))
        return 1;
    drop_in_multiply(213, 0);
    return 0;
#endif
}

/* Where it is too little, the drop-in says so; where it is enough, the device may be used. */
static void little_memory_is_the_programs(void **state) {
    succeed(state, "little memory", "ROOM_MB=150");
    drop_in_assert_lines(" MB of address space (ulimit -v): ", 1);
    drop_in_assert_lines("?gemm on=cpu why=no-device", 1);
    for (int room = 300; room <= 700; room += 200) {
        char setting[32];
        snprintf(setting, sizeof setting, "ROOM_MB=%d", room);
        succeed(state, "little memory", setting);
        drop_in_assert_lines("?gemm on=", 1);
    }
}

static int few_threads(void) {
    if (!clg_test_become_nobody())
        return CLG_TEST_SKIP;
    if (limit(RLIMIT_NPROC, 1))
        return 1;
    drop_in_multiply(213, 0);
    return 0;
}

static void few_threads_are_the_programs(void **state) {
    succeed(state, "few threads", "CLGEMM_BUILD");
    drop_in_assert_lines("more threads, which a runtime needs, may not be started", 1);
    drop_in_assert_lines("?gemm on=cpu why=no-device", 1);
}

#define TEST(test) \
    cmocka_unit_test_setup_teardown(test, clg_test_cache_setup, clg_test_cache_teardown)

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        TEST(descriptors_may_be_closed),
        TEST(a_filter_keeps_the_device_closed),
        TEST(little_memory_is_the_programs),
        TEST(few_threads_are_the_programs),
    };
    return cmocka_run_group_tests_name("blas: confined", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"close all", close_all},
                                        {"filter files", filter_files},
                                        {"filter processes", filter_processes},
                                        {"little memory", little_memory},
                                        {"few threads", few_threads}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
