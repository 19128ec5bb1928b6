// clean
// A string is copied to a buffer that it fills to the last byte.

#include <string.h>

int main(void) {
    char buffer[6];
    strcpy(buffer, "12345");
    return buffer[0] == '2';
}
