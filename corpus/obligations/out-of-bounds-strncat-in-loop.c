// clean
// Words are appended while there is room.

#include <string.h>

int main(void) {
    char line[10] = "";
    for (int i = 0; i < 5; i++)
        strncat(line, "ab", sizeof line - 1 - strlen(line));
    return (int)strlen(line) - 9;
}
