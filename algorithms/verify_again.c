/*
 * Level 2 of startile_options::verify: an operation with a wrong result runs again
 *
 * The operand that the operation overwrites is copied before the first run. The tasks of all runs
 * belong to a request of their own, the attempt. The decision on the comparison submits the next
 * run, so other tasks on the operands wait until the operation has ended (hold). On a grid there is
 * no hold: the caller's thread waits for the comparison and submits the next run. The caller's
 * request fails only if the last run is wrong, too.
 *
 * A flip can also cause info > 0, after which nothing is compared. The operation returns such an
 * info if two consecutive runs agree on it, or if the last run has it.
 */
#include "journal/journal.h"
#include "memory/capacity.h"
#include "request/corruption.h"
#include "request/decision.h"
#include "request/hold.h"
#include "request/request.h"
#include "verify.h"

#include <stdlib.h>

/* Largest number of runs of an operation. A result that is wrong three times is not due to
 * transient flips. */
enum { MOST_ATTEMPTS = 3 };

/* The runs of one operation */
struct attempts {
    temporary owned;
    plan plan;
    startile_request *request; /* the caller's */
    startile_request *attempt; /* of the tasks of all runs */
    hold *hold;                /* NULL on a grid */
    startile_matrix *copy;     /* of the operand that is overwritten, or NULL */
    int factorization;         /* context::factorization in the caller's request */
    int count;                 /* number of runs so far */
    int64_t info;              /* info > 0 of the run before, or 0 */
    bool has_decision;         /* decide_on_attempt() will be called for the current run */
};

static void release_attempts(temporary *owned)
{
    free(owned);
}

/* Stores the outcome of the last run in the caller's request. The processes of a grid have agreed
 * on it in carry_out(). */
static void store_outcome(void *arg)
{
    struct attempts *a = arg;
    int64_t outcome = request_outcome(a->attempt);
    if (a->plan.working_set == GETRF && outcome > 0)
        request_note_zero_pivot(a->request, outcome, a->factorization);
    else
        request_fail(a->request, outcome);
}

static void end_attempts(struct attempts *a)
{
    if (a->hold != NULL)
        hold_end(a->hold, store_outcome, a);
    else
        store_outcome(a);
}

/* Submits the next run. If it gets no decision, because it has failed, ends the operation. */
static void submit_attempt(struct attempts *a)
{
    a->count++;
    a->has_decision = false;
    carry_out(context_of(a->attempt), &a->plan);
    if (!a->has_decision)
        end_attempts(a);
}

void expect_decision(struct attempts *a)
{
    a->has_decision = true;
}

/* Restores the overwritten operand, and submits the next run. */
static void try_again(struct attempts *a)
{
    request_forget_info(a->attempt);
    if (a->copy != NULL)
        submit_lacpy(a->plan.uplo, a->copy, a->plan.A, a->attempt);
    submit_attempt(a);
}

void decide_on_attempt(struct attempts *a, const startile_corruption *place)
{
    int64_t outcome = request_outcome(a->attempt), failure = agreed_outcome(a->request, a->plan.A);
    bool is_wrong = place != NULL && outcome == 0 && failure == 0;
    bool is_doubtful = outcome > 0 && outcome != a->info && failure == 0;
    if ((is_wrong || is_doubtful) && a->count < MOST_ATTEMPTS) {
        a->info = outcome;
        try_again(a);
        return;
    }
    if (is_wrong)
        request_note_corruption(a->request, place);
    end_attempts(a);
}

/* Returns NULL, and fails the request, without memory. Makes the record before the attempt, because
 * temporaries are released in reverse order: the release of the attempt waits for its last
 * decision, which still uses the record. */
static struct attempts *new_attempts(context ctx, const plan *p)
{
    struct attempts *a = malloc(sizeof *a);
    if (a == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    *a = (struct attempts){.plan = *p, .request = ctx.request, .factorization = ctx.factorization};
    own_temporary(ctx, &a->owned, release_attempts);
    a->attempt = request_within(ctx, STARTILE_PRODUCTS_AUTO);
    if (a->attempt == NULL)
        return NULL;
    request_join_grid(a->attempt, p->A);
    startile_request_set_verify(a->attempt, 1);
    request_set_attempts(a->attempt, a);
    return a;
}

/* Delays other tasks on the operands until the operation has ended. Returns false if the request
 * fails. */
static bool hold_operands(struct attempts *a)
{
    const plan *p = &a->plan;
    a->hold = hold_begin(context_of(a->request));
    if (a->hold == NULL)
        return false;
    if (p->left.A != NULL)
        hold_matrix(a->hold, 'G', p->left.A, true);
    if (p->right.A != NULL)
        hold_matrix(a->hold, 'G', p->right.A, true);
    hold_matrix(a->hold, p->uplo, p->A, !p->ignores_A);
    if (p->T != NULL)
        hold_matrix(a->hold, 'G', p->T, false);
    if (p->P != NULL)
        hold_pivots(a->hold, p->P);
    request_use_hold(a->attempt, a->hold);
    return hold_submit(a->hold);
}

/* Copies the operand that the operation overwrites. Returns false if the request fails, on all
 * processes of a grid. */
static bool copy_operand(struct attempts *a)
{
    const plan *p = &a->plan;
    context ctx = context_of(a->attempt);
    if (!p->ignores_A && has_capacity_for_copy(a->attempt, p->A, startile_matrix_shape(p->A).n)) {
        a->copy = temporary_like(ctx, p->A);
        if (agreed_outcome(a->attempt, p->A) == 0)
            submit_lacpy(p->uplo, p->A, a->copy, a->attempt);
    }
    int64_t outcome = agreed_outcome(a->attempt, a->plan.A);
    request_fail(a->request, outcome < 0 ? outcome : 0);
    return agreed_outcome(a->request, a->plan.A) == 0;
}

bool submit_with_retries(const plan *p, startile_request *request)
{
    startile_matrix *A = p->A;
    context ctx = context_of(request);
    startile_shape s = startile_matrix_shape(A);
    bool is_on_grid = startile_matrix_grid(A) != NULL;
    if (request_verify(request) != 2 || p->equation == UNCHECKED || has_journal(A) ||
        p->permutation != NULL || p->symmetric_pivots != NULL || p->band != NULL || s.m == 0 ||
        s.n == 0 || agreed_outcome(request, A) != 0)
        return false;
    struct attempts *a = new_attempts(ctx, p);
    if (agreed_outcome(request, A) == 0 && copy_operand(a) && (is_on_grid || hold_operands(a))) {
        submit_attempt(a);
        return_matrix(ctx, A);
        if (p->working_set == GETRF) /* later tasks of the request do nothing after a zero pivot */
            after_factorization(ctx);
    }
    return true;
}
