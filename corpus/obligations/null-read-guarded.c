// clean
// The loop stops at the end of the list.

struct node {
    int value;
    struct node *next;
};

int main(void) {
    struct node last = {2, 0}, first = {1, &last};
    int sum = 0;
    for (struct node *node = &first; node; node = node->next)
        sum += node->value;
    return sum - 3;
}
