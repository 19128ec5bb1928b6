// trips: string-termination at line 9
// strncpy leaves a full buffer without a terminator.

#include <string.h>

int main(void) {
    char name[4];
    strncpy(name, "longer", sizeof name);
    return (int)strlen(name);
}
