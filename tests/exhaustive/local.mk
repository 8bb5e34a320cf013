# `make exhaustive`: every input up to a bound, minutes of all processors; a
# smaller bound is exhaustive.sh, in make check.
EXTRA_DIST += tests/exhaustive/LOG
EXTRA_DIST += tests/exhaustive/exhaustive.sh
if WITH_RPC
check_PROGRAMS += tests/exhaustive/exhaustive
tests_exhaustive_exhaustive_SOURCES = tests/exhaustive/exhaustive.c \
	tests/exhaustive/exhaustive.h tests/exhaustive/lists.c \
	tests/exhaustive/paths.c tests/exhaustive/plans.c \
	tests/exhaustive/words.c tests/fuzz/fuzz.h \
	tests/fuzz/rpcgen_guard.h tests/transcript.h
tests_exhaustive_exhaustive_CPPFLAGS = $(AM_CPPFLAGS) $(TIRPC_CFLAGS)
tests_exhaustive_exhaustive_LDADD = lib/libreadplus-rpc.la lib/libreadplus.la \
	$(TIRPC_LIBS)
exhaustive_tests = tests/exhaustive/exhaustive.sh
rpc_shell_tests += $(exhaustive_tests)

exhaustive: tests/exhaustive/exhaustive
	@jobs=$${JOBS:-$$(getconf _NPROCESSORS_ONLN)}; \
	for what in 'words 8' 'paths 6' 'lists 6' 'plans 4'; do \
	    tests/exhaustive/exhaustive -j "$$jobs" $$what || exit 1; \
	done

endif
.PHONY: exhaustive
