/*
 * Every input up to a bound: `exhaustive [-j JOBS] WHAT BOUND`, with WHAT
 *
 *     words  every string of up to BOUND 32-bit words, each at a boundary of
 *            something, and cut by up to three bytes, behind rp_status: the
 *            decoder's answer against rpcgen's (BOUND 8: 193,710,241 inputs)
 *     paths  such strings, and behind the head of a reply of one or of two
 *            elements, through every way a reply is delivered
 *     lists  every list of up to BOUND segments at every budget: encoders
 *     plans  every file of up to BOUND extents, every budget and policy
 *
 * and without arguments a little of each.  The first disagreement is printed
 * and aborts.
 */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exhaustive.h"

static const struct {
    const char *name;
    void (*run)(struct share *share, unsigned bound);
} kinds[] = {{"words", exhaust_words},
             {"paths", exhaust_paths},
             {"lists", exhaust_lists},
             {"plans", exhaust_plans}};

static int usage(void)
{
    fputs("usage: exhaustive [-j JOBS] words|paths|lists|plans BOUND\n",
          stderr);
    return 2;
}

/* One share in a process of its own, which writes how much it did. */
static void begin_share(size_t kind, unsigned bound, struct share share, int to)
{
    pid_t pid = fork();

    HOLDS(pid >= 0);
    if (pid > 0)
        return;
    kinds[kind].run(&share, bound);
    HOLDS(write(to, &share.done, sizeof(share.done)) == sizeof(share.done));
    _exit(0);
}

static uint64_t run(size_t kind, unsigned bound, unsigned jobs)
{
    uint64_t done, sum = 0;
    int ends[2], status;
    unsigned i;

    HOLDS(pipe(ends) == 0);
    for (i = 0; i < jobs; i++)
        begin_share(kind, bound,
                    (struct share){i, jobs, i == 0 && isatty(2), 0}, ends[1]);
    for (i = 0; i < jobs; i++) {
        HOLDS(wait(&status) > 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fputs("exhaustive: a share did not come to its end\n", stderr);
            exit(1);
        }
        HOLDS(read(ends[0], &done, sizeof(done)) == sizeof(done));
        sum += done;
    }
    return sum;
}

/* In one process, for those who look into it. */
static int little(void)
{
    static const unsigned bounds[] = {4, 3, 2, 1};
    size_t kind;

    for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        struct share all = {0, 1, false, 0};

        kinds[kind].run(&all, bounds[kind]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned jobs = 1, bound;
    struct timespec before, after;
    uint64_t sum;
    size_t kind;
    int at = 1;

    if (argc == 1)
        return little();
    if (argc == 5 && strcmp(argv[1], "-j") == 0) {
        jobs = (unsigned)strtoul(argv[2], NULL, 10);
        at = 3;
    }
    if (argc != at + 2 || jobs == 0 || jobs > 1024)
        return usage();
    bound = (unsigned)strtoul(argv[at + 1], NULL, 10);
    for (kind = 0; strcmp(argv[at], kinds[kind].name) != 0;)
        if (++kind == sizeof(kinds) / sizeof(kinds[0]))
            return usage();
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    sum = run(kind, bound, jobs);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    printf("%s %u: %" PRIu64 " cases, 0 disagreements, %ld s, %u jobs\n",
           kinds[kind].name, bound, sum, (long)(after.tv_sec - before.tv_sec),
           jobs);
    return 0;
}
