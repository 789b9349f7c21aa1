/* SPDX-License-Identifier: Apache-2.0
 * Settings: variables, which files are read and which are not, ScaLAPACK's block, and the devices
 * of MPI processes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drop_in.h"

/* ---- A folder with files --------------------------------------------------------------------- */

static char folder[64];

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char *setting(const char *variable, const char *name) {
    static char settings[4][160];
    static int next;
    char *text = settings[next++ % 4];
    snprintf(text, sizeof settings[0], "%s=%s%s%s", variable, folder, *name ? "/" : "", name);
    return text;
}

static int make_folder(void **state) {
    (void)state;
    char path[128];
    strcpy(folder, "/tmp/clgemm-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/clgemm", folder);
    return mkdir(path, 0700);
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"clgemm/clgemm.conf", "other.conf", "clgemm.conf", "clgemm",
                                        ""};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (remove(path) && i != 1 && i != 2)
            return -1;
    }
    return 0;
}

/* ---- Which file is read ---------------------------------------------------------------------- */

/* What the settings make of a call of 16000 operations, without opening a device. */
static int one_call(void) {
    drop_in_multiply(20, 0);
    return 0;
}

static void is_disabled(const char *const *environment, bool disabled) {
    drop_in_succeed("one call", environment);
    drop_in_assert_lines("?gemm on=cpu why=disabled", disabled);
    drop_in_assert_lines("?gemm on=cpu why=small", !disabled);
}

static void variables_go_before_the_file(void **state) {
    (void)state;
    write_file("clgemm/clgemm.conf", "; a remark\n[other]\nnonsense = 1\n\n[blas]\ndisable = 1\n");
    write_file("other.conf", "[blas]\ndisable=0\n");
    const char *const by_xdg[] = {setting("XDG_CONFIG_HOME", ""), NULL};
    is_disabled(by_xdg, true);
    drop_in_assert_lines("not a setting", 0);
    const char *const by_variable[] = {setting("XDG_CONFIG_HOME", ""), "CLGEMM_DISABLE=0", NULL};
    is_disabled(by_variable, false);
    const char *const by_name[] = {setting("XDG_CONFIG_HOME", ""),
                                   setting("CLGEMM_CONFIG", "other.conf"), NULL};
    is_disabled(by_name, false);
    /* A named file is the only one: if it is missing, no other is read. */
    const char *const missing[] = {setting("XDG_CONFIG_HOME", ""),
                                   setting("CLGEMM_CONFIG", "missing.conf"), NULL};
    is_disabled(missing, false);
    drop_in_assert_lines("missing.conf cannot be read", 1);
}

static int one_call_in_folder(void) {
    const char *there = getenv("TEST_FOLDER");
    return there && chdir(there) == 0 ? one_call() : 1;
}

static void the_working_directory_is_not_looked_at(void **state) {
    (void)state;
    write_file("clgemm.conf", "[blas]\ndisable = 1\n");
    const char *const relative[][5] = {
        {setting("TEST_FOLDER", ""), "XDG_CONFIG_HOME=.", "HOME=/nonexistent", NULL},
        {setting("TEST_FOLDER", ""), "CLGEMM_CONFIG=clgemm.conf", NULL},
        {setting("TEST_FOLDER", ""), "XDG_CONFIG_HOME", "HOME", NULL}};
    for (size_t i = 0; i < sizeof relative / sizeof relative[0]; i++) {
        drop_in_succeed("one call in folder", relative[i]);
        drop_in_assert_lines("?gemm on=cpu why=small", 1);
    }
}

static void a_wrong_line_is_named(void **state) {
    (void)state;
    static const char *const wrong[] = {"[blas]\nmin_flops = many\n", "[blas]\nminflops = 1\n",
                                        "[blas]\npblas_nb = 0\n", "[blas]\ndisable = perhaps\n",
                                        "[blas]\nno sign\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_file("other.conf", wrong[i]);
        const char *const by_name[] = {setting("CLGEMM_CONFIG", "other.conf"), NULL};
        is_disabled(by_name, false);
        drop_in_assert_lines("other.conf:2: not a setting of [blas]", 1);
    }
    /* The lines around it take effect. */
    write_file("other.conf", "[blas]\nnonsense = 1\ndisable = 1\n");
    const char *const by_name[] = {setting("CLGEMM_CONFIG", "other.conf"), NULL};
    is_disabled(by_name, true);
}

/* The program's locale may have decimal commas (the test locale.blas.settings). */
static void numbers_have_decimal_points(void **state) {
    (void)state;
    const clgemm_type drawn = drop_in_type;
    drop_in_type = clg_type_real(drawn); /* complex scalars have commas of their own */
    const char *const variable[] = {"CLGEMM_MIN_FLOPS=16000.5", NULL};
    drop_in_succeed("one call", variable);
    drop_in_assert_lines("is not understood", 0);
    drop_in_assert_lines("?gemm on=cpu why=small ms=", 1);
    drop_in_assert_lines(",", 0);
    drop_in_assert_lines("--alpha 1 --beta 0", 1);
    write_file("other.conf", "[blas]\nmin_flops = 1.6e30\n");
    const char *const file[] = {setting("CLGEMM_CONFIG", "other.conf"), NULL};
    drop_in_succeed("one call", file);
    drop_in_assert_lines("not a setting", 0);
    drop_in_assert_lines("?gemm on=cpu why=small ms=", 1);
    drop_in_assert_lines(",", 0);
    drop_in_type = drawn;
}

/* ---- ScaLAPACK ------------------------------------------------------------------------------- */

typedef int pilaenv(const int *context, const char *precision, size_t length);

static int blocks(void) {
    pilaenv *ask = (pilaenv *)dlsym(RTLD_DEFAULT, "pilaenv_");
    const int context = 0;
    if (!ask)
        return 1;
    printf("blocks");
    for (const char *letter = "SsDdCzI"; *letter; letter++)
        printf(" %d", ask(&context, letter, 1));
    printf("\n");
    return 0;
}

static void products_that_are_taken_get_a_larger_block(void **state) {
    (void)state;
    drop_in_succeed("blocks", NULL);
    drop_in_assert_lines("blocks 512 512 512 512 512 512 32", 1);
    const char *const set[] = {"CLGEMM_PBLAS_NB=384", NULL};
    drop_in_succeed("blocks", set);
    drop_in_assert_lines("blocks 384 384 384 384 384 384 32", 1);
    const char *const disabled[] = {"CLGEMM_PBLAS_NB=384", "CLGEMM_DISABLE=1", NULL};
    drop_in_succeed("blocks", disabled);
    drop_in_assert_lines("blocks 32 32 32 32 32 32 32", 1);
    write_file("other.conf", "[blas]\npblas_nb = 64\n");
    const char *const by_file[] = {setting("CLGEMM_CONFIG", "other.conf"), NULL};
    drop_in_succeed("blocks", by_file);
    drop_in_assert_lines("blocks 64 64 64 64 64 64 32", 1);
}

/* ---- MPI ------------------------------------------------------------------------------------- */

/* Without any device, the drop-in asks for the same one as on a machine with devices. */
static void ranks_ask_for_their_share(void **state) {
    (void)state;
    static const struct {
        const char *rank, *size, *device, *line;
    } cases[] = {
        {"OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=4", "CLGEMM_DEVICE",
         "local rank 1 of 4 by OMPI_COMM_WORLD_LOCAL_RANK: device \"%1/4\""},
        {"MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", "CLGEMM_DEVICE=gpu",
         "local rank 0 of 2 by MPI_LOCALRANKID: device \"gpu%0/2\""},
        {"SLURM_LOCALID=3", "SLURM_STEP_TASKS_PER_NODE=8(x2)", "CLGEMM_DEVICE",
         "local rank 3 of 8 by SLURM_LOCALID: device \"%3/8\""},
        {"MV2_COMM_WORLD_LOCAL_RANK=0", "MV2_COMM_WORLD_LOCAL_SIZE=1", "CLGEMM_DEVICE=cpu",
         "local rank 0 of 1 by MV2_COMM_WORLD_LOCAL_RANK: device \"cpu\""},
        {"OMPI_COMM_WORLD_LOCAL_RANK=4", "OMPI_COMM_WORLD_LOCAL_SIZE=4", "CLGEMM_DEVICE", NULL},
        {"OMPI_COMM_WORLD_LOCAL_RANK=x", "OMPI_COMM_WORLD_LOCAL_SIZE=4", "CLGEMM_DEVICE", NULL},
        {"OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE", "CLGEMM_DEVICE", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const ranks[] = {cases[i].rank,        cases[i].size,
                                     cases[i].device,      "OCL_ICD_VENDORS=/nonexistent/",
                                     "CLGEMM_MIN_FLOPS=0", NULL};
        drop_in_succeed("one call", ranks);
        drop_in_assert_lines("local rank", cases[i].line != NULL);
        drop_in_assert_lines(cases[i].line ? cases[i].line : "?gemm on=", 1);
    }
}

/* ---- The log --------------------------------------------------------------------------------- */

static int one_call_that_nobody_hears(void) {
    int ends[2];
    signal(SIGPIPE, SIG_DFL);
    if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0)
        return 1;
    close(ends[0]);
    return one_call();
}

static void a_closed_log_does_not_end_the_program(void **state) {
    (void)state;
    drop_in_succeed("one call that nobody hears", NULL);
}

static int own_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_go_before_the_file),
        cmocka_unit_test(the_working_directory_is_not_looked_at),
        cmocka_unit_test(a_wrong_line_is_named),
        cmocka_unit_test(numbers_have_decimal_points),
        cmocka_unit_test(products_that_are_taken_get_a_larger_block),
        cmocka_unit_test(ranks_ask_for_their_share),
        cmocka_unit_test(a_closed_log_does_not_end_the_program),
    };
    return cmocka_run_group_tests_name("blas: settings", tests, make_folder, remove_folder);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"one call", one_call},
                                        {"one call in folder", one_call_in_folder},
                                        {"one call that nobody hears", one_call_that_nobody_hears},
                                        {"blocks", blocks}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
