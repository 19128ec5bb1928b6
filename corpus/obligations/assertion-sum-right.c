// clean
// The sum of 1 to 10 is 55.

#include <assert.h>

int main(void) {
    int sum = 0;
    for (int i = 1; i <= 10; i++)
        sum += i;
    assert(sum == 55);
    return 0;
}
