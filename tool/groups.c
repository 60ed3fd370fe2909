/* groups.c -- the options that several subcommands share. */
#include "opts.h"

#define AT(field) offsetof(options, field)
#define END                              \
    {                                    \
        NULL, 0, OPT_FLAG, NULL, NULL, 0 \
    }

static const opt_row graph_rows[] = {
    {"from", 0, OPT_TEXT, "FORMAT",
     "read the graph or model as FORMAT (a reader of 'tgsched list'), "
     "instead of by suffix and content",
     AT(from)},
    {"bind", 0, OPT_TEXT, "DIM=N,...", "fix symbolic dimensions of a model, as in batch=8",
     AT(bind)},
    {"train", 't', OPT_FLAG, NULL,
     "lower a model to a whole training step; without it, to its "
     "forward pass",
     AT(train)},
    {"optimizer", 0, OPT_TEXT, "NAME", "update by NAME: sgd, momentum or adam (default: sgd)",
     AT(optimizer)},
    {"lr", 0, OPT_REAL, "X", "learning rate", AT(lr)},
    {"loss", 0, OPT_TEXT, "NAME", "loss: xent, mse or sum", AT(loss)},
    {"micro-batches", 0, OPT_COUNT, "K",
     "run the step as K micro-batches and accumulate their "
     "gradients",
     AT(micro_batches)},
    {"replicas", 0, OPT_COUNT, "R", "run R data-parallel replicas and reduce their gradients",
     AT(replicas)},
    {"accumulate", 0, OPT_TEXT, "SHAPE", "add gradients up in a chain or a tree", AT(accumulate)},
    {"times", 0, OPT_INPUT, "FILE",
     "measured times of a model's operators, as CSV, JSON or the JSON of torch.profiler "
     "(tgsched-model(5)); operators without one are left to the cost model",
     AT(timings)},
    {"strategy", 0, OPT_INPUT, "FILE",
     "how the step is parallelised, as a strategy file, instead of "
     "the options above",
     AT(strategy)},
    {"seed", 0, OPT_SEED, "N", "seed of every random choice (default: 0)", AT(seed)},
    END,
};
const opt_group graph_options = {"Graph options", graph_rows};

static const opt_row machine_rows[] = {
    {"platform", 'm', OPT_MANY, "PLATFORM",
     "the machine: a platform file, a one-line description "
     "such as 'cpu:4 gpu:2@8 link:12e9,1e-5', host, or starpu:DIR/HOST with what StarPU has "
     "measured "
     "there (default: host)",
     AT(platform)},
    {"costs", 0, OPT_INPUT, "COSTS",
     "where task times come from: auto, table, roofline, a file of "
     "measured times, or starpu:DIR/HOST (default: auto)",
     AT(costs)},
    {"link", 0, OPT_TEXT, "MODEL",
     "how transfers are priced and simulated: latbw, zero, fifo or "
     "share (default: latbw)",
     AT(link)},
    {"limit-memory", 0, OPT_TEXT, "MEMORY=BYTES",
     "let a memory, or that of a processor, hold at most so many bytes: a comma list such as "
     "gpu0=512MiB,ram=8GB; in a run StarPU is limited so, too",
     AT(limits)},
    {"runnable", 0, OPT_FLAG, NULL,
     "let a task run only where its codelet has a kernel, as 'run' "
     "does; codelets without any kernel stay free",
     AT(runnable)},
    END,
};
const opt_group machine_options = {"Machine options", machine_rows};

static const opt_row plan_rows[] = {
    {"heuristic", 'a', OPT_TEXT, "SPEC",
     "the heuristic, with parameters as NAME:KEY=VALUE; ./FILE.so "
     "and exec:COMMAND come from outside (default: heft)",
     AT(heuristics)},
    {"schedule", 's', OPT_INPUT, "FILE", "use this schedule file instead of making a schedule",
     AT(schedule)},
    END,
};
const opt_group plan_options = {"Schedule options", plan_rows};

static const opt_row write_rows[] = {
    {"output", 'o', OPT_TEXT, "FILE", "write the graph to FILE (default: -, standard output)",
     AT(output)},
    {"to", 0, OPT_TEXT, "FORMAT",
     "in FORMAT (a writer of 'tgsched list'; default: by the suffix of "
     "FILE, tg for standard output)",
     AT(to)},
    END,
};
const opt_group write_options = {"Output options", write_rows};

static const opt_row table_rows[] = {
    {"output", 'o', OPT_TEXT, "FILE", "write the result to FILE (default: -, standard output)",
     AT(output)},
    {"json", 0, OPT_FLAG, NULL, "print JSON", AT(json)},
    {"csv", 0, OPT_FLAG, NULL, "print CSV", AT(csv)},
    END,
};
const opt_group table_options = {"Result options", table_rows};

static const opt_row report_rows[] = {
    {"html", 0, OPT_REPORT, "FILE", "write a page with a Gantt chart to explore in a browser", 0},
    {"svg", 0, OPT_REPORT, "FILE", "write the Gantt chart as a picture", 0},
    {"perfetto", 0, OPT_REPORT, "FILE", "write a trace for ui.perfetto.dev and chrome://tracing",
     0},
    {"paje", 0, OPT_REPORT, "FILE", "write a trace for ViTE and pj_dump", 0},
    {"dot", 0, OPT_REPORT, "FILE", "write the graph as it ran, for Graphviz", 0},
    {"report", 0, OPT_REPORT, "FORMAT=FILE", "write any report of 'tgsched list report'", 0},
    END,
};
const opt_group report_options = {"Report options", report_rows};
