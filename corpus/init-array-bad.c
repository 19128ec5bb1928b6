// The loader calls what stands in the section .init_array.
//@ fails: termination (soundness)
int busy = 0;

static void begin(void) {
    busy = 1;
}

__attribute__((section(".init_array"), used)) static void (*table[])(void) = {begin};

int main(void) {
    while (busy)
        ;
    return 0;
}
