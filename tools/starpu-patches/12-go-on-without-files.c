/* cc 12-go-on-without-files.c $(pkg-config --cflags --libs starpu-1.4)
 * ./a.out folder: StarPU's folder cannot be made
 * ./a.out empty: HOST.config is empty, as a full disk leaves it
 * Without the patch both end with SIGABRT.
 * With the patch exit status 0, and warnings. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int start(const char *home)
{
    setenv("STARPU_HOME", home, 1);
    setenv("STARPU_HOSTNAME", "host", 1);
    int error = starpu_init(NULL);
    if (error == 0)
        starpu_shutdown();
    return error != 0;
}

int main(int argc, char **argv)
{
    char home[] = "/tmp/starpu-12-XXXXXX", config[100];
    if (argc < 2 || strcmp(argv[1], "empty") != 0)
        return start("/dev/null");
    if (!mkdtemp(home) || start(home) != 0)
        return 77;
    snprintf(config, sizeof config, "%s/.starpu/sampling/bus/host.config", home);
    if (truncate(config, 0) != 0)
        return 77;
    return start(home);
}
