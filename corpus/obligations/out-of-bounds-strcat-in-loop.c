// trips: out-of-bounds at line 9
// Words are appended until the buffer is full, and once more.

#include <string.h>

int main(void) {
    char line[10] = "";
    for (int i = 0; i < 5; i++)
        strcat(line, "ab");
    return (int)strlen(line);
}
