# Scores once, tables from them. Usage: make -f docs/pipeline.mk [RUNS=folder] [QRELS=file] [MEASURES="AP nDCG@20"]
# RUNS holds runs, one file each. Every table is made from the runs that are there now.
BIASVAR  ?= .venv/bin/biasvar
RUNS     ?= sample_runs
QRELS    ?= qrels/npl.qrels.txt
MEASURES ?= AP nDCG@20
OUT      ?= out

# Names with blanks are several words to make, and those with quotes and the like are more to its shell. A README or a
# licence is no run.
$(foreach name,RUNS QRELS OUT,$(if $(filter 1,$(words $($(name)))),,\
  $(error $(name) is '$($(name))'; give one name, without a blank)))
ODD    := $(shell ls -1 '$(RUNS)' 2>/dev/null | grep '[][:blank:]"$$;&|<>(){}*?\`'\''[]' | head -n 1)
ifneq ($(ODD),)
$(error $(RUNS) has a file called '$(ODD)'; rename it without blanks, quotes and signs of the shell)
endif
ABOUT  := README% Readme% readme% LICENSE% License% license% LICENCE% Licence% licence% COPYING% Copying% copying%

NAMES  := $(sort $(patsubst %.gz,%,$(filter-out $(ABOUT),$(notdir $(wildcard $(RUNS)/*)))))
SCORES := $(NAMES:%=$(OUT)/scores/%.csv)
TABLES := $(OUT)/summary.tex $(foreach each,decompose tradeoff,$(MEASURES:%=$(OUT)/$(each)-%.tex)) $(MEASURES:%=$(OUT)/target-%.csv)

.PHONY: all
all: $(TABLES)

# What the files depend on beside their inputs stands in two small files, written again only when it changes.
written = $(shell mkdir -p '$(OUT)/lists'; echo '$(2)' | cmp -s - '$(OUT)/lists/$(1)' || echo '$(2)' > '$(OUT)/lists/$(1)')
$(call written,runs,$(NAMES))
$(call written,options,$(RUNS) $(QRELS) $(MEASURES))

.SECONDEXPANSION:
$(SCORES): $(OUT)/scores/%.csv: $$(wildcard $(RUNS)/$$* $(RUNS)/$$*.gz) $(QRELS) $(OUT)/lists/options | $(OUT)/scores
	$(BIASVAR) scores $(patsubst %,'%',$(wildcard $(RUNS)/$* $(RUNS)/$*.gz)) -q '$(QRELS)' $(MEASURES:%=-m '%') --quiet -o '$@'

$(OUT)/summary.tex: $(SCORES) $(OUT)/lists/runs
	$(BIASVAR) summary $(SCORES:%='%') $(MEASURES:%=-m '%') -f latex -o '$@'

$(OUT)/decompose-%.tex: $(SCORES) $(OUT)/lists/runs
	$(BIASVAR) decompose $(SCORES:%='%') -m '$*' -f latex -o '$@'

$(OUT)/tradeoff-%.tex: $(SCORES) $(OUT)/lists/runs
	$(BIASVAR) tradeoff $(SCORES:%='%') -m '$*' -f latex -o '$@'

$(OUT)/target-%.csv: $(SCORES) $(OUT)/lists/runs
	$(BIASVAR) target $(SCORES:%='%') -m '$*' -f csv -o '$@'

$(OUT)/scores:
	mkdir -p '$@'
