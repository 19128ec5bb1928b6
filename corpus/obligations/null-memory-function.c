// trips: null at line 10
// A block is copied from a null pointer.

#include <string.h>

int main(void) {
    const char *blocks[3] = {"one", "two"};
    char all[12];
    for (int i = 0; i < 3; i++)
        memcpy(all + 4 * i, blocks[i], 4);
    return all[0];
}
