// trips: leak
// The pointer to a block is overwritten in each iteration.

#include <stdlib.h>

int main(void) {
    char *text = NULL;
    for (int i = 0; i < 3; i++) {
        text = malloc(16);
        if (text == NULL)
            return 1;
        text[0] = 'x';
    }
    free(text);
    return 0;
}
