/* A library that only has a version, which is not the package's. */
const char *startile_version(void);
const char *startile_strerror(long code);

const char *startile_version(void)
{
    return "9.9.9";
}

const char *startile_strerror(long code)
{
    (void)code;
    return "";
}
