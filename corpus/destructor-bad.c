// exit calls the destructors, wherever it is called.
//@ loops: 0
//@ fails: memsafety (precision)
#include <stdlib.h>

int places[3];
int at = 0;

static void __attribute__((destructor)) end(void) {
    places[at] = 1;
}

static void leave(void) {
    exit(0);
}

int main(void) {
    at = 3;
    leave();
    return 0;
}
