// Preloaded: a Halide that says that it is another one, as VERSION says.
#include <stdlib.h>
#include <string.h>

// Halide::serialize_pipeline(const Pipeline &, std::vector<uint8_t> &): a std::vector is
// three pointers.
void _ZN6Halide18serialize_pipelineERKNS_8PipelineERSt6vectorIhSaIhEE(const void *pipeline, unsigned char *out[3]) {
    (void)pipeline;
    const char *version = getenv("VERSION"), *format = "0.1.0";
    unsigned char *at = calloc(1, 256);
    free(out[0]);
    out[0] = at;
    for (int i = 0; i < 2; i++) {
        const char *s = i == 0 ? version : format;
        at += 8;
        *at = (unsigned char)strlen(s);
        at += 4;
        strcpy((char *)at, s);
        at += strlen(s) + 3;
    }
    out[1] = out[2] = at;
}
