/* Processes that are hard to end: each starts the next one and exits, so that no process lives long
 * enough to be found by a slow search. They write to a file for as long as they go on.
 *
 * ring KIND COUNT FILE: COUNT rings at once. They end by themselves after LIFETIME seconds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LIFETIME 25
#define MOST 16
#define STACK 65536
#define STACKS 64

static int beats;
static time_t end;
static atomic_int *population;

static void beat(void) {
    if (time(NULL) > end || write(beats, "x", 1) != 1) _exit(0);
}

/* For as long as the machine has no process left to give, which ends no ring. */
static pid_t forked(void) {
    for (;;) {
        pid_t child = fork();
        if (child >= 0) return child;
        beat();
        usleep(1000);
    }
}

static void forking(int leaves_session, int renames) {
    for (unsigned generation = 0;; generation++) {
        if (forked() != 0) _exit(0);
        if (leaves_session) setsid();
        if (renames) {
            char name[16];
            snprintf(name, sizeof name, "worker/%u", generation);
            prctl(PR_SET_NAME, name);
        }
        beat();
    }
}

/* Shares its memory with the one before it: much faster to start than by fork. The system says when a process is gone
 * and its stack is free. */
static int sharing(void *stacks) {
    static atomic_int is_used[STACKS];
    static atomic_uint turn;
    beat();
    unsigned slot = atomic_fetch_add(&turn, 1) % STACKS;
    while (is_used[slot]) slot = (slot + 1) % STACKS;
    is_used[slot] = 1;
    char *stack = (char *)stacks + (slot + 1) * STACK;
    int flags = CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID;
    while (clone(sharing, stack, flags, stacks, NULL, NULL, &is_used[slot]) < 0) beat();
    _exit(0);
}

/* Each starts two while there are fewer than MOST. One that is stopped or killed still counts. */
static void doubling(void) {
    for (;;) {
        beat();
        for (int child = 0; child < 2; child++) {
            if (atomic_fetch_add(population, 1) >= MOST) {
                atomic_fetch_sub(population, 1);
            } else if (forked() == 0) {
                setsid();
                goto born;
            }
        }
        atomic_fetch_sub(population, 1);
        _exit(0);
    born:;
    }
}

static void *working(void *nothing) {
    for (;;) {
        beat();
        usleep(1000);
    }
    return nothing;
}

/* The first thread is gone, so the system shows the process as a zombie while another thread works. */
static void headless(void) {
    pthread_t worker;
    setsid();
    pthread_create(&worker, NULL, working, NULL);
    syscall(SYS_exit, 0);
}

/* Wakes every process of its group that is stopped. */
static void waking(void) {
    for (;;) {
        if (forked() != 0) _exit(0);
        kill(0, SIGCONT);
        beat();
    }
}

int main(int count, char **args) {
    if (count != 4) return 2;
    const char *kind = args[1];
    beats = open(args[3], O_WRONLY | O_APPEND | O_CREAT, 0600);
    end = time(NULL) + LIFETIME;
    population = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *stacks = mmap(NULL, STACKS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int ring = atoi(args[2]); ring > 0; ring--) {
        if (fork() != 0) continue;
        signal(SIGTERM, SIG_IGN);
        if (strcmp(kind, "plain") == 0) forking(0, 0);
        if (strcmp(kind, "session") == 0) forking(1, 0);
        if (strcmp(kind, "renamed") == 0) forking(1, 1);
        if (strcmp(kind, "shared") == 0) sharing(stacks);
        if (strcmp(kind, "waking") == 0) waking();
        if (strcmp(kind, "headless") == 0) headless();
        if (strcmp(kind, "doubling") == 0) {
            atomic_fetch_add(population, 1);
            doubling();
        }
        _exit(2);
    }
    return 0;
}
