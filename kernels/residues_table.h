/* SPDX-License-Identifier: Apache-2.0
 * The moduli of clg_residues, and what follows from them. tests/kernels/residues_table.py wrote this. */
#ifndef MODULI
#define MODULI 14 /* or 13, without the last one */
#endif

/* Modulus, weights of a sum's bytes, and the inverse (residue_of()). */
#define FOLDS \
    (int4)(256, (int)0x1u, 1262485632, 998244352), \
    (int4)(255, (int)0x1010101u, 1262485504, 998277249), \
    (int4)(253, (int)0x1b090301u, 1262485465, 998343822), \
    (int4)(251, (int)0x7d190501u, 1262485445, 998411456), \
    (int4)(247, (int)0xf4510901u, 1262485439, 998550010), \
    (int4)(241, (int)0x1f00f01u, 1262485504, 998766465), \
    (int4)(239, (int)0x96321101u, 1262485577, 998841031), \
    (int4)(233, (int)0x333f1701u, 1262485628, 999072412), \
    (int4)(229, (int)0xf52a1b01u, 1262485437, 999233402), \
    (int4)(227, (int)0x64bd1d01u, 1262485544, 999316024), \
    (int4)(223, (int)0x22e62101u, 1262485517, 999485716), \
    (int4)(217, (int)0x4e022701u, 1262485630, 999751982), \
    (int4)(211, (int)0xe5ab2d01u, 1262485501, 1000033392), \
    (int4)(199, (int)0xb4413901u, 1262485609, 1000647119)

/* Of numbers with 64 bits: the weights of the upper bytes. */
#define UPPER_FOLDS \
    (int2)((int)0x0u, 1262485632), \
    (int2)((int)0x1010101u, 1262485504), \
    (int2)((int)0xa6e2f651u, 1262485514), \
    (int2)((int)0x403f717bu, 1262485472), \
    (int2)((int)0x3d991094u, 1262485481), \
    (int2)((int)0xf01f00fu, 1262485399), \
    (int2)((int)0x3303d66eu, 1262485557), \
    (int2)((int)0xc626cf08u, 1262485600), \
    (int2)((int)0x3d94fcbcu, 1262485610), \
    (int2)((int)0x960c6ecdu, 1262485580), \
    (int2)((int)0xf290807u, 1262485496), \
    (int2)((int)0x5f08c304u, 1262485624), \
    (int2)((int)0x6460e633u, 1262485492), \
    (int2)((int)0x5605232eu, 1262485569)

/* P is the product of the moduli. REDUCE_ALL: a part's product and its inverse; then each of its moduli with
 * its number and inverse. By whole numbers: weights in words of 16 bits, P in two, log2 P rounded by less
 * than the slack, and 2^80 / P. */
#define LIMBS 7
#if MODULI == 14
#define LOG2_P 110.16112730295708
#define P_INVERSE 0x1.c9e518641aa18p-111
#define P_HIGH 0x1.1e3fc471eb000p+110
#define P_LOW 0x1.13bdc01086e92p+68
#define REDUCE_ALL(PART, MODULUS) \
    PART(0x1.ee2de20000000p+31, 0x1.093b510fbf0d4p-32) \
    MODULUS(0, 256, 0x1.0000000000000p-8) \
    MODULUS(1, 255, 0x1.0101010101010p-8) \
    MODULUS(2, 253, 0x1.03091b51f5e1ap-8) \
    MODULUS(3, 251, 0x1.05197f7d73404p-8) \
    PART(0x1.617cab63aa000p+39, 0x1.72cc17db90b7dp-40) \
    MODULUS(4, 247, 0x1.0953f39010954p-8) \
    MODULUS(5, 241, 0x1.0fef010fef011p-8) \
    MODULUS(6, 239, 0x1.12358e75d3033p-8) \
    MODULUS(7, 233, 0x1.19453808ca29cp-8) \
    MODULUS(8, 229, 0x1.1e2ef3b3fb874p-8) \
    PART(0x1.ad8ff01824000p+38, 0x1.3121151820113p-39) \
    MODULUS(9, 227, 0x1.20b470c67c0d9p-8) \
    MODULUS(10, 223, 0x1.25e22708092f1p-8) \
    MODULUS(11, 217, 0x1.2e025c04b8097p-8) \
    MODULUS(12, 211, 0x1.3698df3de0748p-8) \
    MODULUS(13, 199, 0x1.49539e3b2d067p-8)
#define WEIGHTS \
    (double2)(0x1.4af9bb23b8000p+107, 0x1.ed366131bfd87p+61), \
    (double2)(0x1.e0730f7df2000p+109, 0x1.4a8ada21096cep+69), \
    (double2)(0x1.9e197740a0000p+109, 0x1.ea31249d190dbp+66), \
    (double2)(0x1.11b44daf30000p+106, 0x1.157f8ce0e0558p+69), \
    (double2)(0x1.959dba1ed4000p+109, 0x1.269acc549fba4p+69), \
    (double2)(0x1.d3f9c70058000p+109, 0x1.5404ca401da56p+69), \
    (double2)(0x1.c71fc39610000p+108, 0x1.3e7351822d438p+66), \
    (double2)(0x1.6e1a9ef494000p+109, 0x1.47af7c96507e3p+69), \
    (double2)(0x1.067fc962e0000p+110, 0x1.627be4eba15a2p+69), \
    (double2)(0x1.81de6aed04000p+109, 0x1.84d8fc60d93d4p+68), \
    (double2)(0x1.086d6ad9bc000p+110, 0x1.44d02e3c70d30p+69), \
    (double2)(0x1.66ccfaf43e000p+109, 0x1.ac86f6951af09p+69), \
    (double2)(0x1.d2ae54e566000p+109, 0x1.4d33dc3c1eb8dp+69), \
    (double2)(0x1.98842ba66e000p+109, 0x1.ec073cce9479cp+69)
#define P_UPPER 0x478ff11c7ad1UL
#define P_LOWER 0x3bdc01086e91ad00UL
#define LOG2_P_FLOAT 110.1611f
#define P_INVERSE_80 0x1.c9e518641aa18p-31f
#define LIMBS_OF_WEIGHTS \
    {3585, 14331, 52262, 15782, 7616, 52697, 2647}, \
    {25088, 11675, 17441, 20827, 48745, 25071, 15374}, \
    {50944, 25654, 37492, 43204, 5127, 12008, 13251}, \
    {63744, 2735, 39964, 45041, 48354, 53558, 1094}, \
    {5376, 63303, 35475, 54105, 55972, 46915, 12979}, \
    {12544, 46252, 18435, 32921, 2858, 14560, 14975}, \
    {64768, 46349, 17928, 63949, 24836, 64569, 7281}, \
    {35072, 4037, 37578, 62959, 37544, 21470, 11715}, \
    {41472, 11075, 40308, 20348, 47148, 62040, 16799}, \
    {5888, 37844, 50701, 19855, 41112, 52573, 12347}, \
    {35328, 6751, 51086, 39429, 28456, 23222, 16923}, \
    {10240, 24082, 53923, 37086, 34805, 40798, 11481}, \
    {21504, 55065, 34691, 42619, 44265, 51868, 14933}, \
    {23040, 36664, 39378, 32999, 52733, 34164, 13072}
#else
#define LOG2_P 102.52450268241344
#define P_INVERSE 0x1.63f115f5d0b39p-103
#define P_HIGH 0x1.703d73109e000p+102
#define P_LOW 0x1.27b68341f26f6p+61
#define REDUCE_ALL(PART, MODULUS) \
    PART(0x1.ee2de20000000p+31, 0x1.093b510fbf0d4p-32) \
    MODULUS(0, 256, 0x1.0000000000000p-8) \
    MODULUS(1, 255, 0x1.0101010101010p-8) \
    MODULUS(2, 253, 0x1.03091b51f5e1ap-8) \
    MODULUS(3, 251, 0x1.05197f7d73404p-8) \
    PART(0x1.8b2a1c6200000p+31, 0x1.4bb0915768747p-32) \
    MODULUS(4, 247, 0x1.0953f39010954p-8) \
    MODULUS(5, 241, 0x1.0fef010fef011p-8) \
    MODULUS(6, 239, 0x1.12358e75d3033p-8) \
    MODULUS(7, 233, 0x1.19453808ca29cp-8) \
    PART(0x1.ee5204da2c000p+38, 0x1.0927ed70a203cp-39) \
    MODULUS(8, 229, 0x1.1e2ef3b3fb874p-8) \
    MODULUS(9, 227, 0x1.20b470c67c0d9p-8) \
    MODULUS(10, 223, 0x1.25e22708092f1p-8) \
    MODULUS(11, 217, 0x1.2e025c04b8097p-8) \
    MODULUS(12, 211, 0x1.3698df3de0748p-8)
#define WEIGHTS \
    (double2)(0x1.187ecea5a8000p+102, 0x1.954005fb3baadp+61), \
    (double2)(0x1.71af223200000p+94, 0x1.a2ca81044638ap+61), \
    (double2)(0x1.5a685a078a000p+102, 0x1.73141ccb58410p+57), \
    (double2)(0x1.48a0e93cba000p+102, 0x1.956a7a15d56e0p+60), \
    (double2)(0x1.6d422253da000p+102, 0x1.c5f9191e4aa91p+60), \
    (double2)(0x1.ec015f50a0000p+101, 0x1.c69660c475d7bp+60), \
    (double2)(0x1.27d31b1920000p+99, 0x1.1a2f5dd7b0278p+60), \
    (double2)(0x1.7b4d942fe0000p+100, 0x1.f7e2f13271df4p+60), \
    (double2)(0x1.68332a1fe8000p+101, 0x1.008e6afbfbd20p+59), \
    (double2)(0x1.7859de7af8000p+99, 0x1.a2f57be7b858ap+61), \
    (double2)(0x1.317d98db46000p+102, 0x1.6cb6684c85646p+61), \
    (double2)(0x1.08b9be1306000p+102, 0x1.4a8f012982a2ap+61), \
    (double2)(0x1.411e88bd34000p+100, 0x1.25d2c634e54f0p+57)
#define P_UPPER 0x5c0f5cc427UL
#define P_LOWER 0xa4f6d0683e4deb00UL
#define LOG2_P_FLOAT 102.5245f
#define P_INVERSE_80 0x1.63f115f5d0b39p-23f
#define LIMBS_OF_WEIGHTS \
    {23041, 26485, 191, 12968, 43370, 8115, 70}, \
    {5376, 35015, 20512, 46169, 51340, 23659, 0}, \
    {33280, 38576, 10297, 33510, 33250, 39446, 86}, \
    {57344, 23894, 42913, 39254, 20270, 10298, 82}, \
    {37120, 58538, 37265, 40031, 38134, 20616, 91}, \
    {31488, 18269, 26124, 7273, 59924, 32811, 61}, \
    {30720, 31490, 62941, 4514, 55497, 16024, 9}, \
    {62464, 10013, 12051, 8062, 17150, 46297, 23}, \
    {36864, 57310, 29527, 2052, 17405, 1637, 45}, \
    {5376, 63243, 44924, 62558, 62423, 49870, 11}, \
    {36096, 37036, 52489, 44438, 14033, 24422, 76}, \
    {21504, 12372, 57381, 43345, 33985, 11887, 66}, \
    {40448, 27082, 42380, 16971, 35795, 4584, 20}
#endif
