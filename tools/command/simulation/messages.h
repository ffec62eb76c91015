/* Messages between the processes of a simulated cluster (messages.c). */
#ifndef MESSAGES_H
#define MESSAGES_H

/* Bytes of a message whose data is copied: larger ones are tiles, which have no data */
enum { LARGEST_COPIED = 4096 };

/* Messages and receives of one process that wait for their other end */
struct inbox;

/* Returns empty inboxes of all processes; NULL without memory. */
struct inbox *inboxes_create(int processes);

/* Returns the inboxes of all processes, which the simulated processes share. */
struct inbox *inboxes(void);

#endif
