/* SPDX-License-Identifier: Apache-2.0
 * What is measured: our paths and the peers, behind one small set of operations. */
#ifndef BENCH_PEERS_CONTENDER_H
#define BENCH_PEERS_CONTENDER_H

#include "bench/device.h"
#include "bench/problem.h"

enum outcome {
    OUTCOME_OK,
    OUTCOME_SKIPPED, /* cannot do this problem: too large or not offered; why says so */
    OUTCOME_FAILED,  /* an error that it should not make */
};

/* "ok", "skipped", "failed". */
const char *outcome_name(enum outcome outcome);

/* If it is wanted, a contender is either open, or `why` says why not. */
struct contender {
    const struct contender_ops *ops;
    bool wanted, open;
    void *state;
    char about[160]; /* if open: version, threads and the like */
    char why[256];   /* the last error */
    /* The problem at hand, between start and finish. */
    struct device *device;
    const struct problem *problem;
};

/* Functions that return an outcome fill contender->why unless it is OUTCOME_OK. */
struct contender_ops {
    const char *key;    /* in JSON and CSV */
    const char *title;  /* in tables and plots */
    unsigned peer;      /* its PEER_ bit; 0: always measured */
    bool host_matrices; /* reads and writes host matrices; otherwise they are resident */
    bool shares_device; /* works on the matrices of struct device */
    bool host_cores;    /* works on the host's cores, whatever the device is */
    bool loops;         /* computes a batch by a call for each product */

    enum outcome (*open)(struct contender *);
    /* Prepares what the problem needs besides the shared matrices. */
    enum outcome (*start)(struct contender *);
    /* Sets C's start values (scratch holds c_count elements), or copies C to the host. */
    enum outcome (*start_c)(struct contender *, void *scratch);
    enum outcome (*fetch_c)(struct contender *, void *c);
    /* Makes `calls` calls and waits for the last. */
    enum outcome (*run)(struct contender *, int calls);
    void (*finish)(struct contender *);
    void (*close)(struct contender *);
};

/* In the order of the columns, in which they also take turns. */
enum {
    OURS_HOST,
    OURS_DEVICE,
    OPENBLAS,
    CLBLAST,
    CUBLAS,
    VIENNACL,
    CUBLASXT,
    CUBLASXT_PINNED,
    OURS_PACKED,
    CONTENDERS
};

extern const struct contender_ops ours_host_ops, ours_device_ops, ours_packed_ops, openblas_ops,
    clblast_ops, cublas_ops, viennacl_ops, cublasxt_ops, cublasxt_pinned_ops;

/* Opens those whose bit is set in `peers`, and ours. Close in any case. */
void contenders_open(struct contender contenders[CONTENDERS], struct device *device,
                     unsigned peers);
void contenders_close(struct contender contenders[CONTENDERS]);

/* For the operations: sets `why` and returns the outcome. */
enum outcome contender_say(struct contender *contender, enum outcome outcome, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));

/* Start and fetch of C for contenders on the shared device matrices, and for those on the host. */
enum outcome contender_start_device_c(struct contender *contender, void *scratch);
enum outcome contender_fetch_device_c(struct contender *contender, void *c);
enum outcome contender_start_host_c(struct contender *contender, void *scratch);
enum outcome contender_fetch_host_c(struct contender *contender, void *c);

/* A status of OpenCL or of our library as an outcome: lack of memory or of the type is a skip. */
enum outcome contender_status(struct contender *contender, clgemm_status status);

/* For peers on the device that do not check it themselves: skipped if the device lacks the type. */
enum outcome contender_type(struct contender *contender);
/* Skips a type, if the peer's routine for it is not called. */
enum outcome contender_no_routine(struct contender *c);

/* dlopen and dlsym that report what is missing. `names` ends with NULL. */
void *contender_library(struct contender *contender, const char *const *names);
bool contender_symbol(struct contender *contender, void *library, const char *name, void *slot);

#endif
