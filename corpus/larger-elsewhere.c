// Where it is defined, the table may have more entries than its type says: the accesses are good, and nothing ends the loop.
//@ loops: 1
//@ fails: termination (soundness)
extern struct table {
    int count;
    int entries[];
} table;

int main(void) {
    //@ diverges (soundness)
    while (1)
        table.entries[2] = table.count;
}
