// clean
// The invariant would fail in an iteration that is not done.

#include <assert.h>

int main(void) {
    unsigned char x = 250;
    for (int i = 0; i < 5; i++) {
        x++;
        assert(x > 250);
    }
    return 0;
}
