// trips: unreachable at line 13
// The program says that there are only three states, and comes to a fourth.

static int next(int state) {
    switch (state) {
    case 0:
        return 1;
    case 1:
        return 2;
    case 2:
        return 3;
    default:
        __builtin_unreachable();
    }
}

int main(void) {
    int state = 0;
    for (int i = 0; i < 4; i++)
        state = next(state);
    return state;
}
