// The words of the command line are kept in a table, as long as it is not full.
//@ loops: 1
//@ holds: memsafety (precision)
#define MOST 8

int main(int argc, char **argv) {
    const char *words[MOST];
    int count = 0;
    //@ terminates (soundness)
    for (int i = 1; i < argc; i++) {
        if (count >= MOST)
            break;
        words[count++] = argv[i];
    }
    return count;
}
