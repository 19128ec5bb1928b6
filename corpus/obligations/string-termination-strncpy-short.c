// clean
// strncpy terminates what is shorter than the buffer.

#include <string.h>

int main(void) {
    char name[8];
    strncpy(name, "longer", sizeof name);
    return (int)strlen(name) - 6;
}
