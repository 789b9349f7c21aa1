/* SPDX-License-Identifier: Apache-2.0
 * `clgemm inspect`: what the device's compiler made of a kernel. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "inspect.h"

#include <getopt.h>
#include <stdlib.h>

#include "base/env.h"
#include "clgemm.h"
#include "tool.h"

static const char help[] =
    "usage: clgemm inspect TARGET [options]\n"
    "Builds a kernel and shows what the device's compiler made of it: build log, registers, "
    "spills,\n"
    "memory, and how many instructions of which kind its text has.\n"
    "\n"
    "  TARGET                a kernel of the library, such as tiled, with the first of its "
    "built-in\n"
    "                        parameters that suits the device; ladder:N, a step of the ladder; or\n"
    "                        plan:MxNxK, every program that the library would run for that size\n"
    "      --set NAME=V      for ladder:N, a parameter, such as WPT=4\n"
    "      --binary FOLDER   write the program's binary and its text there\n"
    "  -d, --device DEVICE   P:D, part of a name, cpu or gpu (default: $CLGEMM_DEVICE, else the "
    "best\n"
    "                        GPU, else an accelerator, else a CPU)\n"
    "  -o, --output FORMAT   md or json (default md)\n"
    "      --out FILE        write there, not to standard output\n"
    "  -h, --help            print this and do nothing else\n"
    "\n"
    "Exit: 0 fine, 1 a program could not be built, 2 usage or file error, 77 no usable device, or\n"
    "none that was asked for.\n";

static enum parsed parse(struct inspect_job *job, int argc, char **argv) {
    enum { OPT_OUT = 256, OPT_SET, OPT_BINARY };
    static const struct option names[] = {
        {"device", required_argument, NULL, 'd'},
        {"output", required_argument, NULL, 'o'},
        {"out", required_argument, NULL, OPT_OUT},
        {"set", required_argument, NULL, OPT_SET},
        {"binary", required_argument, NULL, OPT_BINARY},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    char why[160];
    int option;
    while ((option = getopt_long(argc, argv, "d:o:h", names, NULL)) != -1) {
        if (option == 'h')
            return PARSED_HELP;
        if (option == 'd') {
            job->device = optarg;
        } else if (option == OPT_OUT) {
            job->output.path = optarg;
        } else if (option == OPT_BINARY) {
            job->folder = optarg;
        } else if (option == OPT_SET) {
            if (!ladder_set(&job->settings, optarg, why, sizeof why)) {
                fprintf(stderr, "%s: --set: %s\n", argv[0], why);
                return PARSED_WRONG;
            }
        } else if (option != 'o' || !output_set_format(&job->output, argv[0], optarg)) {
            return PARSED_WRONG; /* of anything but -o getopt_long has said so */
        }
    }
    if (argc - optind != 1) {
        fprintf(stderr, "%s: %s\n", argv[0],
                argc == optind ? "what to inspect is missing" : "there is more than one target");
        return PARSED_WRONG;
    }
    job->target = argv[optind];
    return PARSED_RUN;
}

static int inspect_all(FILE *out, struct inspect_job *job, struct clg_device *device) {
    int code = TOOL_OK;
    for (int i = 0; i < job->count; i++) {
        inspect_program(&job->subjects[i], device, &job->findings[i]);
        if (*job->findings[i].failure) {
            fprintf(stderr, "%s: %s: %s\n", job->command, job->subjects[i].name,
                    job->findings[i].failure);
            code = TOOL_FAILED;
        }
    }
    if (job->folder && !inspect_write_files(job))
        code = TOOL_USAGE;
    inspect_report(out, job, &device->facts);
    for (int i = 0; i < job->count; i++)
        inspect_release(&job->findings[i]);
    return code;
}

static int report(FILE *out, void *user) {
    struct inspect_job *job = user;
    struct clg_device *device = NULL;
    char why[512];
    clgemm_status status =
        clg_device_open(&device, job->device ? job->device : clg_env("CLGEMM_DEVICE"));
    if (status) {
        fprintf(stderr, "%s: %s\n", job->command, clgemm_last_error());
        return status == CLGEMM_STATUS_NO_DEVICE ? TOOL_NO_DEVICE : TOOL_FAILED;
    }
    int code = TOOL_USAGE;
    if (inspect_find(job, device, why, sizeof why))
        code = inspect_all(out, job, device);
    else
        fprintf(stderr, "%s: %s\n", job->command, why);
    clg_device_close(device);
    return code;
}

int inspect_command(int argc, char **argv) {
    static struct inspect_job job; /* large */
    job.command = argv[0];
    /* NVIDIA's driver logs registers and spills only where it compiles. */
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    int code;
    if (tool_goes_on(parse(&job, argc, argv), argv[0], help, &code))
        code = output_write(&job.output, argv[0], report, &job);
    return code;
}
