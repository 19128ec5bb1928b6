// Three loops deep, over a variable length array.
//@ loops: 4
//@ holds: memsafety (precision)
//@ holds: termination (precision)
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int n = __VERIFIER_nondet_uchar() % 6 + 1;
    int product[n][n], factor[n];
    for (int i = 0; i < n; i++)
        factor[i] = i - 2;
    //@ terminates (precision)
    //@ bound: n (precision)
    for (int i = 0; i < n; i++)
        //@ terminates (precision)
        //@ bound: n (precision)
        for (int j = 0; j < n; j++) {
            product[i][j] = 0;
            //@ terminates (precision)
            //@ bound: n (precision)
            for (int k = 0; k < n; k++)
                product[i][j] += factor[i] * factor[j];
        }
    return abs(product[0][0]) > 100;
}
