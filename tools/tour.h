/* tour.h: the tour, which examples/tour.c tells and `transmute tour` runs. */
#ifndef TM_TOOLS_TOUR_H
#define TM_TOOLS_TOUR_H

/** Runs the tour on the digit images in that directory. `trace`: a file for what its ops do as a
 *  program, or NULL. Returns the exit code. */
int tm_tour(const char *data_directory, const char *trace);

#endif
