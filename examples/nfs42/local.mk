# nfs42d and nfs42cp: a server and a client that a kernel will talk to, built on
# the public headers only.

EXTRA_DIST += examples/nfs42/README.md

# --- nfs42cp, the client -----------------------------------------------------
if WITH_NFS42
bin_PROGRAMS += examples/nfs42/nfs42cp
dist_man_MANS += examples/nfs42/nfs42cp.1
endif

examples_nfs42_nfs42cp_CPPFLAGS = $(our_cppflags) -D_GNU_SOURCE \
	$(TIRPC_CFLAGS) $(JSON_C_CFLAGS)
examples_nfs42_nfs42cp_LDADD = xdr/libnfs42.la lib/libreadplus.la \
	$(TIRPC_LIBS) $(JSON_C_LIBS)

examples_nfs42_nfs42cp_SOURCES =
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_call.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_call.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_copy.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_copy.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_extents.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_main.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_note.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_note.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_partial.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_partial.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_progress.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_progress.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_ranges.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_ranges.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_receive.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_receive.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_session.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_session.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_source.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_source.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_tell.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_transfer.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_transfer.h
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_wire.c
examples_nfs42_nfs42cp_SOURCES += examples/nfs42/client_wire.h
examples_nfs42_nfs42cp_SOURCES += examples/readplus/number.c

# --- nfs42d, the server -------------------------------------------------------
if WITH_NFS42
sbin_PROGRAMS += examples/nfs42/nfs42d
dist_man_MANS += examples/nfs42/nfs42d.8
endif

nfs42d_cppflags = $(our_cppflags) -D_GNU_SOURCE $(TIRPC_CFLAGS) \
	$(JSON_C_CFLAGS) $(EVENT_CFLAGS)

# The server without its sockets: what tests and a fuzzer call (build.sh there
# reads these lines).
nfs42d_core =
nfs42d_core += examples/nfs42/attributes.c
nfs42d_core += examples/nfs42/attributes.h
nfs42d_core += examples/nfs42/beneath.c
nfs42d_core += examples/nfs42/beneath.h
nfs42d_core += examples/nfs42/call.c
nfs42d_core += examples/nfs42/call.h
nfs42d_core += examples/nfs42/clients.c
nfs42d_core += examples/nfs42/clients.h
nfs42d_core += examples/nfs42/compound.c
nfs42d_core += examples/nfs42/compound.h
nfs42d_core += examples/nfs42/compound_session.c
nfs42d_core += examples/nfs42/handle.c
nfs42d_core += examples/nfs42/handle.h
nfs42d_core += examples/nfs42/log.c
nfs42d_core += examples/nfs42/log.h
nfs42d_core += examples/nfs42/nfs42d.h
nfs42d_core += examples/nfs42/opens.c
nfs42d_core += examples/nfs42/opens.h
nfs42d_core += examples/nfs42/operations.c
nfs42d_core += examples/nfs42/operations.h
nfs42d_core += examples/nfs42/ops_files.c
nfs42d_core += examples/nfs42/ops_open.c
nfs42d_core += examples/nfs42/ops_read.c
nfs42d_core += examples/nfs42/ops_readdir.c
nfs42d_core += examples/nfs42/ops_session.c
nfs42d_core += examples/nfs42/put.h
nfs42d_core += examples/nfs42/server.c
nfs42d_core += examples/nfs42/sessions.c
nfs42d_core += examples/nfs42/siphash.c
nfs42d_core += examples/nfs42/siphash.h
nfs42d_core += examples/nfs42/tree.c
nfs42d_core += examples/nfs42/tree.h

if WITH_NFS42
noinst_LTLIBRARIES += examples/nfs42/libnfs42d.la
endif
examples_nfs42_libnfs42d_la_SOURCES = $(nfs42d_core)
examples_nfs42_libnfs42d_la_CPPFLAGS = $(nfs42d_cppflags)
nfs42d_ldadd = examples/nfs42/libnfs42d.la xdr/libnfs42.la \
	lib/libreadplus.la $(TIRPC_LIBS) $(JSON_C_LIBS)

examples_nfs42_nfs42d_CPPFLAGS = $(nfs42d_cppflags)
examples_nfs42_nfs42d_LDADD = $(nfs42d_ldadd) $(EVENT_LIBS)
examples_nfs42_nfs42d_SOURCES =
examples_nfs42_nfs42d_SOURCES += examples/nfs42/connection.c
examples_nfs42_nfs42d_SOURCES += examples/nfs42/connection.h
examples_nfs42_nfs42d_SOURCES += examples/nfs42/nfs42d.c
examples_nfs42_nfs42d_SOURCES += examples/nfs42/options.c
examples_nfs42_nfs42d_SOURCES += examples/nfs42/options.h
examples_nfs42_nfs42d_SOURCES += examples/nfs42/transport.c
examples_nfs42_nfs42d_SOURCES += examples/nfs42/transport.h
examples_nfs42_nfs42d_SOURCES += examples/readplus/number.c
examples_nfs42_nfs42d_SOURCES += examples/readplus/policy.c
