/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server allows itself in a reply, by the words of --policy.  Words
 * that contradict each other are refused: none of them silently wins.
 */
#include <stdlib.h>
#include <string.h>

#include "policy.h"

static const struct {
    const char *word;
    enum readplus_preset preset;
} presets[] = {
    {"default", READPLUS_PRESET_DEFAULT},
    {"linux-client", READPLUS_PRESET_LINUX_CLIENT},
    {"rdma", READPLUS_PRESET_RDMA},
    {"single-data", READPLUS_PRESET_SINGLE_DATA},
    {"single", READPLUS_PRESET_SINGLE},
};

static const struct {
    const char *word;
    uint32_t flag; /* whose bit the word sets or clears */
    bool set;
} switches[] = {
    {"clip", READPLUS_LIMIT_WHOLE, false},
    {"whole", READPLUS_LIMIT_WHOLE, true},
    {"scan", READPLUS_LIMIT_EXACT, false},
    {"exact", READPLUS_LIMIT_EXACT, true},
};

static const struct {
    const char *word;
    size_t field; /* a uint32_t of the limits */
} numbers[] = {
    {"minhole=", offsetof(struct readplus_limits, minhole)},
    {"maxsegs=", offsetof(struct readplus_limits, maxsegs)},
};

#define ENTRIES(table) (sizeof(table) / sizeof((table)[0]))

/* What the words said so far. */
struct policy {
    const char *preset; /* the word, or NULL */
    enum readplus_preset which;
    uint32_t said, set; /* flags */
    bool given[ENTRIES(numbers)];
    uint32_t number[ENTRIES(numbers)];
};

static bool take_preset(struct policy *policy, const char *word,
                        const struct argp_state *state)
{
    size_t i;

    for (i = 0; i < ENTRIES(presets); i++) {
        if (strcmp(word, presets[i].word) != 0)
            continue;
        if (policy->preset != NULL)
            argp_error(state, "--policy: %s and %s are two presets",
                       policy->preset, word);
        policy->preset = presets[i].word;
        policy->which = presets[i].preset;
        return true;
    }
    return false;
}

static bool take_switch(struct policy *policy, const char *word,
                        const struct argp_state *state)
{
    size_t i;

    for (i = 0; i < ENTRIES(switches); i++) {
        if (strcmp(word, switches[i].word) != 0)
            continue;
        if (policy->said & switches[i].flag &&
            !(policy->set & switches[i].flag) == switches[i].set)
            argp_error(state, "--policy: %s contradicts a word before it",
                       word);
        policy->said |= switches[i].flag;
        if (switches[i].set)
            policy->set |= switches[i].flag;
        return true;
    }
    return false;
}

static bool take_number(struct policy *policy, const char *word,
                        const struct argp_state *state)
{
    uint64_t value = 0;
    size_t i, len;

    for (i = 0; i < ENTRIES(numbers); i++) {
        len = strlen(numbers[i].word);
        if (strncmp(word, numbers[i].word, len) != 0)
            continue;
        if (!number_parse(word + len, UINT32_MAX, &value))
            argp_error(state, "--policy: %s takes a number up to 2^32 - 1",
                       numbers[i].word);
        policy->given[i] = true;
        policy->number[i] = (uint32_t)value;
        return true;
    }
    return false;
}

static void apply(const struct policy *policy, struct readplus_limits *limits)
{
    uint32_t maxcount = limits->maxcount;
    size_t i;

    readplus_limits_init(limits, policy->which);
    limits->maxcount = maxcount;
    limits->flags = (limits->flags & ~policy->said) | policy->set;
    for (i = 0; i < ENTRIES(numbers); i++)
        if (policy->given[i])
            memcpy((char *)limits + numbers[i].field, &policy->number[i],
                   sizeof(uint32_t));
}

void policy_parse(const char *text, struct readplus_limits *limits,
                  const struct argp_state *state)
{
    struct policy policy = {.which = READPLUS_PRESET_DEFAULT};
    char *words = strdup(text), *rest = words, *word;

    if (words == NULL)
        argp_failure(state, OUTCOME_FAULTY, 0, "out of memory");
    while ((word = strsep(&rest, ",")) != NULL)
        if (!take_preset(&policy, word, state) &&
            !take_switch(&policy, word, state) &&
            !take_number(&policy, word, state))
            argp_error(state, "--policy: '%s' is no word of it", word);
    free(words);
    apply(&policy, limits);
}
