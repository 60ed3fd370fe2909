/* page.h -- the page of `tgsched compare --html`, line by line, made from page.html and its
 * scripts; ends with NULL. */
#ifndef TGS_TOOL_PAGE_H
#define TGS_TOOL_PAGE_H
#include <stddef.h> /* NULL */
extern const char *const compare_page[];
#endif
