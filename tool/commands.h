/* commands.h -- the subcommands; each is defined in its cmd_NAME.c and listed in main.c. */
#ifndef TGS_TOOL_COMMANDS_H
#define TGS_TOOL_COMMANDS_H
#include "opts.h"

extern const command cmd_info, cmd_list, cmd_doctor, cmd_model, cmd_lower, cmd_gen, cmd_convert,
    cmd_schedule, cmd_check, cmd_bound, cmd_simulate, cmd_compare, cmd_adversary, cmd_explain,
    cmd_calibrate, cmd_run, cmd_view;
#endif
