// trips: assertion at line 10
// The sum of 1 to 10 is not 54.

#include <assert.h>

int main(void) {
    int sum = 0;
    for (int i = 1; i <= 10; i++)
        sum += i;
    assert(sum == 54);
    return 0;
}
