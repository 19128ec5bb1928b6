#include <alloca.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long checksum = 14695981039346656037ull;

static void mix(unsigned long long value) {
    for (int i = 0; i < 2; i++) {
        checksum = (checksum ^ (value & 0xffffffff)) * 1099511628211ull;
        value >>= 32;
    }
}

static void mix_double(double value) {
    unsigned long long bits = 7;
    if (value == value)
        memcpy(&bits, &value, sizeof bits);
    mix(bits);
}

static inline int double_to_int(double value) {
    return value > -1e9 && value < 1e9 ? (int)value : 17;
}

