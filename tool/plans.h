/* plans.h -- plans of several planners side by side, and for other programs. */
#ifndef TGS_TOOL_PLANS_H
#define TGS_TOOL_PLANS_H
#include "planned.h"

/* --compare: all, or a comma list of specs */
int plans_compare(const command *c, const planned *x, const options *o);
/* --export: what torch, deepspeed or megatron can use of a proposal, and what they cannot express
 */
int plans_export(const planned *x, const tgs_proposal *p, const char *to, FILE *file);
bool plans_exports(const char *to); /* is it one of these? */
#endif
