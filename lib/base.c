/*
 * What everything else stands on: the version and the errors' names.  Never
 * anything that reads or writes a byte of XDR.
 */
#include <readplus/base.h>

#define STR_(x) #x
#define STR(x) STR_(x)

const char *readplus_version(void)
{
    return STR(READPLUS_VERSION_MAJOR) "." STR(READPLUS_VERSION_MINOR) "." STR(
        READPLUS_VERSION_PATCH);
}
