/* SPDX-License-Identifier: Apache-2.0
 * The process's signal handlers and mask are the same after the library's first use as before it,
 * whatever the OpenCL runtime installs meanwhile. Handlers that the program installs meanwhile
 * stay. With the argument `known` the program has loaded the drivers before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "device/opencl.h"
#include "support/check.h"

static volatile sig_atomic_t caught;

static void note(int number) {
    caught = number;
}

/* ---- What the program does meanwhile; these functions take precedence over OpenCL's ---------- */

static bool meanwhile; /* the program does so now */

static void late(int number) {
    caught = -number;
}

static void *own_of(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    assert_non_null(found);
    return found;
}

/* Before any runtime has installed a handler. */
CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *out,
                                                 cl_uint *count) {
    cl_int (*own)(cl_uint, cl_platform_id *, cl_uint *) = own_of("clGetPlatformIDs");
    const cl_int error = own(room, out, count);
    if (meanwhile)
        assert_true(signal(SIGTERM, late) != SIG_ERR);
    return error;
}

/* A driver that replaces what the program has set a moment before. */
static void replace_late(cl_platform_id platform) {
    enum { MOMENT_US = 20000 };
    void *const of_driver =
        clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetPlatformIDsKHR");
    assert_non_null(of_driver);
    assert_true(signal(SIGXCPU, late) != SIG_ERR);
    usleep(MOMENT_US);
    assert_true(signal(SIGXCPU, (void (*)(int))(uintptr_t)of_driver) != SIG_ERR);
}

/* When PoCL has installed all of its handlers. */
CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type,
                                               cl_uint room, cl_device_id *out, cl_uint *count) {
    cl_int (*own)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *) =
        own_of("clGetDeviceIDs");
    const cl_int error = own(platform, type, room, out, count);
    if (meanwhile) {
        replace_late(platform);
        assert_true(signal(SIGUSR2, late) != SIG_ERR);
        assert_true(signal(SIGHUP, SIG_IGN) != SIG_ERR);
        assert_true(signal(SIGINT, SIG_DFL) != SIG_ERR);
    }
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count,
                                               const cl_device_id *devices, const char *options,
                                               void(CL_CALLBACK *notify)(cl_program, void *),
                                               void *user) {
    cl_int (*own)(cl_program, cl_uint, const cl_device_id *, const char *,
                  void(CL_CALLBACK *)(cl_program, void *), void *) = own_of("clBuildProgram");
    const cl_int error = own(program, count, devices, options, notify, user);
    if (meanwhile)
        assert_true(signal(SIGALRM, late) != SIG_ERR);
    return error;
}

/* ---- Snapshots ---- */

/* Signal dispositions and the calling thread's mask. */
struct picture {
    bool readable[NSIG];
    struct sigaction action[NSIG];
    sigset_t mask;
};

static void take(struct picture *p) {
    memset(p, 0, sizeof *p);
    for (int s = 1; s < NSIG; s++)
        p->readable[s] = sigaction(s, NULL, &p->action[s]) == 0;
    assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &p->mask), 0);
}

/* The C library's own flag on every action that was set through it: no change in behaviour. */
enum { RESTORER = 0x04000000 };

static bool same_set(const sigset_t *a, const sigset_t *b) {
    for (int s = 1; s < NSIG; s++)
        if (sigismember(a, s) != sigismember(b, s))
            return false;
    return true;
}

/* A mask means something only with a handler: ThreadSanitizer's sigaction() fills in others. */
static bool same_action(const struct sigaction *a, const struct sigaction *b) {
    const bool handles = a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
    return a->sa_handler == b->sa_handler && ((a->sa_flags ^ b->sa_flags) & ~RESTORER) == 0 &&
           (!handles || same_set(&a->sa_mask, &b->sa_mask));
}

static void assert_unchanged(const struct picture *before, const char *after_what) {
    struct picture now;
    int changed = 0;
    take(&now);
    for (int s = 1; s < NSIG; s++) {
        if (!before->readable[s] || same_action(&before->action[s], &now.action[s]))
            continue;
        print_error("%s changed the handler of signal %d (%s)\n", after_what, s, strsignal(s));
        changed++;
    }
    assert_int_equal(changed, 0);
    assert_true(same_set(&before->mask, &now.mask));
}

static clgemm_status multiply(clgemm_handle *handle, int64_t size) {
    static float a[200 * 200], b[200 * 200], c[200 * 200];
    return handle ? clgemm_handle_sgemm(handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS,
                                        size, size, size, 1, a, size, b, size, 0, c, size)
                  : clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, size, size,
                                 size, 1, a, size, b, size, 0, c, size);
}

/* Before anything has used OpenCL: three handlers, one signal ignored, two blocked. Done in the
 * test itself because the test runner installs its own handlers before it. */
static void prepare(void) {
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigset_t blocked;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGTERM);
    assert_int_equal(sigaction(SIGINT, &action, NULL), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_true(signal(SIGFPE, SIG_IGN) != SIG_ERR);
    assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, NULL), 0);
}

static bool no_device, known;

/* The first call, in which the program changes six dispositions. */
static void first_call(struct picture *before) {
    meanwhile = true;
    clgemm_status first = multiply(NULL, 33);
    meanwhile = false;
    no_device = first == CLGEMM_STATUS_NO_DEVICE;
    if (no_device)
        skip();
    assert_int_equal(first, CLGEMM_SUCCESS);
    const struct {
        int signal;
        void (*handler)(int);
    } changed[] = {{SIGTERM, late},   {SIGUSR2, late}, {SIGHUP, SIG_IGN},
                   {SIGINT, SIG_DFL}, {SIGALRM, late}, {SIGXCPU, late}};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        struct sigaction now;
        assert_int_equal(sigaction(changed[i].signal, NULL, &now), 0);
        if (now.sa_handler != changed[i].handler)
            print_error("the program's own change of %s was undone\n",
                        strsignal(changed[i].signal));
        assert_true(now.sa_handler == changed[i].handler);
        before->action[changed[i].signal] = now;
    }
    assert_unchanged(before, "the first call");
}

/* One test in the order of a program's life, because only the first use is first. */
static void handlers_survive(void **state) {
    (void)state;
    clgemm_handle *handle = NULL;
    struct picture before;
    cl_uint count;
    if (known)
        clGetPlatformIDs(0, NULL, &count);
    prepare();
    take(&before);
    first_call(&before);
    assert_int_equal(multiply(NULL, 200), CLGEMM_SUCCESS);
    assert_unchanged(&before, "a call with another program");
    assert_int_equal(clgemm_create(&handle, NULL), CLGEMM_SUCCESS);
    assert_unchanged(&before, "clgemm_create");
    assert_int_equal(multiply(handle, 150), CLGEMM_SUCCESS);
    clgemm_destroy(handle);
    assert_int_equal(clgemm_clear_cache(), CLGEMM_SUCCESS);
    assert_unchanged(&before, "clearing up");
    raise(SIGUSR1);
    assert_int_equal(caught, SIGUSR1);
    raise(SIGALRM);
    assert_int_equal(caught, -SIGALRM);
    raise(SIGSEGV);
    assert_int_equal(caught, SIGSEGV);
}

int main(int argc, char **argv) {
    known = argc > 1 && strcmp(argv[1], "known") == 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(handlers_survive)};
    int failed = cmocka_run_group_tests_name("signals", tests, NULL, NULL);
    return no_device ? CLG_TEST_SKIP : failed;
}
