// trips: dangling at line 13
// A local variable is read after its function has returned.

static int *saved;

static void save(int value) {
    int local = value;
    saved = &local;
}

int main(void) {
    save(5);
    return *saved - 5;
}
