/* cc 11-numbers-in-files-have-a-point.c $(pkg-config --cflags --libs starpu-1.4)
 * STARPU_HOME=$(mktemp -d) STARPU_SCHED=dmda ./a.out de_DE.UTF-8
 * Without the patch SIGABRT: the second run, in a locale with a decimal comma, cannot read the
 * model that the first run has written (assertion in scan_reg_model()).
 * With the patch exit status 0. 77: the locale is not installed. */
#include <locale.h>
#include <starpu.h>
#include <string.h>

static void nothing(void **buffers, void *arg)
{
    (void)buffers;
    (void)arg;
}

static int run(void)
{
    struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "reproducer"};
    struct starpu_codelet cl = {
        .cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &model};
    int value = 0;
    starpu_data_handle_t data;
    if (starpu_init(NULL) != 0)
        return 77;
    starpu_variable_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
    for (int i = 0; i < 20; i++)
        starpu_task_insert(&cl, STARPU_RW, data, 0);
    starpu_data_unregister(data);
    starpu_shutdown();
    return 0;
}

int main(int argc, char **argv)
{
    int status = run();
    if (status != 0)
        return status;
    if (!setlocale(LC_ALL, argc > 1 ? argv[1] : "") ||
        strcmp(localeconv()->decimal_point, ",") != 0)
        return 77;
    return run();
}
