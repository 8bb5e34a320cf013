# The fuzz targets as plain programs, for tests/fuzz/replay.sh; `make fuzz`
# builds them once more, with a fuzzer, by build.sh.

fuzz_common = tests/fuzz/standalone.c tests/fuzz/fuzz.h
fuzz_structured = $(fuzz_common) tests/fuzz/mutator.c
fuzz_invariant = $(fuzz_common) tests/fuzz/invariants.h
fuzz_ldadd = lib/libreadplus.la

fuzz_programs =
fuzz_programs += tests/fuzz/seeds
fuzz_programs += tests/fuzz/fuzz_decode
fuzz_programs += tests/fuzz/fuzz_deliver
fuzz_programs += tests/fuzz/fuzz_encode
fuzz_programs += tests/fuzz/fuzz_encoder
fuzz_programs += tests/fuzz/fuzz_expand
fuzz_programs += tests/fuzz/fuzz_extents
fuzz_programs += tests/fuzz/fuzz_message
fuzz_programs += tests/fuzz/fuzz_plan
if WITH_RPC
fuzz_programs += tests/fuzz/fuzz_any
fuzz_programs += tests/fuzz/fuzz_rpcgen
endif
if WITH_PROGRAM
fuzz_programs += tests/fuzz/fuzz_hex
fuzz_programs += tests/fuzz/fuzz_json
endif

if WITH_NFS42
fuzz_programs += tests/fuzz/fuzz_nfs42
endif

tests_fuzz_seeds_SOURCES = tests/fuzz/seeds.c tests/fuzz/fuzz.h
tests_fuzz_seeds_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_decode_SOURCES = tests/fuzz/fuzz_decode.c \
	tests/fuzz/invariants.h $(fuzz_structured)
tests_fuzz_fuzz_decode_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_deliver_SOURCES = tests/fuzz/fuzz_deliver.c \
	tests/fuzz/invariants.h $(fuzz_structured)
tests_fuzz_fuzz_deliver_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_encode_SOURCES = tests/fuzz/fuzz_encode.c $(fuzz_invariant)
tests_fuzz_fuzz_encode_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_encoder_SOURCES = tests/fuzz/fuzz_encoder.c $(fuzz_invariant)
tests_fuzz_fuzz_encoder_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_expand_SOURCES = tests/fuzz/fuzz_expand.c \
	tests/fuzz/invariants.h $(fuzz_structured)
tests_fuzz_fuzz_expand_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_extents_SOURCES = tests/fuzz/fuzz_extents.c \
	tests/fuzz/invariants.h $(fuzz_structured)
tests_fuzz_fuzz_extents_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_message_SOURCES = tests/fuzz/fuzz_message.c $(fuzz_invariant)
tests_fuzz_fuzz_message_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c $(fuzz_invariant)
tests_fuzz_fuzz_plan_LDADD = $(fuzz_ldadd)

tests_fuzz_fuzz_any_SOURCES = tests/fuzz/fuzz_any.c tests/fuzz/decoder.h \
	tests/fuzz/decoder_rpcgen.c tests/fuzz/rpcgen_guard.h $(fuzz_structured)
tests_fuzz_fuzz_any_CPPFLAGS = $(AM_CPPFLAGS) $(TIRPC_CFLAGS)
tests_fuzz_fuzz_any_LDADD = lib/libreadplus-rpc.la $(fuzz_ldadd) $(TIRPC_LIBS)
tests_fuzz_fuzz_rpcgen_SOURCES = tests/fuzz/fuzz_rpcgen.c \
	tests/fuzz/invariants.h tests/fuzz/rpcgen_guard.h $(fuzz_structured)
tests_fuzz_fuzz_rpcgen_CPPFLAGS = $(AM_CPPFLAGS) $(TIRPC_CFLAGS)
tests_fuzz_fuzz_rpcgen_LDADD = lib/libreadplus-rpc.la $(fuzz_ldadd) \
	$(TIRPC_LIBS)

fuzz_program_cppflags = $(AM_CPPFLAGS) $(JSON_C_CFLAGS) -DFILL_MAX=65536 \
	-I$(top_srcdir)/examples/readplus
tests_fuzz_fuzz_hex_SOURCES = tests/fuzz/fuzz_hex.c $(fuzz_common) \
	examples/readplus/hex.c
tests_fuzz_fuzz_hex_CPPFLAGS = $(fuzz_program_cppflags)
tests_fuzz_fuzz_hex_LDADD = $(fuzz_ldadd)
tests_fuzz_fuzz_json_SOURCES = tests/fuzz/fuzz_json.c $(fuzz_common) \
	examples/readplus/hex.c examples/readplus/item.c \
	examples/readplus/json_item.c examples/readplus/json_spec.c
tests_fuzz_fuzz_json_CPPFLAGS = $(fuzz_program_cppflags)
tests_fuzz_fuzz_json_LDADD = $(fuzz_ldadd) $(JSON_C_LIBS)

tests_fuzz_fuzz_nfs42_SOURCES = tests/fuzz/fuzz_nfs42.c $(fuzz_common)
tests_fuzz_fuzz_nfs42_CPPFLAGS = $(AM_CPPFLAGS) $(TIRPC_CFLAGS) \
	$(JSON_C_CFLAGS) -I$(top_srcdir)/examples/nfs42
tests_fuzz_fuzz_nfs42_LDADD = $(nfs42d_ldadd)

check_PROGRAMS += $(fuzz_programs)
fuzz_tests = tests/fuzz/replay.sh
shell_tests += $(fuzz_tests)

EXTRA_DIST += tests/fuzz/Dockerfile
EXTRA_DIST += tests/fuzz/LOG
EXTRA_DIST += tests/fuzz/README.md
EXTRA_DIST += tests/fuzz/build.sh
EXTRA_DIST += tests/fuzz/finds.txt
EXTRA_DIST += tests/fuzz/json.txt
EXTRA_DIST += tests/fuzz/project.yaml
EXTRA_DIST += tests/fuzz/readplus.dict
EXTRA_DIST += tests/fuzz/run.sh
EXTRA_DIST += tests/fuzz/targets

# A minute over all targets; or DURATION seconds over all of them, or over
# those in TARGETS.
fuzz_run = $(AM_TESTS_ENVIRONMENT) TARGETS='$(TARGETS)'; export TARGETS; \
	SANITIZERS='$(SANITIZERS)'; export SANITIZERS; \
	$(SHELL) $(top_srcdir)/tests/fuzz/run.sh
fuzz:
	@DURATION=60; export DURATION; $(fuzz_run)
fuzz-long:
	@DURATION='$(DURATION)'; export DURATION; $(fuzz_run)

.PHONY: fuzz fuzz-long
