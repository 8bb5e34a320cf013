# A real Linux client in an emulated guest: by targets of their own, since they
# take minutes and packages that nobody else needs.  README tells of them.

EXTRA_PROGRAMS += tests/kernel/probe
CLEANFILES += tests/kernel/probe$(EXEEXT)

# In the guest are no libraries but the server's.
tests_kernel_probe_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE
tests_kernel_probe_LDFLAGS = -all-static
tests_kernel_probe_LDADD =
tests_kernel_probe_SOURCES =
tests_kernel_probe_SOURCES += tests/kernel/guest/change.c
tests_kernel_probe_SOURCES += tests/kernel/guest/check.c
tests_kernel_probe_SOURCES += tests/kernel/guest/fsx.c
tests_kernel_probe_SOURCES += tests/kernel/guest/main.c
tests_kernel_probe_SOURCES += tests/kernel/guest/mount.c
tests_kernel_probe_SOURCES += tests/kernel/guest/probe.h
tests_kernel_probe_SOURCES += tests/kernel/guest/read.c
tests_kernel_probe_SOURCES += tests/kernel/guest/set.c
tests_kernel_probe_SOURCES += tests/kernel/guest/sha256.c
tests_kernel_probe_SOURCES += tests/kernel/guest/shape.c

EXTRA_DIST += tests/kernel/README
EXTRA_DIST += tests/kernel/boot.sh
EXTRA_DIST += tests/kernel/fetch.sh
EXTRA_DIST += tests/kernel/image.sh
EXTRA_DIST += tests/kernel/kernel.sh
EXTRA_DIST += tests/kernel/plan.sh
EXTRA_DIST += tests/kernel/guest/combine.sh
EXTRA_DIST += tests/kernel/guest/init
EXTRA_DIST += tests/kernel/guest/nfsd.sh
EXTRA_DIST += tests/kernel/guest/others.sh
EXTRA_DIST += tests/kernel/guest/server.sh
EXTRA_DIST += tests/kernel/guest/table.sh

run_kernel = $(AM_TESTS_ENVIRONMENT) \
	$(SHELL) $(srcdir)/tests/kernel/kernel.sh

# A skip is no failure here, and in CI there is none (lib.sh).
check-kernel: all tests/kernel/probe$(EXEEXT)
	@$(run_kernel) pairwise || test $$? -eq 77
check-kernel-full: all tests/kernel/probe$(EXEEXT)
	@$(run_kernel) full || test $$? -eq 77
check-kernel-nfsd: all tests/kernel/probe$(EXEEXT)
	@$(run_kernel) nfsd || test $$? -eq 77
kernel-table: all tests/kernel/probe$(EXEEXT)
	@$(run_kernel) table || test $$? -eq 77
kernel-shell: all tests/kernel/probe$(EXEEXT)
	@$(run_kernel) shell || test $$? -eq 77

.PHONY: check-kernel check-kernel-full check-kernel-nfsd kernel-shell kernel-table
