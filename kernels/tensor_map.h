/* SPDX-License-Identifier: Apache-2.0
 * Copies of boxes of the caller's matrices in place: of A and B to local memory in the layout of
 * tensor_parts.h, with zeros past the matrix's ends; of C from local memory, without what is past
 * its ends (by an H200: without whole 16 bytes of it). The build puts this text in place of the
 * #include.
 *
 * A tensor map describes a matrix to the copies. It has 128 bytes of undocumented layout, and CUDA
 * makes it on the host by a call that OpenCL lacks. But tensormap.replace sets each field of a map
 * (PTX ISA 8.3), and zeros with all fields set are a map. Each group makes its maps in local memory
 * and copies them to global memory, where the copies read them. */
#define MAP_ARGS , __global uchar *maps /* MAPS for each group */

struct map {
    const __global element *base;
    /* Elements of a line, lines, and products; and the bytes from one line, and from one product,
     * to the next, which are multiples of 16. */
    int extent[3];
    long stride[2];
    int box[2]; /* elements and lines of a copy; the elements take 128 bytes */
};

#define MAP_SET(field, value) \
    PTX("//@ tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " value ";" ::"r"(at) : "memory")
#define MAP_SET_INT(field, place, value)                                                        \
    PTX("//@ tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " place ", %1;" ::"r"(at), \
        "r"(value)                                                                              \
        : "memory")
#define MAP_SET_LONG(field, place, value)                                                           \
    PTX("//@ tensormap.replace.tile." field ".shared::cta.b1024.b64 [%0], " place "%1;" ::"r"(at), \
        "l"(value)                                                                                  \
        : "memory")

/* Fills a map at a shared address that holds zeros; called by one work-item. */
static void map_fill(const uint at, const struct map map) {
    MAP_SET_LONG("global_address", "", map.base);
    MAP_SET("rank", "2"); /* three dimensions, minus one */
    MAP_SET_INT("box_dim", "0", map.box[0]);
    MAP_SET_INT("box_dim", "1", map.box[1]);
    MAP_SET_INT("box_dim", "2", 1);
    MAP_SET_INT("global_dim", "0", map.extent[0]);
    MAP_SET_INT("global_dim", "1", map.extent[1]);
    MAP_SET_INT("global_dim", "2", map.extent[2]);
    MAP_SET_LONG("global_stride", "0, ", map.stride[0]);
    MAP_SET_LONG("global_stride", "1, ", map.stride[1]);
    MAP_SET_INT("element_stride", "0", 1);
    MAP_SET_INT("element_stride", "1", 1);
    MAP_SET_INT("element_stride", "2", 1);
#if PART_TYPE == BF16
    MAP_SET("elemtype", "10");
#else
    MAP_SET("elemtype", "6");
#endif
    MAP_SET("interleave_layout", "0"); /* none */
    MAP_SET("swizzle_mode", "3");      /* of 128 bytes */
    MAP_SET("fill_mode", "0");         /* zeros */
}

/* Makes the maps in local memory, aligned to a map's size, and copies them to global memory. Called
 * by a warp, whose first work-items have one map each. */
static void maps_make(__global uchar *to, __local uint *room, const struct map own) {
    const int lane = (int)get_local_id(0) % 32;
    const uint from = (uint)(size_t)room;
    for (int word = lane; word < MAPS * MAP_BYTES / 4; word += 32)
        room[word] = 0;
    warp_together();
    if (lane < MAPS)
        map_fill(from + lane * MAP_BYTES, own);
    warp_together();
    for (int at = 0; at < MAPS * MAP_BYTES; at += MAP_BYTES)
        PTX("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
            "[%0], [%1], 128;" ::"l"(to + at),
            "r"(from + at)
            : "memory");
}

/* Makes a map visible to the copies of this work-item, which calls it before the first of them. */
static void map_seen(const __global uchar *map) {
    PTX("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

/* Copies the box that begins at `along` of line `line`, and then arrives on the barrier. */
static inline void copy_box(const uint to, const __global uchar *map, const int along, const int line,
                            const int product, const uint arrive_on) {
    PTX("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3, %4}], [%5];" ::"r"(to),
        "l"(map), "r"(along), "r"(line), "r"(product), "r"(arrive_on)
        : "memory");
}

/* The map of a matrix of `rows` along m or n and `depth` along k. A copy has one stage of all rows
 * of a tile if consecutive elements run along k, else of BOX_ROWS of them. */
static struct map map_of(const __global element *base, const bool along_k, const int tile, const int rows,
                         const int depth, const long ld, const int products, const long stride) {
    const struct map map = {
        base,
        {along_k ? depth : rows, along_k ? rows : depth, stride ? products : 1},
        {ld * (long)sizeof(element), (stride ? stride : STAGE_K) * (long)sizeof(element)},
        {along_k ? STAGE_K : BOX_ROWS, along_k ? tile : STAGE_K}};
    return map;
}

/* Copies a stage of a tile. */
static void copy_boxes(const uint to, const __global uchar *map, const bool along_k, const int tile,
                       const int row, const int k, const int product, const uint arrive_on) {
    if (along_k)
        copy_box(to, map, k, row, product, arrive_on);
    else
        for (int r = 0; r < tile; r += BOX_ROWS)
            copy_box(to + r * ROW_BYTES, map, row + r, k, product, arrive_on);
}

/* ---- C ---- */

enum { BOX_COLUMNS = 16, BOX_BYTES = BOX_ROWS * BOX_COLUMNS * 2, BOXES_BYTES = 2 * BOX_BYTES };

static struct map map_of_result(const __global element *base, const int m, const int n, const long ld,
                                const int products, const long stride) {
    const struct map map = {base,
                            {m, n, stride ? products : 1},
                            {ld * (long)sizeof(element), (stride ? stride : BOX_ROWS) * (long)sizeof(element)},
                            {BOX_ROWS, BOX_COLUMNS}};
    return map;
}

/* Waits until the local memory that this work-item's copies to C read may be written again: for all
 * copies, or for all but the last one. */
static inline void boxes_read(const int all) {
    if (all)
        PTX("cp.async.bulk.wait_group.read 0;" ::: "memory");
    else
        PTX("cp.async.bulk.wait_group.read 1;" ::: "memory");
}

static inline void copy_box_out(const __global uchar *map, const int row, const int column,
                                const int product, const uint from) {
    PTX("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];"
        " cp.async.bulk.commit_group;" ::"l"(map),
        "r"(row), "r"(column), "r"(product), "r"(from)
        : "memory");
}

/* Stores four squares of 8 x 8 elements; each work-item of a warp has the address of a line of 16
 * bytes. */
static inline void put_squares(const uint at, const uint x[4]) {
    PTX("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(x[0]),
        "r"(x[1]), "r"(x[2]), "r"(x[3])
        : "memory");
}

#if C_BOXES
/* Writes a warp's part of a tile, BOX_COLUMNS columns of TILE_M rows, times alpha. While a box is
 * copied, the tile's next one is laid out in a second buffer. */
static void write_boxes(const __global uchar *map, const uint boxes, const float *sums, const int row,
                        const int column, const int product, const float alpha) {
    const int lane = here((int)get_local_id(0)) % 32;
    const int own_column = lane % 16, own_eight = lane / 16; /* of the line whose address it has */
#pragma unroll
    for (int r = 0; r < TILE_M; r += BOX_ROWS) {
        const uint box = boxes + r / BOX_ROWS % 2 * BOX_BYTES;
        boxes_read(r == 0); /* all, if of the tile before */
        warp_together();
#pragma unroll
        for (int eight = 0; eight < BOX_ROWS / 8; eight += 2) {
            const float *of = sums + (r / 8 + eight) * 4;
            uint x[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                x[i] = rounded_pair(alpha * (float2)(of[2 * i], of[2 * i + 1]));
            put_squares(box + own_column * 128 + ((eight + own_eight) ^ (own_column & 7)) * 16, x);
        }
        stores_ready();
        warp_together();
        if (lane == 0)
            copy_box_out(map, row + r, column, product, box);
    }
}
#endif
