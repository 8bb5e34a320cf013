# Programs: a short numbered example goes to noinst_PROGRAMS, the readplus
# program (under WITH_PROGRAM) to bin_PROGRAMS.  The defaults of Makefile.am
# link Check too; a program here says LDADD itself.
