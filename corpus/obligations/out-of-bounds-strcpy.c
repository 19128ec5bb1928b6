// trips: out-of-bounds at line 8
// A string is copied to a buffer that is one byte too small.

#include <string.h>

int main(void) {
    char buffer[5];
    strcpy(buffer, "12345");
    return buffer[0] == '2';
}
