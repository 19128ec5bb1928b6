// clean
// The program says that there are only three states, and keeps to them.

static int next(int state) {
    switch (state) {
    case 0:
        return 1;
    case 1:
        return 2;
    case 2:
        return 0;
    default:
        __builtin_unreachable();
    }
}

int main(void) {
    int state = 0;
    for (int i = 0; i < 6; i++)
        state = next(state);
    return state;
}
