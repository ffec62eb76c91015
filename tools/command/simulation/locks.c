/*
 * Mutexes and conditions of StarPU in a simulated cluster, in place of SimGrid's (linker option
 * --wrap). Each call of SimGrid's own suspends the caller and passes through SimGrid's scheduler.
 * SimGrid runs one thread at a time, and another one only after such a call. So a free mutex is
 * locked, and a signal for which nobody waits is sent, by plain memory accesses.
 */
#include <simgrid/semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

/* A suspended thread, in its stack */
struct waiting {
    sg_sem_t resumed;
    struct waiting *next;
};

/* Threads in the order in which they are resumed */
struct queue {
    struct waiting *first, **end;
};

struct lock {
    bool is_locked; /* stays true when a thread unlocks it for the first waiting one */
    struct queue queue;
};

struct condition {
    struct queue queue;
};

struct lock *__wrap_sg_mutex_init(void);
void __wrap_sg_mutex_lock(struct lock *l);
void __wrap_sg_mutex_unlock(struct lock *l);
int __wrap_sg_mutex_try_lock(struct lock *l);
void __wrap_sg_mutex_destroy(struct lock *l);
struct condition *__wrap_sg_cond_init(void);
void __wrap_sg_cond_wait(struct condition *c, struct lock *l);
int __wrap_sg_cond_wait_for(struct condition *c, struct lock *l, double seconds);
void __wrap_sg_cond_notify_one(struct condition *c);
void __wrap_sg_cond_notify_all(struct condition *c);
void __wrap_sg_cond_destroy(struct condition *c);

static void append(struct queue *q, struct waiting *w)
{
    *w = (struct waiting){sg_sem_init(0), NULL};
    if (!q->first)
        q->end = &q->first;
    *q->end = w;
    q->end = &w->next;
}

/* Resumes the first thread of the queue. Returns false if there is none. */
static bool resume_first(struct queue *q)
{
    struct waiting *w = q->first;
    if (!w)
        return false;
    q->first = w->next;
    sg_sem_release(w->resumed);
    return true;
}

/* Removes a thread that has waited too long. Returns false if it has been resumed meanwhile. */
static bool removed(struct queue *q, const struct waiting *w)
{
    for (struct waiting **at = &q->first; *at; at = &(*at)->next)
        if (*at == w) {
            *at = w->next;
            if (q->end == &w->next)
                q->end = at;
            return true;
        }
    return false;
}

struct lock *__wrap_sg_mutex_init(void)
{
    return calloc(1, sizeof(struct lock));
}

void __wrap_sg_mutex_lock(struct lock *l)
{
    struct waiting me;
    if (__wrap_sg_mutex_try_lock(l))
        return;
    append(&l->queue, &me);
    sg_sem_acquire(me.resumed);
    sg_sem_destroy(me.resumed);
}

void __wrap_sg_mutex_unlock(struct lock *l)
{
    if (!resume_first(&l->queue))
        l->is_locked = false;
}

/* Returns 1 if it has locked the mutex, else 0. */
int __wrap_sg_mutex_try_lock(struct lock *l)
{
    bool was_locked = l->is_locked;
    l->is_locked = true;
    return !was_locked;
}

void __wrap_sg_mutex_destroy(struct lock *l)
{
    free(l);
}

struct condition *__wrap_sg_cond_init(void)
{
    return calloc(1, sizeof(struct condition));
}

void __wrap_sg_cond_wait(struct condition *c, struct lock *l)
{
    struct waiting me;
    append(&c->queue, &me);
    __wrap_sg_mutex_unlock(l);
    sg_sem_acquire(me.resumed);
    sg_sem_destroy(me.resumed);
    __wrap_sg_mutex_lock(l);
}

/* Returns 1 after `seconds` without a signal, else 0. */
int __wrap_sg_cond_wait_for(struct condition *c, struct lock *l, double seconds)
{
    struct waiting me;
    append(&c->queue, &me);
    __wrap_sg_mutex_unlock(l);
    bool is_late = sg_sem_acquire_timeout(me.resumed, seconds) && removed(&c->queue, &me);
    sg_sem_destroy(me.resumed);
    __wrap_sg_mutex_lock(l);
    return is_late;
}

void __wrap_sg_cond_notify_one(struct condition *c)
{
    resume_first(&c->queue);
}

void __wrap_sg_cond_notify_all(struct condition *c)
{
    int count = 0; /* not threads that wait again meanwhile */
    for (const struct waiting *w = c->queue.first; w; w = w->next)
        count++;
    while (count-- > 0)
        resume_first(&c->queue);
}

void __wrap_sg_cond_destroy(struct condition *c)
{
    free(c);
}
