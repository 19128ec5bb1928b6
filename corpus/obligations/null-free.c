// clean
// A null pointer may be freed.

#include <stdlib.h>

int main(void) {
    char *nothing = NULL;
    free(nothing);
    return 0;
}
