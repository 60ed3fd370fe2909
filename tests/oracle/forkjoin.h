/* forkjoin.h -- fork-join instances with their optimum in both cases, found by exhaustive search.
 */
#ifndef TGS_TEST_FORKJOIN_H
#define TGS_TEST_FORKJOIN_H
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct fork_join {
    int32_t m;
    const char *tasks;           /* "a,w,b a,w,b ..." */
    double L1, L2, area, forced; /* of case 1; NaN: not recorded */
} fork_join;

static const fork_join table[] = {
    {2, "3,3,5 4,5,1 5,7,5 2,9,1", 15, 14, 13.5, 12},
    {2, "10,8,5 6,9,9 3,5,8 5,9,1", 18, 18, 17.5, 17},
    {2, "6,8,20 4,9,6 13,1,11 20,7,14", 19, 21, 17.5, 19},
    {2, "3,1,3 0,5,8 5,10,6 9,2,5 10,10,3", 20, 16, 15.5, 20},
    {2, "7,8,11 4,4,11 15,10,20 4,5,12 19,6,10", 24, 25, 23.5, 24},
    {3, "5,8,1 5,3,2 1,10,5 0,2,1 0,3,3", 14, 11, 9.333, 14},
    {3, "3,6,3 1,4,4 3,8,9 4,8,8 6,7,3", 16, 17, 14.333, 16},
    {3, "2,5,9 8,3,18 8,9,3 15,4,6 12,3,16", 19, 16, 14.333, 19},
    {3, "1,6,2 5,1,4 5,9,3 5,2,0 1,1,4 1,4,5", 10, 12, 9, 10},
    {3, "9,2,8 2,4,7 9,3,2 1,3,9 1,10,8 9,1,9", 14, 13, 11.333, 14},
    {4, "5,4,3 1,8,2 2,8,5 3,4,3 4,8,3 4,3,1", 15, 14, 11.75, 15},
    {4, "2,5,6 3,3,5 7,1,1 5,1,3 8,7,10 0,4,9", 13, 15, 8.75, 13},
    {4, "14,9,15 17,1,13 10,1,16 10,9,8 5,4,19 3,7,2", 24, 23, 16.333, 24},
    {3, "1,3,0 2,5,2 3,3,2 3,7,3 4,6,1 0,2,0 2,7,5", 13, 13, 11.333, 13},
    {3, "2,9,1 0,7,0 4,4,1 5,9,9 2,4,9 9,2,6 1,10,4", 17, 16, 15.667, 15},
    {3, "13,9,5 7,1,16 3,4,12 17,10,13 14,10,5 20,4,17 9,5,18", 29, 27, 21, 29},
    {3, "6,10,6 6,10,6", 20, 16, NAN, NAN},
    {4, "5,6,5 5,4,5 5,2,5", 12, 11, NAN, NAN},
    {4, "5,4,5 5,4,5 5,4,5", 12, 13, NAN, NAN},
};

enum { FORK_JOINS = sizeof table / sizeof *table };

/* a, w and b of the task at the front of the text; returns what follows */
static inline const char *fork_join_task(const char *s, double part[3])
{
    for (int32_t i = 0; i < 3; i++) {
        char *end;

        part[i] = strtod(s, &end);
        s = end + (*end != 0);
    }
    return s;
}
#endif
