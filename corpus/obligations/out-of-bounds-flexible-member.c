// trips: out-of-bounds at line 16
// A flexible array member gets one element more than was allocated.

#include <stdlib.h>

struct list {
    unsigned length;
    short items[];
};

int main(void) {
    struct list *list = malloc(sizeof *list + 4 * sizeof(short));
    if (list == NULL)
        return 1;
    for (list->length = 0; list->length < 5; list->length++)
        list->items[list->length] = 1;
    free(list);
    return 0;
}
