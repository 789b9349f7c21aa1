/* SPDX-License-Identifier: Apache-2.0
 * The named suites: fixed lists, so that figures of different days can be compared. */
#include "src/common/shape.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Powers of two and their neighbours, which no tile divides, and two round decimal sizes. */
static bool add_squares(struct shape_list *list, char *why, size_t room) {
    return shapes_parse_sizes(list,
                              "255,256,257,511,512,513,1000,1023,1024,1025,2047,2048,2049,3000,"
                              "4095,4096,4097,8191,8192,8193",
                              why, room);
}

/* Layers of speech networks: m outputs, a batch of n samples, k inputs. */
static bool add_deepbench(struct shape_list *list, char *why, size_t room) {
    static const int64_t layers[] = {1760, 2048, 2560}, batches[] = {16, 32, 64, 128, 7000};
    for (size_t i = 0; i < COUNT(layers); i++)
        for (size_t j = 0; j < COUNT(batches); j++)
            if (!shapes_add(list, (struct shape){layers[i], batches[j], layers[i]}, why, room))
                return false;
    return shapes_parse(list, "5124x700x2048,35x700x2048,7680x1500x2560,3072x1500x1024", why, room);
}

/* Linear layers of language models: m tokens, n outputs, k inputs. */
static bool add_llm(struct shape_list *list, char *why, size_t room) {
    static const int64_t tokens[] = {1, 4, 16, 128, 1024};
    static const struct {
        int64_t n, k;
    } layers[] = {{5120, 5120}, {13824, 5120}, {5120, 13824}, {32000, 4096}};
    for (size_t i = 0; i < COUNT(tokens); i++)
        for (size_t j = 0; j < COUNT(layers); j++) {
            struct shape shape = {tokens[i], layers[j].n, layers[j].k};
            if (!shapes_add(list, shape, why, room))
                return false;
        }
    return true;
}

static bool add_skinny(struct shape_list *list, char *why, size_t room) {
    return shapes_parse(list,
                        "4096x1x4096,4096x4x4096,4096x16x4096,64x64x65536,128x128x32768,"
                        "65536x64x64",
                        why, room);
}

static const struct {
    const char *name;
    bool (*add)(struct shape_list *list, char *why, size_t room);
} suites[] = {
    {"squares", add_squares},
    {"deepbench", add_deepbench},
    {"llm", add_llm},
    {"skinny", add_skinny},
};

bool shapes_add_suite(struct shape_list *list, const char *name, char *why, size_t room) {
    for (size_t i = 0; i < COUNT(suites); i++)
        if (!strcmp(name, suites[i].name))
            return suites[i].add(list, why, room);
    snprintf(why, room, "\"%s\" is not one of squares, deepbench, llm, skinny", name);
    return false;
}

bool shapes_add_default(struct shape_list *list, char *why, size_t room) {
    return shapes_parse_sizes(list, "256-2048*2", why, room) &&
           shapes_parse(list, "1000x777x513", why, room);
}
