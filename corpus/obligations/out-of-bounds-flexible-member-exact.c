// clean
// A flexible array member gets as many elements as were allocated.

#include <stdlib.h>

struct list {
    unsigned length;
    short items[];
};

int main(void) {
    struct list *list = malloc(sizeof *list + 4 * sizeof(short));
    if (list == NULL)
        return 1;
    for (list->length = 0; list->length < 4; list->length++)
        list->items[list->length] = 1;
    free(list);
    return 0;
}
