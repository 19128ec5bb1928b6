// trips: null at line 14
// The end of a list is read through.

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node last = {2, 0}, first = {1, &last};
    int sum = 0;
    struct node *node = &first;
    for (int i = 0; i < 3; i++) {
        sum += node->value;
        node = node->next;
    }
    return sum;
}
