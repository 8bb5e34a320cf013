/*
 * nfs42d as a program of its own, for tests that talk to it over sockets: each
 * has `t`, a client that was greeted, and begin() and end() around it.
 */
#ifndef NFS42_PROGRAM_H
#define NFS42_PROGRAM_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "nfs42_talk.h"

static struct talk t;
static const struct talk_channel much;
static pid_t server;
static uint16_t port;

/* --- the program ---------------------------------------------------------- */

/* In the child.  NFS42D_RUNNER: words before it, as of valgrind. */
static const char *user = "root";

static inline void run(const char *at)
{
    char words[128], *runner = getenv("NFS42D_RUNNER"), *rest = words, *word;
    const char *const ours[] = {NFS42D, "--export",   t.export, "--key",
                                t.key,  "--port",     at,       "--user",
                                user,   "--max-read", "8M"};
    char *argv[40];
    size_t n = 0, i;

    snprintf(words, sizeof(words), "%s", runner != NULL ? runner : "");
    while ((word = strsep(&rest, " ")) != NULL && n < 20)
        if (*word != '\0')
            argv[n++] = word;
    for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        argv[n++] = (char *)(uintptr_t)ours[i];
    argv[n] = NULL;
    execvp(argv[0], argv);
    _exit(127);
}

/* Starts it; the port it says, or 0 where it could not begin. */
static inline uint16_t start_once(const char *at)
{
    char line[128] = "", *colon;
    int out[2], status;
    FILE *f;

    ck_assert_int_eq(pipe(out), 0);
    server = fork();
    ck_assert_int_ge(server, 0);
    if (server == 0) {
        dup2(out[1], 1);
        close(out[0]);
        run(at);
    }
    close(out[1]);
    f = fdopen(out[0], "r");
    ck_assert_ptr_nonnull(f);
    colon = fgets(line, sizeof(line), f) != NULL ? strrchr(line, ':') : NULL;
    fclose(f);
    if (colon == NULL)
        ck_assert_int_eq(waitpid(server, &status, 0), server);
    return colon == NULL ? 0 : (uint16_t)strtoul(colon + 1, NULL, 10);
}

/*
 * A port of 0 is any, and `port` becomes which.  Where it is given, somebody
 * else's connection may have got it meanwhile, for a moment.
 */
static inline void start(void)
{
    char at[8];
    int tries;

    snprintf(at, sizeof(at), "%u", port);
    for (port = 0, tries = 0; port == 0 && tries < 50; tries++) {
        if (tries > 0)
            usleep(100000);
        port = start_once(at);
    }
    ck_assert_uint_ne(port, 0);
}

/* It goes when it is told to, and then says that all was well. */
static inline void stop(void)
{
    int status;

    ck_assert_int_eq(kill(server, SIGTERM), 0);
    ck_assert_int_eq(waitpid(server, &status, 0), server);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

/* slow: a small window, so that replies wait in the server. */
static inline int reach_as(bool slow)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;

    if (slow)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static inline int reach(void)
{
    return reach_as(false);
}

static inline void begin(void)
{
    talk_world(&t);
    port = 0;
    start();
    t.fd = reach();
    talk_greet(&t, much);
}

static inline void end(void)
{
    stop();
    talk_end(&t);
}

/* The good client is served, now. */
static inline void still_served(void)
{
    talk_begin(&t, 3);
    talk_sequence(&t, 7, false);
    talk_words(&t, OP_PUTROOTFH, OP_GETFH);
    ck_assert_uint_eq(talk_ask(&t), NFS4_OK);
}

/* Whether the server ended a connection, within two seconds. */
static inline bool ended(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    char byte;

    return poll(&poll_fd, 1, 2000) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

/* In KiB, from /proc. */
static inline unsigned long resident(void)
{
    char path[64], line[128];
    unsigned long kib = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)server);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof(line), f) != NULL)
        if (sscanf(line, "VmRSS: %lu", &kib) == 1)
            break;
    fclose(f);
    return kib;
}

/* Everything takes a while under valgrind, and the server's patience is in
 * seconds. */
static inline bool heavy(void)
{
    return getenv("NFS42D_RUNNER") != NULL;
}

/* How clang says what gcc has __SANITIZE_ADDRESS__ for. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* Sanitizers and valgrind keep what was freed. */
static inline void grew_less_than(unsigned long kib, unsigned long before)
{
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
    if (!heavy())
        ck_assert_uint_lt(resident(), before + kib);
#else
    (void)kib;
    (void)before;
#endif
}

static inline void send_word(int fd, uint32_t word)
{
    uint8_t bytes[4];

    put_store32(bytes, word);
    ck_assert_int_eq(send(fd, bytes, 4, MSG_NOSIGNAL), 4);
}

#endif /* NFS42_PROGRAM_H */
