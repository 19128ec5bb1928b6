// trips: dangling at line 21
// A list node is freed before its successor is read.

#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            return 1;
        node->next = head;
        head = node;
    }
    while (head) {
        free(head);
        head = head->next;
    }
    return 0;
}
