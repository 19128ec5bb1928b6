// trips: leak
// Only the first node of a list is freed.

#include <stdlib.h>

struct node {
    struct node *next;
};

static void build_and_drop(void) {
    struct node *head = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            abort();
        node->next = head;
        head = node;
    }
    free(head);
    head = NULL;
}

int main(void) {
    build_and_drop();
    return 0;
}
