/* A fault for ThreadSanitizer to report in C: two threads write without a lock. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stddef.h>

static volatile int count;
/* Otherwise one may be done before the other begins. */
static pthread_barrier_t both;

static void *add(void *unused) {
    pthread_barrier_wait(&both);
    for (int i = 0; i < 1000; i++) {
        count = count + 1;
    }
    return unused;
}

int main(void) {
    pthread_t other;
    if (pthread_barrier_init(&both, NULL, 2) != 0 || pthread_create(&other, NULL, add, NULL) != 0) {
        return 2;
    }
    add(NULL);
    return pthread_join(other, NULL) == 0 ? 0 : 2;
}
