// The objects of main are gone when destructors run.
//@ loops: 0
//@ fails: memsafety (precision)
int *place;

static void __attribute__((destructor)) end(void) {
    *place = 1;
}

int main(void) {
    int mine = 0;
    place = &mine;
    return 0;
}
