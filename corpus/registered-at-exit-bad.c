// What is registered with atexit runs after main.
//@ loops: 0
//@ fails: memsafety (precision)
#include <stdlib.h>

int places[3];
int at = 0;

static void end(void) {
    places[at] = 1;
}

int main(void) {
    atexit(end);
    at = 3;
    return 0;
}
