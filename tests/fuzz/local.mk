# The fuzz targets as plain programs, for tests/fuzz/replay.sh; `make fuzz`
# builds them once more, with a fuzzer, by build.sh.

fuzz_common = tests/fuzz/standalone.c tests/fuzz/fuzz.h \
	tests/fuzz/invariants.h
fuzz_structured = $(fuzz_common) tests/fuzz/mutator.c
fuzz_ldadd = lib/libreadplus.la

fuzz_programs =
fuzz_programs += tests/fuzz/seeds
fuzz_programs += tests/fuzz/fuzz_decode
fuzz_programs += tests/fuzz/fuzz_deliver

tests_fuzz_seeds_SOURCES = tests/fuzz/seeds.c tests/fuzz/fuzz.h
tests_fuzz_seeds_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_decode_SOURCES = tests/fuzz/fuzz_decode.c $(fuzz_structured)
tests_fuzz_fuzz_decode_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_deliver_SOURCES = tests/fuzz/fuzz_deliver.c $(fuzz_structured)
tests_fuzz_fuzz_deliver_LDADD = $(fuzz_ldadd)

check_PROGRAMS += $(fuzz_programs)
shell_tests += tests/fuzz/replay.sh

EXTRA_DIST += tests/fuzz/build.sh
EXTRA_DIST += tests/fuzz/finds.txt
EXTRA_DIST += tests/fuzz/json.txt
EXTRA_DIST += tests/fuzz/readplus.dict
EXTRA_DIST += tests/fuzz/run.sh
EXTRA_DIST += tests/fuzz/targets

# A minute over all targets; or DURATION seconds over all of them, or over
# those in TARGETS.
fuzz:
	@$(AM_TESTS_ENVIRONMENT) DURATION=60; export DURATION; \
	    $(SHELL) $(top_srcdir)/tests/fuzz/run.sh
fuzz-long:
	@$(AM_TESTS_ENVIRONMENT) DURATION='$(DURATION)'; export DURATION; \
	    $(SHELL) $(top_srcdir)/tests/fuzz/run.sh

.PHONY: fuzz fuzz-long
