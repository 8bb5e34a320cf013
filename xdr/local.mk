# The types as rpcgen makes them.  rpcgen refuses to overwrite, and writes the
# path of its input into its output, so it works in gen/readplus on copies;
# gen/ is also how <readplus/read_plus.h> is found before it is installed.

xdr_sources = xdr/read_plus.x xdr/names.h
EXTRA_DIST += $(xdr_sources)

if WITH_RPC
xdr_generated =
xdr_generated += gen/readplus/read_plus.h
xdr_generated += gen/readplus/names.h
BUILT_SOURCES += $(xdr_generated)
nodist_readplusinclude_HEADERS += $(xdr_generated)
CLEANFILES += $(xdr_generated)
CLEANFILES += gen/readplus/read_plus.x gen/readplus/read_plus_xdr.c

gen/readplus/names.h: xdr/names.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(top_srcdir)/xdr/names.h $@

gen/readplus/read_plus.x: xdr/read_plus.x
	$(AM_V_at)$(MKDIR_P) $(@D) && cp $(top_srcdir)/xdr/read_plus.x $@

# The include guard is made from the name after -o: made from read_plus.h it
# would be the one of any other project's read_plus.x.
gen/readplus/read_plus.h: gen/readplus/read_plus.x gen/readplus/names.h
	$(AM_V_GEN)cd $(@D) && rm -f $(@F) readplus_$(@F) && \
	    $(RPCGEN) -h -o readplus_$(@F) read_plus.x && \
	    mv readplus_$(@F) $(@F)

gen/readplus/read_plus_xdr.c: gen/readplus/read_plus.h
	$(AM_V_GEN)cd $(@D) && rm -f $(@F) $(@F).new && \
	    $(RPCGEN) -c -o $(@F).new read_plus.x && mv $(@F).new $(@F)

# None of our warnings: rpcgen leaves unused variables.  Visibility stays at
# its default, the symbol map of libreadplus-rpc says what is exported.
noinst_LTLIBRARIES += xdr/libxdr.la
xdr_libxdr_la_SOURCES =
nodist_xdr_libxdr_la_SOURCES = gen/readplus/read_plus_xdr.c
xdr_libxdr_la_CPPFLAGS = -I$(top_builddir)/gen -D_DEFAULT_SOURCE $(TIRPC_CFLAGS)
xdr_libxdr_la_CFLAGS = -Wno-unused-variable
endif

# --- NFSv4.2, for the programs in examples/nfs42 ----------------------------
EXTRA_DIST += xdr/nfs42.x

if WITH_NFS42
BUILT_SOURCES += gen/nfs42/nfs42.h
CLEANFILES += gen/nfs42/nfs42.x gen/nfs42/nfs42.h gen/nfs42/nfs42_xdr.c

gen/nfs42/nfs42.x: xdr/nfs42.x
	$(AM_V_at)$(MKDIR_P) $(@D) && cp $(top_srcdir)/xdr/nfs42.x $@

# Here too the include guard is made from the name after -o.
gen/nfs42/nfs42.h: gen/nfs42/nfs42.x
	$(AM_V_GEN)cd $(@D) && rm -f $(@F) readplus_$(@F) && \
	    $(RPCGEN) -h -o readplus_$(@F) nfs42.x && \
	    mv readplus_$(@F) $(@F)

gen/nfs42/nfs42_xdr.c: gen/nfs42/nfs42.h
	$(AM_V_GEN)cd $(@D) && rm -f $(@F) $(@F).new && \
	    $(RPCGEN) -c -o $(@F).new nfs42.x && mv $(@F).new $(@F)

noinst_LTLIBRARIES += xdr/libnfs42.la
xdr_libnfs42_la_SOURCES =
nodist_xdr_libnfs42_la_SOURCES = gen/nfs42/nfs42_xdr.c
xdr_libnfs42_la_CPPFLAGS = -I$(top_builddir)/gen -D_DEFAULT_SOURCE \
	$(TIRPC_CFLAGS)
xdr_libnfs42_la_CFLAGS = -Wno-unused-variable
endif
