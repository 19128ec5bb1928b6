// clean
// A static local variable is read after its function has returned.

static int *saved;

static void save(int value) {
    static int local;
    local = value;
    saved = &local;
}

int main(void) {
    save(5);
    return *saved - 5;
}
