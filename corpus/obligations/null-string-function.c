// trips: null at line 10
// A string function gets a null pointer, which points to no string.

#include <string.h>

int main(void) {
    const char *words[3] = {"one", "two"};
    unsigned total = 0;
    for (int i = 0; i < 3; i++)
        total += strlen(words[i]);
    return (int)total;
}
