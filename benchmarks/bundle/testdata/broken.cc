// Pipelines that end badly, each under the name of a real one, whose own entry and metadata
// stand behind it in the same library.
#include <cstdlib>
#include <unistd.h>

extern "C" int harris(void *input, void *output);

extern "C" int harris_argv(void **args) {
    static int calls = 0;
    calls++;
    switch (KIND) {
    case 0:  // crashes at once
        abort();
    case 1:  // hangs at once
        for (;;) {
            pause();
        }
    case 2:  // computes nothing
        return 0;
    case 3:  // says that it failed
        return -7;
    case 4:  // is right, then crashes
        if (calls > 2) {
            abort();
        }
        break;
    case 5:  // is right, then hangs
        while (calls > 2) {
            pause();
        }
        break;
    case 6:  // is right at first, and computes nothing later
        if (calls > 1) {
            return 0;
        }
        break;
    case 7:  // takes the device with it
        unlink(getenv("GOWARP_TEST_DEVICE"));
        abort();
    }
    return harris(args[0], args[1]);
}
