# The two libraries.  Sources: one a line.

# --- libreadplus: the core and its edges, nothing but libc -----------------
lib_LTLIBRARIES += lib/libreadplus.la
pkgconfig_DATA += lib/libreadplus.pc
dist_man_MANS += lib/readplus-decoder.3
dist_man_MANS += lib/readplus-extents.3
dist_man_MANS += lib/readplus-judge.3
dist_man_MANS += lib/readplus-message.3
dist_man_MANS += lib/readplus-plan.3
dist_man_MANS += lib/readplus-restore.3
dist_man_MANS += lib/readplus-scatter.3
dist_man_MANS += lib/readplus-stream.3
dist_man_MANS += lib/readplus-source.3
dist_man_MANS += lib/readplus-splice.3

lib_libreadplus_la_SOURCES =
lib_libreadplus_la_SOURCES += lib/base.c
lib_libreadplus_la_SOURCES += lib/nfsstat.c
lib_libreadplus_la_SOURCES += lib/segment.c
lib_libreadplus_la_SOURCES += lib/size.c
lib_libreadplus_la_SOURCES += lib/plan.c
lib_libreadplus_la_SOURCES += lib/args.c
lib_libreadplus_la_SOURCES += lib/encode.c
lib_libreadplus_la_SOURCES += lib/encoder.c
lib_libreadplus_la_SOURCES += lib/decode.c
lib_libreadplus_la_SOURCES += lib/decode_res.c
lib_libreadplus_la_SOURCES += lib/scatter.c
lib_libreadplus_la_SOURCES += lib/expand.c
lib_libreadplus_la_SOURCES += lib/stream.c
lib_libreadplus_la_SOURCES += lib/seek.c
lib_libreadplus_la_SOURCES += lib/extents.c
lib_libreadplus_la_SOURCES += lib/judge.c
lib_libreadplus_la_SOURCES += lib/message.c
lib_libreadplus_la_SOURCES += lib/source_table.c
lib_libreadplus_la_SOURCES += lib/source_fd.c
lib_libreadplus_la_SOURCES += lib/reply.c
lib_libreadplus_la_SOURCES += lib/source_reader.c
lib_libreadplus_la_SOURCES += lib/splice.c
lib_libreadplus_la_SOURCES += lib/answer.h
lib_libreadplus_la_SOURCES += lib/image.h
lib_libreadplus_la_SOURCES += lib/hint.h
lib_libreadplus_la_SOURCES += lib/zeros.h
lib_libreadplus_la_SOURCES += lib/restore.c
lib_libreadplus_la_SOURCES += lib/checked.h
lib_libreadplus_la_SOURCES += lib/wire.h
lib_libreadplus_la_SOURCES += lib/rules.h
lib_libreadplus_la_SOURCES += lib/budget.h
lib_libreadplus_la_SOURCES += lib/items.h
lib_libreadplus_la_SOURCES += lib/element.h
lib_libreadplus_la_SOURCES += lib/grammar.h
lib_libreadplus_la_SOURCES += lib/plain.h
lib_libreadplus_la_SOURCES += lib/delivery.h

# No _GNU_SOURCE: the core is plain C11, an edge that needs more says so itself.
lib_libreadplus_la_CPPFLAGS = $(our_cppflags)
lib_libreadplus_la_CFLAGS = $(our_cflags) -fvisibility=hidden
lib_libreadplus_la_LDFLAGS = -no-undefined \
	-version-info $(LIBREADPLUS_VERSION_INFO)
EXTRA_DIST += lib/libreadplus.map
if HAVE_VERSION_SCRIPT
lib_libreadplus_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/lib/libreadplus.map
EXTRA_lib_libreadplus_la_DEPENDENCIES = lib/libreadplus.map
endif

# --- libreadplus-rpc: generated types and the bridge to libtirpc -----------
EXTRA_DIST += lib/libreadplus-rpc.map
if WITH_RPC
lib_LTLIBRARIES += lib/libreadplus-rpc.la
pkgconfig_DATA += lib/libreadplus-rpc.pc
dist_man_MANS += lib/readplus-rpc.3

lib_libreadplus_rpc_la_SOURCES =
lib_libreadplus_rpc_la_SOURCES += lib/rpc.c

lib_libreadplus_rpc_la_CPPFLAGS = $(our_cppflags) -D_DEFAULT_SOURCE \
	$(TIRPC_CFLAGS)
lib_libreadplus_rpc_la_CFLAGS = $(our_cflags) -fvisibility=hidden
lib_libreadplus_rpc_la_LIBADD = xdr/libxdr.la lib/libreadplus.la $(TIRPC_LIBS)
lib_libreadplus_rpc_la_LDFLAGS = -no-undefined \
	-version-info $(LIBREADPLUS_RPC_VERSION_INFO)
if HAVE_VERSION_SCRIPT
lib_libreadplus_rpc_la_LDFLAGS += \
	-Wl,--version-script=$(top_srcdir)/lib/libreadplus-rpc.map
EXTRA_lib_libreadplus_rpc_la_DEPENDENCIES = lib/libreadplus-rpc.map
endif
endif
