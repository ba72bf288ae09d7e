# Scores once, tables from them. Usage: make -f docs/pipeline.mk [RUNS=folder] [QRELS=file] [MEASURES="AP nDCG@20"]
BIASVAR  ?= .venv/bin/biasvar
RUNS     ?= sample_runs
QRELS    ?= qrels/npl.qrels.txt
MEASURES ?= AP nDCG@20
OUT      ?= out

NAMES  := $(patsubst %.gz,%,$(notdir $(wildcard $(RUNS)/*)))
SCORES := $(NAMES:%=$(OUT)/scores/%.csv)
TABLES := $(foreach each,decompose tradeoff,$(MEASURES:%=$(OUT)/$(each)-%.tex)) $(MEASURES:%=$(OUT)/target-%.csv)

.PHONY: all
all: $(TABLES)

.SECONDEXPANSION:
$(SCORES): $(OUT)/scores/%.csv: $$(wildcard $(RUNS)/$$* $(RUNS)/$$*.gz) $(QRELS) | $(OUT)/scores
	$(BIASVAR) scores $< -q $(QRELS) $(MEASURES:%=-m %) --quiet -o $@

$(OUT)/decompose-%.tex: $(SCORES)
	$(BIASVAR) decompose $(OUT)/scores -m $* -f latex -o $@

$(OUT)/tradeoff-%.tex: $(SCORES)
	$(BIASVAR) tradeoff $(OUT)/scores -m $* -f latex -o $@

$(OUT)/target-%.csv: $(SCORES)
	$(BIASVAR) target $(OUT)/scores -m $* -f csv -o $@

$(OUT)/scores:
	mkdir -p $@
