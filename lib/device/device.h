/* SPDX-License-Identifier: Apache-2.0
 * An open device: its context, facts and a few queues. */
#ifndef CLG_DEVICE_H
#define CLG_DEVICE_H

#include <pthread.h>

#include "base/thread.h"
#include "device/facts.h"

enum {
    CLG_POOLED_QUEUES = 8,
    CLG_IDLE_WORKSPACES = 12,
    CLG_IDLE_COUNTERS = 8,
    CLG_STAGING_MOST = 32,
    CLG_DEVICE_PLACE = 24
};

/* An idle buffer (see device/workspace.h). */
struct clg_workspace {
    cl_mem buffer;
    uint64_t bytes;
    cl_command_queue queue; /* in-order queue that its next use must be in; NULL: any */
};

/* A buffer of zeros (see device/workspace.h). */
struct clg_counters {
    cl_mem buffer;
    cl_event last;          /* of the last command that uses it; NULL: `queue` orders it */
    cl_command_queue queue; /* in-order queue with that command; NULL: none or unknown */
};

/* Pinned host memory (see device/staging.h). */
struct clg_staging_chunk {
    cl_mem buffer;
    void *memory; /* its address on the host */
};

struct clg_device {
    cl_context context;
    cl_device_id id;
    struct clg_facts facts;
    char place[CLG_DEVICE_PLACE]; /* "P:D" by which any process opens it; "": of a caller's context
                                   */
    bool is_helpers;              /* of a helper, which leaves nothing to compile at launches */
    pthread_mutex_t lock;         /* guards the pools below */
    cl_command_queue queues[CLG_POOLED_QUEUES];
    int num_queues;
    struct clg_workspace idle[CLG_IDLE_WORKSPACES];
    int num_idle;
    uint64_t lent;           /* bytes of workspace in use by calls */
    uint64_t workspace_peak; /* the most bytes so far, lent and idle */
    struct clg_counters counters[CLG_IDLE_COUNTERS];
    int num_counters;
    struct clg_staging_chunk staging[CLG_STAGING_MOST]; /* idle */
    int num_staging, staging_held;                      /* the second: idle and lent */
    cl_command_queue staging_queue;                     /* of the first chunk, retained */
    struct clg_workers *workers;                        /* NULL: not needed yet */
};

/* Opens the device that `request` names (see clg_device_choose), in a context of its own. */
clgemm_status clg_device_open(struct clg_device **out, const char *request);

/* The same for all devices that it names, of which out[] has room for CLG_DEVICES_MOST. One that
 * cannot be opened is left out, with a line in the log, unless it is the last that could be. */
clgemm_status clg_device_open_all(struct clg_device *out[], int *count, const char *request);

/* Uses a device of an existing context. Both are retained. */
clgemm_status clg_device_adopt(struct clg_device **out, cl_context context, cl_device_id id);

/* Releases everything that the device holds. NULL is fine. */
void clg_device_close(struct clg_device *device);

/* Threads that help calls on the device to copy, created at the first use. NULL if memory is short.
 */
struct clg_workers *clg_device_workers(struct clg_device *device);

/* Lends an in-order queue, which is created if none is idle, to one thread at a time. If a command
 * has failed, give it back with `healthy` false: it is then released, not lent again. */
clgemm_status clg_queue_take(struct clg_device *device, cl_command_queue *out);
void clg_queue_give(struct clg_device *device, cl_command_queue queue, bool healthy);

/* Creates an in-order queue with profiling. Give it back with `healthy` false, so that it is
 * released. */
clgemm_status clg_queue_create_profiling(struct clg_device *device, cl_command_queue *out);

/* Waits until the queue is empty. After a failure, this precedes returning memory that its commands
 * may still use. */
void clg_queue_drain(cl_command_queue queue);

/* Whether the queue is in-order. */
bool clg_queue_is_in_order(cl_command_queue queue);

/* The context and device of a caller's queue. Fails with CLGEMM_STATUS_INVALID_QUEUE. */
clgemm_status clg_queue_owner(cl_command_queue queue, cl_context *context, cl_device_id *id);

#endif
