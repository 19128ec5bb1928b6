// trips: assertion at line 10
// The invariant holds in every iteration but the last.

#include <assert.h>

int main(void) {
    unsigned char x = 250;
    for (int i = 0; i < 6; i++) {
        x++;
        assert(x > 250);
    }
    return 0;
}
