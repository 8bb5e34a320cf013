/*
 * The plain main of a fuzz target, for everyone without libFuzzer: it runs
 * each file named, and each file of each folder named, once; that is how a
 * corpus becomes a test, and what AFL++ is given (`fuzz_decode @@`).  With
 * -runs=N it then makes N more inputs of them with the target's own mutator,
 * without any guidance, which needs nothing but a C compiler and so runs on
 * every machine the library does.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define LONGEST 65536

#pragma weak LLVMFuzzerCustomMutator
#pragma weak __sanitizer_set_death_callback
void __sanitizer_set_death_callback(void (*callback)(void));

/* What is being run, for the one who wants to run it again. */
static const uint8_t *current;
static size_t current_len;

static void run(const uint8_t *bytes, size_t len)
{
    current = bytes;
    current_len = len;
    (void)LLVMFuzzerTestOneInput(bytes, len);
    current = NULL;
}

static void save(void)
{
    int fd = current != NULL
                 ? open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0666)
                 : -1;

    if (fd >= 0 && write(fd, current, current_len) == (ssize_t)current_len)
        (void)!write(2, "crash-input written\n", 20);
    current = NULL;
}

static void died(int number)
{
    save();
    signal(number, SIG_DFL);
    raise(number);
}

static void watch(void)
{
    signal(SIGABRT, died);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(save);
    else
        signal(SIGSEGV, died);
}

/* What was read, to be mutated later. */
static struct input {
    uint8_t *bytes;
    size_t len;
} * inputs;
static size_t count, room;
static uint64_t state = 1;

static void keep(uint8_t *bytes, size_t len)
{
    if (count == room) {
        room = room * 2 + 64;
        inputs = realloc(inputs, room * sizeof(*inputs));
        HOLDS(inputs != NULL);
    }
    inputs[count++] = (struct input){bytes, len};
}

static void run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = malloc(LONGEST), *exact;
    size_t len;

    if (f == NULL || bytes == NULL)
        fuzz_fail("%s: cannot be read", path);
    len = fread(bytes, 1, LONGEST, f);
    fclose(f);
    exact = exact_copy(bytes, len);
    free(bytes);
    keep(exact, len);
    if (getenv("FUZZ_VERBOSE") != NULL)
        fprintf(stderr, "%s\n", path);
    run(exact, len);
}

static void run_path(const char *path)
{
    struct dirent *entry;
    char *inner;
    DIR *dir = opendir(path);

    if (dir == NULL) {
        run_file(path);
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        size_t len = strlen(path) + strlen(entry->d_name) + 2;

        if (entry->d_name[0] == '.')
            continue;
        inner = malloc(len);
        HOLDS(inner != NULL);
        snprintf(inner, len, "%s/%s", path, entry->d_name);
        run_path(inner);
        free(inner);
    }
    closedir(dir);
}

/* A byte set, a byte in, a byte out: what mutators fall back on. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    size_t at = size > 0 ? fuzz_random(&state) % size : 0;

    switch (fuzz_random(&state) % 4) {
    case 0:
        if (size == max_size || size == 0)
            break;
        memmove(data + at + 1, data + at, size - at);
        return size + 1;
    case 1:
        if (size < 2)
            break;
        memmove(data + at, data + at + 1, size - at - 1);
        return size - 1;
    case 2:
        if (size > 0)
            data[at] ^= (uint8_t)(1u << fuzz_random(&state) % 8);
        return size;
    default:
        break;
    }
    if (size == 0 && max_size > 0)
        size = 1;
    if (size > 0)
        data[at] = (uint8_t)fuzz_random(&state);
    return size;
}

/* One input after another, each made of one that was read. */
static void mutate(unsigned long runs)
{
    static uint8_t bytes[LONGEST];
    unsigned long i;

    for (i = 0; i < runs; i++) {
        const struct input *from = &inputs[fuzz_random(&state) % count];
        uint32_t times = 1 + fuzz_random(&state) % 4;
        size_t len = from->len;
        uint8_t *exact;

        memcpy(bytes, from->bytes, len);
        for (; times > 0; times--)
            len = LLVMFuzzerCustomMutator
                      ? LLVMFuzzerCustomMutator(bytes, len, LONGEST,
                                                fuzz_random(&state))
                      : LLVMFuzzerMutate(bytes, len, LONGEST);
        exact = exact_copy(bytes, len);
        run(exact, len);
        free(exact);
    }
}

int main(int argc, char **argv)
{
    unsigned long runs = 0;
    size_t files;
    int i;

    watch();
    for (i = 1; i < argc; i++) {
        if (sscanf(argv[i], "-runs=%lu", &runs) == 1 ||
            sscanf(argv[i], "-seed=%" SCNu64, &state) == 1)
            continue;
        run_path(argv[i]);
    }
    files = count;
    if (argc == 1)
        runs = 200;
    if (count == 0)
        keep(calloc(1, 64), 64);
    mutate(runs);
    printf("%s: %zu inputs, %lu made of them: nothing found\n", argv[0], files,
           runs);
    while (count > 0)
        free(inputs[--count].bytes);
    free(inputs);
    return 0;
}
