/* SPDX-License-Identifier: Apache-2.0
 * Finds and opens the CPU's BLAS. */
#include "src/tune/cpu_blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"

/* ISO C has no conversion from void * to a function pointer; POSIX promises the same bytes. */
static bool find(void *library, const char *name, void *slot) {
    void *address = dlsym(library, name);
    if (address)
        memcpy(slot, &address, sizeof address);
    return address;
}

/* OpenBLAS reports its core type and threads; others have only a name. */
static void describe(struct cpu_blas *blas, const char *name) {
    const char *(*core)(void), *slash = strrchr(name, '/');
    int (*threads)(void);
    name = slash ? slash + 1 : name;
    if (find(blas->library, "openblas_get_corename", &core) &&
        find(blas->library, "openblas_get_num_threads", &threads))
        snprintf(blas->about, sizeof blas->about, "%.60s, core %.30s, %d threads", name, core(),
                 threads());
    else
        snprintf(blas->about, sizeof blas->about, "%.120s", name);
}

bool cpu_blas_open(struct cpu_blas *out, clgemm_type type, char *why, size_t room) {
    static const char *const functions[] = {[CLGEMM_F32] = "cblas_sgemm",
                                            [CLGEMM_F64] = "cblas_dgemm",
                                            [CLGEMM_CF32] = "cblas_cgemm",
                                            [CLGEMM_CF64] = "cblas_zgemm"};
    const char *const name = functions[type];
    if (!name) {
        snprintf(why, room, "the CPU's BLAS has no standard routine for 16-bit elements");
        *out = (struct cpu_blas){.library = NULL};
        return false;
    }
    const char *wish = clg_env("CLGEMM_CPU_BLAS");
    const char *const names[] = {wish ? wish : "libopenblas.so.0", wish ? NULL : "libblas.so.3",
                                 NULL};
    for (int i = 0; names[i]; i++) {
        *out = (struct cpu_blas){.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL), .type = type};
        void *slot = type == CLGEMM_CF32 || type == CLGEMM_CF64 ? (void *)&out->complex
                     : type == CLGEMM_F64                       ? (void *)&out->dgemm
                                                                : (void *)&out->sgemm;
        if (out->library && find(out->library, name, slot)) {
            describe(out, names[i]);
            return true;
        }
        cpu_blas_close(out);
    }
    if (wish)
        snprintf(why, room, "CLGEMM_CPU_BLAS: \"%.100s\" is not a library with %s", wish, name);
    else
        snprintf(why, room,
                 "neither libopenblas.so.0 nor libblas.so.3 was found with %s; "
                 "CLGEMM_CPU_BLAS may name the CPU's BLAS",
                 name);
    return false;
}

void cpu_blas_multiply(const struct cpu_blas *blas, int m, int n, int k, const void *a,
                       const void *b, void *c) {
    enum { COL_MAJOR = CLGEMM_COL_MAJOR, NO_TRANS = CLGEMM_NO_TRANS };
    static const float one[] = {1, 0}, zero[] = {0, 0};
    static const double wide_one[] = {1, 0}, wide_zero[] = {0, 0};
    const bool wide = blas->type == CLGEMM_CF64;
    if (blas->complex)
        blas->complex(COL_MAJOR, NO_TRANS, NO_TRANS, m, n, k, wide ? (const void *)wide_one : one,
                      a, m, b, k, wide ? (const void *)wide_zero : zero, c, m);
    else if (blas->dgemm)
        blas->dgemm(COL_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1, a, m, b, k, 0, c, m);
    else
        blas->sgemm(COL_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1, a, m, b, k, 0, c, m);
}

void cpu_blas_close(struct cpu_blas *blas) {
    if (blas->library)
        dlclose(blas->library);
    *blas = (struct cpu_blas){0};
}
