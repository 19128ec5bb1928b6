/* Builds a list and frees it. Run `loopscope verify --property memsafety examples/list.c`. */
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = i;
        node->next = list;
        list = node;
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
