// Whether the error is reached depends on who is called first.
//@ loops: 0
//@ fails: unreach-call (precision)
extern void reach_error(void);
extern void abort(void);

int stop(void) {
    abort();
    return 0;
}

int fail(void) {
    reach_error();
    return 0;
}

int main(void) {
    return stop() + fail();
}
