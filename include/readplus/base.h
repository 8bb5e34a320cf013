/*
 * libreadplus: version and export macro.
 */
#ifndef READPLUS_BASE_H
#define READPLUS_BASE_H

#ifdef __cplusplus
extern "C" {
#endif

#define READPLUS_VERSION_MAJOR 0
#define READPLUS_VERSION_MINOR 1
#define READPLUS_VERSION_PATCH 0

/* The library is built with hidden visibility: what is public says so. */
#if defined(__GNUC__)
#define READPLUS_API __attribute__((visibility("default")))
#else
#define READPLUS_API
#endif

/* The version of the library in use, "MAJOR.MINOR.PATCH". */
READPLUS_API const char *readplus_version(void);

#ifdef __cplusplus
}
#endif

#endif
