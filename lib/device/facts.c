/* SPDX-License-Identifier: Apache-2.0
 * The properties of a device. */
#include "device/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/error.h"

/* Of OpenCL 2.0. The query fails on devices that do not know it. */
enum { SVM_CAPABILITIES = 0x1053, SVM_FINE_GRAIN_SYSTEM = 1 << 2 };

const char *clg_device_kind_name(enum clg_device_kind kind) {
    static const char *const names[] = {[CLG_DEVICE_CPU] = "cpu",
                                        [CLG_DEVICE_GPU] = "gpu",
                                        [CLG_DEVICE_ACCELERATOR] = "accelerator"};
    return names[kind];
}

/* Reads a text of any length, of the device or else of the platform, which the caller frees. */
static cl_int read_text(cl_device_id id, cl_platform_id platform, cl_uint what, char **out) {
    size_t size = 0;
    cl_int error = id ? clGetDeviceInfo(id, what, 0, NULL, &size)
                      : clGetPlatformInfo(platform, what, 0, NULL, &size);
    *out = error ? NULL : calloc(1, size + 1);
    if (!*out)
        return error ? error : CL_OUT_OF_HOST_MEMORY;
    return id ? clGetDeviceInfo(id, what, size, *out, NULL)
              : clGetPlatformInfo(platform, what, size, *out, NULL);
}

/* The same, cut to the buffer and NUL-terminated. Trailing spaces, which CPU drivers add, are
 * removed because the text becomes part of keys. */
static cl_int query_text(cl_device_id id, cl_platform_id platform, cl_uint what,
                         char out[CLG_FACT_TEXT]) {
    char *text;
    const cl_int error = read_text(id, platform, what, &text);
    if (!error) {
        size_t length = strlen(text);
        while (length && text[length - 1] == ' ')
            length--;
        snprintf(out, CLG_FACT_TEXT, "%.*s", (int)length, text);
    }
    free(text);
    return error;
}

static cl_int query_texts(cl_device_id id, struct clg_facts *facts) {
    cl_platform_id platform = NULL;
    cl_int error;
    if ((error = query_text(id, NULL, CL_DEVICE_NAME, facts->name)) ||
        (error = query_text(id, NULL, CL_DEVICE_VENDOR, facts->vendor)) ||
        (error = query_text(id, NULL, CL_DEVICE_VERSION, facts->version)) ||
        (error = query_text(id, NULL, CL_DRIVER_VERSION, facts->driver)) ||
        (error = clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)) ||
        (error = query_text(NULL, platform, CL_PLATFORM_NAME, facts->platform)) ||
        (error = query_text(NULL, platform, CL_PLATFORM_VERSION, facts->platform_version)))
        return error;
    return CL_SUCCESS;
}

/* A device that is queried, and its extensions: words of any number. */
struct query {
    cl_device_id id;
    char *extensions; /* NULL: it does not report them, and has none */
};

static bool has(const struct query *query, const char *extension) {
    const size_t length = strlen(extension);
    for (const char *word = query->extensions; word && *word; word += strspn(word, " ")) {
        const size_t size = strcspn(word, " ");
        if (size == length && memcmp(word, extension, length) == 0)
            return true;
        word += size;
    }
    return false;
}

/* A CPU device is the host's CPU. Intel's runtime (2026.22) does not report fused multiply-add, but
 * compiles fma() to it. */
static bool host_has_fma(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static cl_int query_traits(const struct query *query, struct clg_facts *facts) {
    const cl_device_id id = query->id;
    cl_device_type type = 0;
    cl_device_local_mem_type local = 0;
    cl_device_fp_config floats = 0, doubles = 0;
    cl_bool available = 0, compiler = 0, unified = 0;
    cl_bitfield svm = 0;
    cl_int error;
    if ((error = clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL)) ||
        (error = clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL)) ||
        (error =
             clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL)) ||
        (error =
             clGetDeviceInfo(id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL)) ||
        (error = clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_TYPE, sizeof local, &local, NULL)) ||
        (error = clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, NULL)))
        return error;
    facts->kind = type & CL_DEVICE_TYPE_GPU   ? CLG_DEVICE_GPU
                  : type & CL_DEVICE_TYPE_CPU ? CLG_DEVICE_CPU
                                              : CLG_DEVICE_ACCELERATOR;
    facts->available = available;
    facts->has_compiler = compiler;
    facts->shares_host_memory = unified;
    if (clGetDeviceInfo(id, SVM_CAPABILITIES, sizeof svm, &svm, NULL))
        svm = 0;
    facts->takes_pointers = svm != 0;
    facts->takes_host_pointers = svm & SVM_FINE_GRAIN_SYSTEM;
    facts->local_is_dedicated = local == CL_LOCAL;
    if (clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL))
        doubles = 0; /* OpenCL 1.1 knows the query only with the extension */
    facts->has_fp64 = doubles != 0;
    facts->fast_fma = (floats & CL_FP_FMA) || (facts->kind == CLG_DEVICE_CPU && host_has_fma());
    facts->has_fp16 = has(query, "cl_khr_fp16");
    return CL_SUCCESS;
}

/* OpenCL reports one cache only; on PoCL it is the last level. A CPU device is the host's CPU, so
 * the system can report the caches of its cores. */
static void query_caches(struct clg_facts *facts) {
#if defined _SC_LEVEL1_DCACHE_SIZE && defined _SC_LEVEL2_CACHE_SIZE
    const long first = sysconf(_SC_LEVEL1_DCACHE_SIZE), second = sysconf(_SC_LEVEL2_CACHE_SIZE);
    facts->first_cache = first > 0 ? (uint64_t)first : 0;
    facts->core_cache = second > 0 ? (uint64_t)second : 0;
#else
    (void)facts;
#endif
}

static cl_int query_limits(cl_device_id id, struct clg_facts *facts) {
    cl_uint align_bits = 0, dimensions = 0;
    size_t group = 0, items[16] = {0};
    const struct {
        cl_device_info what;
        size_t size;
        void *out;
    } queries[] = {
        {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint), &facts->compute_units},
        {CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(cl_uint), &facts->clock_mhz},
        {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), &facts->float_vector},
        {CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits, &align_bits},
        {CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong), &facts->global_memory},
        {CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong), &facts->local_memory},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong), &facts->max_allocation},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group},
        {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, sizeof dimensions, &dimensions},
    };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        cl_int error = clGetDeviceInfo(id, queries[i].what, queries[i].size, queries[i].out, NULL);
        if (error)
            return error;
    }
    if (dimensions > sizeof items / sizeof items[0])
        return CL_INVALID_VALUE;
    cl_int error = clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, dimensions * sizeof items[0],
                                   items, NULL);
    if (error)
        return error;
    if (facts->float_vector == 0)
        facts->float_vector = 1;
    facts->base_alignment = align_bits / 8;
    facts->workspace_max = facts->global_memory / 4;
    if (facts->kind == CLG_DEVICE_CPU)
        query_caches(facts);
    facts->max_work_group = group;
    for (int i = 0; i < 3; i++)
        facts->max_work_items[i] = items[i];
    return CL_SUCCESS;
}

/* Queried through NVIDIA's extensions. PoCL has the first one for NVIDIA devices; other platforms
 * have neither. */
static void query_capability(const struct query *query, struct clg_facts *facts) {
    enum { MAJOR_NV = 0x4000, MINOR_NV = 0x4001 }; /* cl_nv_device_attribute_query */
    cl_uint major = 0, minor = 0;
    if (has(query, "cl_nv_device_attribute_query") &&
        !clGetDeviceInfo(query->id, MAJOR_NV, sizeof major, &major, NULL) &&
        !clGetDeviceInfo(query->id, MINOR_NV, sizeof minor, &minor, NULL))
        facts->capability = 10 * major + minor;
    facts->bounds_registers = has(query, "cl_nv_compiler_options");
    facts->tensor_cores = facts->capability == CLG_HOPPER;
    facts->mma = facts->capability >= CLG_AMPERE;
    facts->mma_pays = facts->capability == CLG_AMPERE || facts->capability == CLG_HOPPER;
    facts->async_copies = facts->capability >= CLG_AMPERE;
}

/* The most registers that Arm's compiler may give a work-item; 0: not told. */
static uint32_t registers_of_arm(const struct query *query) {
    enum { ALLOCATIONS = 0x41EB, COUNT = 16 }; /* cl_arm_scheduling_controls */
    cl_int allocations[COUNT] = {0};
    uint32_t most = 0;
    if (has(query, "cl_arm_scheduling_controls") &&
        !clGetDeviceInfo(query->id, ALLOCATIONS, sizeof allocations, allocations, NULL))
        for (int i = 0; i < COUNT; i++)
            if (allocations[i] > 0 && (uint32_t)allocations[i] > most)
                most = (uint32_t)allocations[i];
    return most;
}

/* The EUs of an Intel subslice are not asked: drivers also tell those of halves of the subslices
 * that share local memory (oneapi-src/level-zero#266). */
static void query_architecture(const struct query *query, struct clg_facts *facts) {
    enum { IP_VERSION_INTEL = 0x4250, WIDE = 16 }; /* cl_intel_device_attribute_query */
    const uint32_t registers = registers_of_arm(query);
    const bool sets = has(query, "cl_intel_required_subgroup_size");
    cl_uint version = 0;
    if (!has(query, "cl_intel_device_attribute_query") ||
        clGetDeviceInfo(query->id, IP_VERSION_INTEL, sizeof version, &version, NULL))
        version = 0;
    facts->arch = clg_facts_architecture(facts, version);
    if (registers)
        facts->arch.registers = registers;
    /* On Xe-HPC and Xe2 it takes 32 by itself, which have half of the registers each. */
    facts->sub_group = sets && facts->arch.simd == WIDE ? WIDE : 0;
}

static void query_dots(const struct query *query, struct clg_facts *facts) {
    enum { ACCELERATION_4X8BIT_PACKED = 0x1075 }; /* cl_khr_integer_dot_product */
    cl_bool accelerated[6] = {0}; /* signed, unsigned, mixed; the same, saturating */
    const bool tells = has(query, "cl_khr_integer_dot_product") &&
                       !clGetDeviceInfo(query->id, ACCELERATION_4X8BIT_PACKED, sizeof accelerated,
                                        accelerated, NULL);
    facts->dots = clg_facts_dots(facts, tells && accelerated[0]);
}

/* Queried through Intel's extensions. */
static void query_exchange(const struct query *query, struct clg_facts *facts) {
    enum { SUB_GROUP_SIZES_INTEL = 0x4108, NEIGHBOURS = 8, MOST = 16 };
    size_t sizes[MOST] = {0};
    if (!has(query, "cl_intel_required_subgroup_size") || !has(query, "cl_intel_subgroups") ||
        clGetDeviceInfo(query->id, SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, NULL))
        return;
    for (int i = MOST - 1; i >= 0; i--) /* ascending */
        if (sizes[i] >= NEIGHBOURS)
            facts->exchange = (uint32_t)sizes[i];
}

bool clg_facts_sets_tensor_maps(const char *platform_version) {
    enum { MAJOR = 12, MINOR = 5, DECIMAL = 10 };
    const char *cuda = strstr(platform_version, "CUDA ");
    char *end = NULL;
    if (!cuda)
        return false;
    const long major = strtol(cuda + strlen("CUDA "), &end, DECIMAL);
    const long minor = *end == '.' ? strtol(end + 1, NULL, DECIMAL) : 0;
    return major > MAJOR || (major == MAJOR && minor >= MINOR);
}

bool clg_facts_works_at_exit(const char *platform) {
    return strstr(platform, "Portable Computing Language") || strstr(platform, "NVIDIA CUDA");
}

static cl_int query_all(const struct query *query, struct clg_facts *out) {
    cl_int error;
    query_capability(query, out);
    if ((error = query_texts(query->id, out)) || (error = query_traits(query, out)) ||
        (error = query_limits(query->id, out)))
        return error;
    query_architecture(query, out);
    query_dots(query, out);
    query_exchange(query, out);
    return CL_SUCCESS;
}

clgemm_status clg_facts_query(cl_device_id id, struct clg_facts *out) {
    struct query query = {.id = id};
    memset(out, 0, sizeof *out);
    cl_int error = read_text(id, NULL, CL_DEVICE_EXTENSIONS, &query.extensions);
    if (error != CL_OUT_OF_HOST_MEMORY)
        error = query_all(&query, out);
    free(query.extensions);
    if (error)
        return clg_cl_fail(error, "clGetDeviceInfo");
    out->tensor_maps = clg_facts_sets_tensor_maps(out->platform_version);
    return CLGEMM_SUCCESS;
}
