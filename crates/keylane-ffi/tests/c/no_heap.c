/* Replaces the allocation functions of the library in one build of the tests: it must not call any. */
#include <stdio.h>
#include <stdlib.h>

#define REFUSED(name)                                                                                        \
    void refused_##name(void);                                                                               \
    void refused_##name(void) {                                                                              \
        fputs("the library calls " #name "\n", stderr);                                                      \
        abort();                                                                                             \
    }

REFUSED(malloc)
REFUSED(calloc)
REFUSED(realloc)
REFUSED(posix_memalign)
REFUSED(aligned_alloc)
REFUSED(free)
