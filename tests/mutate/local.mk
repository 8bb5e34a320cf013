# Mutants of lib/, to test the tests (and the proofs) with.
EXTRA_DIST += tests/mutate/LOG
EXTRA_DIST += tests/mutate/README
EXTRA_DIST += tests/mutate/mutants.py
EXTRA_DIST += tests/mutate/rig.py
EXTRA_DIST += tests/mutate/run.py
EXTRA_DIST += tests/mutate/survivors

mutate_run = python3 $(top_srcdir)/tests/mutate/run.py \
	--build $(abs_top_builddir)

# All of lib/; stopped, it goes on where it was.
mutate: all
	$(mutate_run) --state mutate.state $(MUTATE_FLAGS)

# A share of it; the seed is the commit, so that each tries others.
mutate-sample: all
	seed=`git -C $(top_srcdir) rev-parse HEAD || echo 1`; \
	$(mutate_run) --seconds 150 --sample 400 --seed $$seed \
	    --changed "$(MUTATE_BASE)" $(MUTATE_FLAGS)

.PHONY: mutate mutate-sample
