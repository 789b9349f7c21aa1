/* SPDX-License-Identifier: Apache-2.0
 * The moduli of clg_residues, and what follows from them. tests/kernels/residues_table.py wrote this. */
#ifndef MODULI
#define MODULI 14 /* or 13, without the last one; GAUSSIAN: 14 others */
#endif
/* FOLDS: modulus, weights of a sum's bytes, and the inverse (residue_of()). UPPER_FOLDS: of numbers with 64 bits,
 * the weights of the upper bytes. P is the product of the moduli. REDUCE_ALL: a part's product and its inverse; then
 * each of its moduli with its number and inverse. WEIGHTS: in two doubles, and in words of 16 bits, as has P; log2 P
 * is rounded by less than the slack; 2^80 / P. GAUSSIAN: roots of -1, and what they make of the second parts' bytes;
 * weights of sums, x, and of differences, y. */
#define LIMBS 7
#if GAUSSIAN
#define FOLDS \
    (int4)(241, (int)0x1f00f01u, 1262485504, 998766465), \
    (int4)(233, (int)0x333f1701u, 1262485628, 999072412), \
    (int4)(229, (int)0xf52a1b01u, 1262485437, 999233402), \
    (int4)(221, (int)0x19b2301u, 1262485504, 999572865), \
    (int4)(205, (int)0x10c03301u, 1262485429, 1000331274), \
    (int4)(197, (int)0xa4bf3b01u, 1262485588, 1000756676), \
    (int4)(193, (int)0xafac3f01u, 1262485578, 1000982602), \
    (int4)(181, (int)0xdc0e4b01u, 1262485534, 1001720295), \
    (int4)(173, (int)0x16e15301u, 1262485584, 1002268944), \
    (int4)(157, (int)0x2743c601u, 1262485507, 1003533984), \
    (int4)(149, (int)0xdde8d601u, 1262485493, 1004268386), \
    (int4)(137, (int)0x3b32ee01u, 1262485615, 1005530807), \
    (int4)(113, (int)0xf9fc1e01u, 1262485624, 1007746492), \
    (int4)(109, (int)0x2d1b2601u, 1262485540, 1008095194)
#define UPPER_FOLDS \
    (int2)((int)0xf01f00fu, 1262485399), \
    (int2)((int)0xc626cf08u, 1262485600), \
    (int2)((int)0x3d94fcbcu, 1262485610), \
    (int2)((int)0x23019b23u, 1262485572), \
    (int2)((int)0xc03301fcu, 1262485624), \
    (int2)((int)0xedf94658u, 1262485503), \
    (int2)((int)0xc1ff31abu, 1262485590), \
    (int2)((int)0x31d270fu, 1262485610), \
    (int2)((int)0x24dd0ab3u, 1262485522), \
    (int2)((int)0x10cfc8c0u, 1262485625), \
    (int2)((int)0xd321caecu, 1262485581), \
    (int2)((int)0xcf38c022u, 1262485602), \
    (int2)((int)0x1311c10u, 1262485617), \
    (int2)((int)0xfcd210deu, 1262485599)
#define ROOT_FOLDS \
    (int4)((int)0x40c4fc40u, (int)0xfc40c4fcu, -211, 0), \
    (int4)((int)0x700fce59u, (int)0xdc8f420du, -52, 0), \
    (int4)((int)0xe0aaa86bu, (int)0x8e961e34u, -64, 0), \
    (int4)((int)0x15594815u, (int)0x48155948u, -155, 0), \
    (int4)((int)0x6602f820u, (int)0x2f8204du, -51, 0), \
    (int4)((int)0x5b4b260eu, (int)0xbb9efb32u, -33, 0), \
    (int4)((int)0x1cf5551u, (int)0xabafac3fu, -121, 0), \
    (int4)((int)0x2855e913u, (int)0x390811b3u, -56, 0), \
    (int4)((int)0x1ec64250u, (int)0xc3e0bf44u, -150, 0), \
    (int4)((int)0xf9f8ca1cu, (int)0xe92902bfu, -39, 0), \
    (int4)((int)0xcef3c42cu, (int)0xd5da080eu, -9, 0), \
    (int4)((int)0xf7bc1325u, (int)0xe011d919u, -14, 0), \
    (int4)((int)0x835fe0fu, (int)0xfc8e00eu, -112, 0), \
    (int4)((int)0xd713ca21u, (int)0xe908efe0u, -108, 0)
#define LOG2_P 104.43282953882888
#define P_INVERSE 0x1.7b4b1c52e1a4cp-105
#define P_HIGH 0x1.5991a2da7f000p+104
#define P_LOW 0x1.3c5e7a0cd2b0ap+63
#define REDUCE_ALL(PART, MODULUS) \
    PART(0x1.52c64b1200000p+31, 0x1.82e67c6c5600cp-32) \
    MODULUS(0, 241, 0x1.0fef010fef011p-8, 64) \
    MODULUS(1, 233, 0x1.19453808ca29cp-8, 89) \
    MODULUS(2, 229, 0x1.1e2ef3b3fb874p-8, 107) \
    MODULUS(3, 221, 0x1.288b01288b013p-8, 21) \
    PART(0x1.c69a578688000p+37, 0x1.20526c2cc55a0p-38) \
    MODULUS(4, 205, 0x1.3fb013fb013fbp-8, 32) \
    MODULUS(5, 197, 0x1.4cab88725af6ep-8, 14) \
    MODULUS(6, 193, 0x1.5390948f40febp-8, 81) \
    MODULUS(7, 181, 0x1.6a13cd1537290p-8, 19) \
    MODULUS(8, 173, 0x1.7ad2208e0ecc3p-8, 80) \
    PART(0x1.261abb0ca0000p+35, 0x1.bdaa33727a24cp-36) \
    MODULUS(9, 157, 0x1.a16d3f97a4b02p-8, 28) \
    MODULUS(10, 149, 0x1.b7d6c3dda338bp-8, 44) \
    MODULUS(11, 137, 0x1.de5d6e3f8868ap-8, 37) \
    MODULUS(12, 113, 0x1.21fb78121fb78p-7, 15) \
    MODULUS(13, 109, 0x1.2c9fb4d812ca0p-7, 33)
#define P_UPPER 0x15991a2da7fUL
#define P_LOWER 0x9e2f3d066958519dUL
#define LOG2_P_FLOAT 104.4328f
#define P_INVERSE_80 0x1.7b4b1c52e1a4cp-25f
#define WEIGHTS \
    (double2)(0x1.4ca9f0b058000p+102, 0x1.b885702e55f9bp+61), \
    (double2)(0x1.ab24151b40000p+101, 0x1.464b57283850fp+62), \
    (double2)(0x1.9770763aa0000p+103, 0x1.a543fe2b55145p+63), \
    (double2)(0x1.0cf315557d000p+104, 0x1.ee1d82e612057p+63), \
    (double2)(0x1.1ce2351588000p+104, 0x1.b4b4bf3e5a220p+62), \
    (double2)(0x1.a4ff64f030000p+102, 0x1.c1d167725cc22p+63), \
    (double2)(0x1.cdf3c326bc000p+103, 0x1.2b00ce42eefabp+63), \
    (double2)(0x1.12ed80260d000p+104, 0x1.ade82886aa731p+63), \
    (double2)(0x1.5792462a9f000p+104, 0x1.bd96ddf8f15f4p+62), \
    (double2)(0x1.19bcd98fe0000p+99, 0x1.665b282870c8ap+61), \
    (double2)(0x1.80ff07e766000p+103, 0x1.52b84a1f779d4p+62), \
    (double2)(0x1.da361967a2000p+103, 0x1.70bec9f9c7354p+58), \
    (double2)(0x1.5064fdae2e000p+103, 0x1.3409bc89a3b76p+63), \
    (double2)(0x1.10a6934766000p+103, 0x1.09b93be42d89dp+63)
#define LIMBS_OF_WEIGHTS \
    {14002, 51903, 44549, 14096, 11286, 10876, 83}, \
    {15604, 3604, 54730, 20882, 41832, 25730, 53}, \
    {9455, 43658, 65301, 53921, 7504, 47163, 203}, \
    {46508, 2306, 49523, 63246, 21885, 62229, 268}, \
    {32569, 38536, 12239, 27949, 5512, 57909, 284}, \
    {4700, 11873, 46009, 57576, 15372, 16345, 105}, \
    {23133, 30589, 26401, 38272, 37726, 63969, 230}, \
    {35088, 21817, 5187, 55028, 9741, 60800, 274}, \
    {52972, 15447, 46974, 28517, 10911, 37446, 343}, \
    {5124, 3609, 25861, 11467, 52351, 52710, 8}, \
    {20875, 56807, 4743, 21678, 62387, 32643, 192}, \
    {54518, 59164, 64295, 1474, 46033, 6924, 237}, \
    {45547, 53723, 56900, 39428, 55063, 12926, 168}, \
    {58747, 5828, 40434, 34012, 41907, 21321, 136}
#define WEIGHTS_Y \
    (double2)(0x1.9cf64544d8000p+103, 0x1.ec84ef3e5b76dp+60), \
    (double2)(0x1.5815f48ed8000p+102, 0x1.2a240c6b772d1p+62), \
    (double2)(0x1.3e68015f1f000p+104, 0x1.043347181cadfp+63), \
    (double2)(0x1.c57620fe48000p+103, 0x1.e76977ea0d242p+61), \
    (double2)(0x1.ac2b14b4d0000p+103, 0x1.2aaeb74968169p+59), \
    (double2)(0x1.fcb499f792000p+103, 0x1.9464b9ff0ad53p+63), \
    (double2)(0x1.29399d507d000p+104, 0x1.5d0af593a69fep+63), \
    (double2)(0x1.3179aad4f2000p+104, 0x1.ddac9ece847fep+63), \
    (double2)(0x1.3f99edec1c000p+103, 0x1.3df3751c2051bp+63), \
    (double2)(0x1.8c3191f258000p+102, 0x1.6fe060f1bd344p+63), \
    (double2)(0x1.529c72e746000p+103, 0x1.c9638c8c4bbbfp+63), \
    (double2)(0x1.a7c3686780000p+103, 0x1.dcef2f125e6c1p+61), \
    (double2)(0x1.e32f507334000p+103, 0x1.d661c455fdc64p+63), \
    (double2)(0x1.533a69d8d6000p+104, 0x1.0c49f449a6e5cp+63)
#define LIMBS_OF_WEIGHTS_Y \
    {27984, 58807, 20211, 7880, 41580, 31522, 206}, \
    {17858, 56779, 794, 19081, 9142, 1405, 86}, \
    {63323, 3670, 41868, 33305, 24351, 26625, 318}, \
    {33873, 16804, 12029, 15597, 32548, 47888, 226}, \
    {46191, 19264, 30138, 2389, 23144, 5514, 214}, \
    {38665, 34154, 23807, 51762, 64457, 23116, 254}, \
    {61774, 54095, 31433, 44677, 20605, 14749, 297}, \
    {60832, 16959, 20327, 61142, 54514, 31146, 305}, \
    {55120, 4136, 47758, 40697, 62990, 52470, 159}, \
    {8493, 56986, 12408, 47088, 31894, 3172, 99}, \
    {62577, 9693, 50758, 58545, 29603, 20025, 169}, \
    {33380, 19405, 58850, 15261, 13248, 57780, 211}, \
    {8227, 65251, 57898, 60208, 14746, 38824, 241}, \
    {57787, 54130, 64036, 34340, 55510, 14953, 339}
#else
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
#define P_UPPER 0x478ff11c7ad1UL
#define P_LOWER 0x3bdc01086e91ad00UL
#define LOG2_P_FLOAT 110.1611f
#define P_INVERSE_80 0x1.c9e518641aa18p-31f
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
#define P_UPPER 0x5c0f5cc427UL
#define P_LOWER 0xa4f6d0683e4deb00UL
#define LOG2_P_FLOAT 102.5245f
#define P_INVERSE_80 0x1.63f115f5d0b39p-23f
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
#endif
