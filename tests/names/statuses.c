/*
 * The core has a table of status names of its own, because it sees no
 * generated code: it is the one of read_plus.x.
 */
#include <readplus/base.h>
#include <readplus/rpc.h>

#include <stdio.h>
#include <string.h>

#define STATUS(name) {READPLUS_##name, #name},
static const struct {
    uint32_t status;
    const char *name;
} statuses[] = {
#include "statuses.h" /* a STATUS line for each, made by names.sh */
};

int main(void)
{
    size_t n = sizeof(statuses) / sizeof(statuses[0]);
    size_t named = 0;

    for (size_t i = 0; i < n; i++) {
        const char *name = readplus_nfsstat_name(statuses[i].status);

        if (name == NULL || strcmp(name, statuses[i].name) != 0) {
            printf("%s is %s\n", statuses[i].name, name ? name : "unknown");
            return 1;
        }
    }
    for (uint32_t status = 0; status < 20000; status++)
        named += readplus_nfsstat_name(status) != NULL;
    return named == n ? 0 : 2;
}
