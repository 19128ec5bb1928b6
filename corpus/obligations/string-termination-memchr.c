// clean
// A search with a bound needs no terminator.

#include <string.h>

int main(void) {
    char word[4] = {'w', 'o', 'r', 'd'};
    return memchr(word, 'z', sizeof word) != NULL;
}
