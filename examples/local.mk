# Programs: a short numbered example goes to noinst_PROGRAMS, the readplus
# program (under WITH_PROGRAM) to bin_PROGRAMS.  The defaults of Makefile.am
# link Check too; a program here says LDADD itself.

# --- readplus, the installed program ---------------------------------------
if WITH_PROGRAM
bin_PROGRAMS += examples/readplus/readplus
dist_man_MANS += examples/readplus/readplus.1
endif

examples_readplus_readplus_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE \
	$(JSON_C_CFLAGS)
examples_readplus_readplus_LDADD = lib/libreadplus.la $(JSON_C_LIBS)

examples_readplus_readplus_SOURCES =
examples_readplus_readplus_SOURCES += examples/readplus/cmd_copy.c
examples_readplus_readplus_SOURCES += examples/readplus/cmd_decode.c
examples_readplus_readplus_SOURCES += examples/readplus/cmd_demo.c
examples_readplus_readplus_SOURCES += examples/readplus/cmd_encode.c
examples_readplus_readplus_SOURCES += examples/readplus/cmd_map.c
examples_readplus_readplus_SOURCES += examples/readplus/cmd_reply.c
examples_readplus_readplus_SOURCES += examples/readplus/copy.c
examples_readplus_readplus_SOURCES += examples/readplus/copy.h
examples_readplus_readplus_SOURCES += examples/readplus/cost.c
examples_readplus_readplus_SOURCES += examples/readplus/cost.h
examples_readplus_readplus_SOURCES += examples/readplus/draw.c
examples_readplus_readplus_SOURCES += examples/readplus/draw.h
examples_readplus_readplus_SOURCES += examples/readplus/hex.c
examples_readplus_readplus_SOURCES += examples/readplus/hex.h
examples_readplus_readplus_SOURCES += examples/readplus/input.c
examples_readplus_readplus_SOURCES += examples/readplus/input.h
examples_readplus_readplus_SOURCES += examples/readplus/item.c
examples_readplus_readplus_SOURCES += examples/readplus/item.h
examples_readplus_readplus_SOURCES += examples/readplus/json_item.c
examples_readplus_readplus_SOURCES += examples/readplus/json_item.h
examples_readplus_readplus_SOURCES += examples/readplus/json_spec.c
examples_readplus_readplus_SOURCES += examples/readplus/layout.c
examples_readplus_readplus_SOURCES += examples/readplus/layout.h
examples_readplus_readplus_SOURCES += examples/readplus/listing.c
examples_readplus_readplus_SOURCES += examples/readplus/listing.h
examples_readplus_readplus_SOURCES += examples/readplus/main.c
examples_readplus_readplus_SOURCES += examples/readplus/number.c
examples_readplus_readplus_SOURCES += examples/readplus/output.c
examples_readplus_readplus_SOURCES += examples/readplus/output.h
examples_readplus_readplus_SOURCES += examples/readplus/policy.c
examples_readplus_readplus_SOURCES += examples/readplus/policy.h
examples_readplus_readplus_SOURCES += examples/readplus/program.h

# --- short ones, each run by make check ------------------------------------
if WITH_RPC
noinst_PROGRAMS += examples/10-rpc
endif
examples_10_rpc_CPPFLAGS = $(our_cppflags) -D_DEFAULT_SOURCE $(TIRPC_CFLAGS)
examples_10_rpc_LDADD = lib/libreadplus-rpc.la lib/libreadplus.la \
	$(TIRPC_LIBS)

# --- numbered examples: short, to be copied from ----------------------------
noinst_PROGRAMS += examples/01-server
noinst_PROGRAMS += examples/02-client
noinst_PROGRAMS += examples/03-receive
noinst_PROGRAMS += examples/04-restore
noinst_PROGRAMS += examples/05-loop

examples_01_server_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE
examples_01_server_LDADD = lib/libreadplus.la
examples_02_client_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE
examples_02_client_LDADD = lib/libreadplus.la
examples_03_receive_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE
examples_03_receive_LDADD = lib/libreadplus.la
examples_04_restore_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE
examples_04_restore_LDADD = lib/libreadplus.la
examples_05_loop_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE
examples_05_loop_LDADD = lib/libreadplus.la
examples_readplus_readplus_SOURCES += examples/readplus/progress.c
examples_readplus_readplus_SOURCES += examples/readplus/progress.h
examples_readplus_readplus_SOURCES += examples/readplus/proof.c
examples_readplus_readplus_SOURCES += examples/readplus/proof.h
examples_readplus_readplus_SOURCES += examples/readplus/server.c
examples_readplus_readplus_SOURCES += examples/readplus/server.h
examples_readplus_readplus_SOURCES += examples/readplus/sparse.c
examples_readplus_readplus_SOURCES += examples/readplus/sparse.h

include examples/readplus/local.mk
include examples/nfs42/local.mk
