/*
 * The version says the same thing everywhere it is said.
 */
#include <readplus.h>

#include "check_main.h"
#include "config.h"

START_TEST(version_is_configures)
{
    ck_assert_str_eq(readplus_version(), PACKAGE_VERSION);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("base");
    TCase *tc = check_case(s, "version");

    tcase_add_test(tc, version_is_configures);
    return check_run(s);
}
