/* SPDX-License-Identifier: Apache-2.0
 * Which parts of which tiles a group of clg_tensor computes, and how groups that share a tile add
 * up their sums. The build puts this text in place of the #include. */

/* A unit of work: blocks `first` to `end` - 1 of k for a tile of C. */
struct work {
    int2 corner; /* of the tile */
    int tile, product, first, end;
};

/* Groups take whole tiles in turn. With STREAMED, if there are fewer tiles than compute units, each
 * group has an equal share of the blocks of all tiles, wherever tiles begin and end (Osama et al.,
 * "Stream-K", 2023). The group with a tile's last blocks adds the other groups' sums of it, and
 * writes C.
 *
 * A share is computed from its end, so the first blocks of a tile, for which the next group waits,
 * are computed first. Groups wait only for groups with smaller numbers. Numbers are given in the
 * order in which groups start, so no group waits for one that may not have started. */
struct schedule {
    int tiles_m, tiles_n, tiles, blocks;
    int low, high; /* the work that is left: tiles, or blocks numbered through all tiles */
};

#if STREAMED
/* Where the group's share begins. */
static int share_begin(const int all_blocks, const int group) {
    const int groups = (int)get_num_groups(0);
    return all_blocks / groups * group + min(group, all_blocks % groups);
}
#endif

static struct schedule schedule_of(const int number, const int m, const int n, const int k,
                                   const int products) {
    struct schedule schedule;
    schedule.tiles_m = (m + TILE_M - 1) / TILE_M;
    schedule.tiles_n = (n + TILE_N - 1) / TILE_N;
    schedule.tiles = schedule.tiles_m * schedule.tiles_n * products;
    schedule.blocks = (k + BLOCK_K - 1) / BLOCK_K;
#if STREAMED
    schedule.low = share_begin(schedule.tiles * schedule.blocks, number);
    schedule.high = share_begin(schedule.tiles * schedule.blocks, number + 1);
#else
    schedule.low = number;
    schedule.high = schedule.tiles;
#endif
    return schedule;
}

static bool next_work(struct schedule *schedule, struct work *work) {
    const int tiles = schedule->tiles_m * schedule->tiles_n;
    if (schedule->low >= schedule->high)
        return false;
#if STREAMED
    work->tile = (schedule->high - 1) / schedule->blocks;
    const int begin = work->tile * schedule->blocks;
    work->first = max(schedule->low, begin) - begin;
    work->end = schedule->high - begin;
    schedule->high = begin + work->first;
#else
    work->tile = schedule->low;
    work->first = 0;
    work->end = schedule->blocks;
    schedule->low += (int)get_num_groups(0);
#endif
    work->product = work->tile / tiles;
    work->corner = tile_corner(work->tile % tiles, schedule->tiles_m, schedule->tiles_n);
    return true;
}

#if STREAMED
/* ---- Tiles of several groups ---- */

/* What groups share. Counters are 0 before and after: [0] counts the groups that have started, and
 * a flag for each team of each group says that its sums are stored. Sums are TEAM x SUMS_EACH for
 * each team. */
#define SHARED_ARGS , __global int *counters, __global float4 *sums

/* A number for the group, in the order in which groups start. */
static int group_number(__global int *counters) {
    const int number = atomic_inc((volatile __global int *)counters);
    if (number == (int)get_num_groups(0) - 1)
        counters[0] = 0;
    return number;
}

static __global uint *shared_flag(__global int *counters, const int group, const int team) {
    return (__global uint *)counters + 1 + group * TEAMS + team;
}
static __global float4 *shared_sums(__global float4 *sums, const int group, const int team) {
    return sums + (group * TEAMS + team) * (TEAM * SUMS_EACH / 4) + (int)get_local_id(0) % TEAM;
}

static void give_sums(__global int *counters, __global float4 *sums, const int group, const int team,
                      const float *total) {
    __global float4 *to = shared_sums(sums, group, team);
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e += 4)
        to[e / 4 * TEAM] = (float4)(total[e], total[e + 1], total[e + 2], total[e + 3]);
    memory_fence();
    team_together(team);
    if (get_local_id(0) % TEAM == 0)
        flag_set(shared_flag(counters, group, team));
}

/* Adds the sums of groups `first` to `end` - 1, the last one's first; no other group adds them. */
static void add_sums(__global int *counters, __global float4 *sums, const int first, const int end,
                     const int team, float *total) {
    for (int group = first + (int)get_local_id(0) % TEAM; group < end; group += TEAM) {
        flag_wait(shared_flag(counters, group, team));
        *shared_flag(counters, group, team) = 0;
    }
    team_together(team);
    for (int group = end - 1; group >= first; group--) {
        const __global float4 *from = shared_sums(sums, group, team);
#pragma unroll
        for (int e = 0; e < SUMS_EACH; e += 4) {
            const float4 x = read_shared(from + e / 4 * TEAM);
            total[e] += x.x;
            total[e + 1] += x.y;
            total[e + 2] += x.z;
            total[e + 3] += x.w;
        }
    }
}

/* Whether the group has the tile's last blocks; then `total` has all of the tile's sums after this.
 * Else the group's sums are stored for the group that has. */
static bool completes(__global int *counters, __global float4 *sums, const struct schedule *schedule,
                      const struct work *work, const int number, const int team, float *total) {
    const int blocks = schedule->tiles * schedule->blocks, begin = work->tile * schedule->blocks;
    if (work->end < schedule->blocks) {
        give_sums(counters, sums, number, team, total);
        return false;
    }
    int first = number;
    while (share_begin(blocks, first) > begin)
        first--;
    if (first < number)
        add_sums(counters, sums, first, number, team, total);
    return true;
}
#else
#define SHARED_ARGS
#endif
