// Writes to the file LATENESS by how many seconds, on average, sysbench notes the arrivals of a run
// with --rate too late. It notes an event's time when its generator has woken up for it
// (eventgen_thread_proc in its src/sysbench.c), so its response times do not contain how late that
// was. An event for which the generator slept was due at the end of its sleep. It goes to sleep
// when no event is due; those without a sleep since its last one were therefore due in between,
// and as arrivals are random, halfway on average. After each event it signals a condition. Loaded
// by LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double events, late;
// Of the thread that sleeps: when the last event with a sleep was due, and the events since, with
// the sum of their times.
static __thread double due, since, noted;

static double now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int nanosleep(const struct timespec *length, struct timespec *left) {
    static int (*real)(const struct timespec *, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "nanosleep");
    double begun = now();
    if (due > 0) events += since, late += noted - since * (due + begun) / 2;
    due = begun + length->tv_sec + length->tv_nsec / 1e9;
    int answer = real(length, left);
    // Its own signal follows.
    events += 1, late += now() - due;
    since = -1, noted = 0;
    return answer;
}

int pthread_cond_signal(pthread_cond_t *condition) {
    static int (*real)(pthread_cond_t *);
    if (!real) real = dlvsym(RTLD_NEXT, "pthread_cond_signal", "GLIBC_2.3.2");
    if (due > 0 && ++since > 0) noted += now();
    return real(condition);
}

__attribute__((destructor)) static void end(void) {
    FILE *out = fopen(getenv("LATENESS"), "w");
    if (!out || fprintf(out, "%g %g\n", late / events, events) < 0 || fclose(out)) abort();
}
