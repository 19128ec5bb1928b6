/*
 * Gives a compiled program the inputs of a run that Loopscope found.
 *
 *   loopscope verify --property PROPERTY --inputs INPUTS --driver DRIVER.c PROGRAM.c
 *   cc -g -fsanitize=address,undefined -fno-sanitize-recover=all PROGRAM.c DRIVER.c -o replay
 *   LOOPSCOPE_INPUTS=INPUTS ./replay
 *
 * Before main starts, the file that LOOPSCOPE_INPUTS names is read; standard input is replaced by what the file holds,
 * and if the file holds another command line, the program starts itself again with that one. Then every function
 * that a verifier takes for an input gives the next value of the file; after the last one those of the cycle, again
 * and again, or zero.
 *
 * A program may have its own version of any function of the C library, so this file uses system calls and little
 * else. What is there only in case the program has none of its own is weak.
 *
 * Known limits: Linux. Values that stand for uninitialised memory cannot be given to a compiled program:
 * they are left out, and that is said on standard error. gcc's -ftrivial-auto-var-init=zero helps if they are zero;
 * otherwise LOOPSCOPE_GARBAGE=2f00ff fills the stack with these bytes, again and again, before main starts, if the
 * program was linked with -Wl,--wrap=main.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __SIZEOF_INT128__
typedef __int128 loopscope_widest;
typedef unsigned __int128 loopscope_bits;
#else
typedef long long loopscope_widest;
typedef unsigned long long loopscope_bits;
#endif

/* The inputs if LOOPSCOPE_INPUTS names no file: a driver that is made for one run has its own. */
#ifndef LOOPSCOPE_OWN_INPUTS
#define LOOPSCOPE_OWN_INPUTS ""
#endif
static char loopscope_own_inputs[] = LOOPSCOPE_OWN_INPUTS;

/* The file, and the line of it that the next value is looked for in; where the cycle starts, and how often it was there. */
static char *loopscope_next, *loopscope_end, *loopscope_cycle;
static unsigned long loopscope_round;
static int loopscope_in_values, loopscope_said_left_out, loopscope_said_other;

static unsigned long loopscope_length(const char *text) {
    unsigned long length = 0;
    while (text[length])
        length++;
    return length;
}

static void loopscope_say(const char *first, const char *second, const char *third) {
    const char *parts[] = {"loopscope: ", first, second, third, "\n"};
    for (int i = 0; i < 5; i++)
        if (write(2, parts[i], loopscope_length(parts[i])) < 0)
            return;
}

static int loopscope_starts_with(const char *line, const char *end, const char *word) {
    while (*word)
        if (line >= end || *line++ != *word++)
            return 0;
    return 1;
}

static char *loopscope_end_of_line(char *line, char *end) {
    while (line < end && *line != '\n')
        line++;
    return line;
}

static int loopscope_digit(char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Decodes the string that a line holds, in its place: it never gets longer. Returns its length. */
static long loopscope_string(char *line, char *end) {
    char *to = line, *from = line + 1;
    while (from < end && *from != '"') {
        char byte = *from++;
        if (byte == '\\' && from < end) {
            byte = *from++;
            if (byte == 'n')
                byte = '\n';
            else if (byte == 't')
                byte = '\t';
            else if (byte == 'r')
                byte = '\r';
            else if (byte == 'x' && from + 1 < end) {
                byte = (char)(16 * loopscope_digit(from[0]) + loopscope_digit(from[1]));
                from += 2;
            }
        }
        *to++ = byte;
    }
    *to = 0;
    return to - line;
}

/* Reads a number, with a sign or in hexadecimal. Of `null` no character is a digit below ten, and its value is zero. */
static loopscope_bits loopscope_number(char **text, char *end) {
    char *digit = *text;
    while (digit < end && *digit == ' ')
        digit++;
    int negative = digit < end && *digit == '-', base = 10;
    if (negative)
        digit++;
    if (loopscope_starts_with(digit, end, "0x")) {
        base = 16;
        digit += 2;
    }
    loopscope_bits bits = 0;
    for (; digit < end && loopscope_digit(*digit) >= 0 && loopscope_digit(*digit) < base; digit++)
        bits = bits * base + loopscope_digit(*digit);
    *text = digit;
    return negative ? -bits : bits;
}

/* The next value, which this function of the program asks for. */
__attribute__((unused)) static loopscope_widest loopscope_value(const char *name) {
    int ends = 0;
    for (;;) {
        if (loopscope_next >= loopscope_end) {
            /* A cycle in which nothing is left to be asked for is none. */
            if (!loopscope_cycle || ends++)
                return 0;
            loopscope_next = loopscope_cycle;
            loopscope_round++;
            loopscope_in_values = 1;
        }
        char *line = loopscope_next, *end = loopscope_end_of_line(line, loopscope_end);
        loopscope_next = end < loopscope_end ? end + 1 : end;
        if (line < end && *line == '[') {
            if (loopscope_starts_with(line, end, "[cycle]"))
                loopscope_cycle = loopscope_next;
            loopscope_in_values = loopscope_cycle == loopscope_next || loopscope_starts_with(line, end, "[values]");
            continue;
        }
        if (!loopscope_in_values || line == end || *line == '#')
            continue;
        if (*line == '(') {
            /* Whoever calls the function gives its parameters. */
            if (!loopscope_starts_with(line, end, "(parameter ") && !loopscope_said_left_out++)
                loopscope_say("values of uninitialised memory are left out", "", "");
            continue;
        }
        char *value = line;
        while (value < end && *value != '=')
            value++;
        if (!(loopscope_starts_with(line, end, name) && line[loopscope_length(name)] == ' ') &&
            !loopscope_said_other++)
            loopscope_say("the program asks for ", name, " where the run asked for something else");
        value++;
        loopscope_bits bits = loopscope_number(&value, end);
        /* In the cycle, what the value grows by each time. */
        if (loopscope_starts_with(value, end, " + ")) {
            value += 3;
            bits += loopscope_round * loopscope_number(&value, end);
        }
        return (loopscope_widest)bits;
    }
}

/* Whoever measures coverage wants to know of the run though it ends here. */
__attribute__((weak)) void __gcov_dump(void);

static void loopscope_stop(const char *why) {
    loopscope_say(why, "", "");
    if (__gcov_dump)
        __gcov_dump();
    abort();
}

/* What the program may be without. */
#define LOOPSCOPE_WEAK __attribute__((weak))
LOOPSCOPE_WEAK void reach_error(void) { loopscope_stop("reach_error is called"); }
LOOPSCOPE_WEAK void __VERIFIER_error(void) { loopscope_stop("__VERIFIER_error is called"); }
/* An assertion that the program does not define itself ends a run only if it is about assertions. */
static int loopscope_assertions_matter = 1;
#define LOOPSCOPE_ASSERT(name)                                                                                         \
    LOOPSCOPE_WEAK void name(int condition) {                                                                          \
        if (!condition && loopscope_assertions_matter)                                                                 \
            loopscope_stop(#name " fails");                                                                            \
    }
LOOPSCOPE_ASSERT(__VERIFIER_assert)
LOOPSCOPE_ASSERT(__CPROVER_assert)
LOOPSCOPE_ASSERT(__ESBMC_assert)
LOOPSCOPE_ASSERT(assert)
#define LOOPSCOPE_ASSUME(name)                                                                                         \
    LOOPSCOPE_WEAK void name(int condition) {                                                                          \
        if (!condition) {                                                                                              \
            loopscope_say("an assumption does not hold", "", "");                                                      \
            if (__gcov_dump)                                                                                           \
                __gcov_dump();                                                                                         \
            _exit(124);                                                                                                \
        }                                                                                                              \
    }
LOOPSCOPE_ASSUME(__VERIFIER_assume)
LOOPSCOPE_ASSUME(__CPROVER_assume)
LOOPSCOPE_ASSUME(__ESBMC_assume)
LOOPSCOPE_ASSUME(assume)
LOOPSCOPE_WEAK void __VERIFIER_atomic_begin(void) {}
LOOPSCOPE_WEAK void __VERIFIER_atomic_end(void) {}

/* Lets standard input be these lines. */
static void loopscope_standard_input(char *line, char *end) {
    int file = memfd_create("standard input", 0);
    while (line < end && *line != '[') {
        char *next = loopscope_end_of_line(line, end);
        if (*line == '"' && write(file, line, loopscope_string(line, next)) < 0)
            loopscope_stop("standard input cannot be written");
        line = next + 1;
    }
    if (lseek(file, 0, SEEK_SET) < 0 || dup2(file, 0) < 0)
        loopscope_stop("standard input cannot be set");
    close(file);
}

/* Starts the program again if its command line is not that of these lines. */
static void loopscope_arguments(char *line, char *end, char **given) {
    static char *words[1025];
    int count = 0, same = 1;
    while (line < end && *line != '[' && count < 1024) {
        char *next = loopscope_end_of_line(line, end);
        if (*line == '"') {
            loopscope_string(line, next);
            words[count++] = line;
        }
        line = next + 1;
    }
    for (int i = 0; i <= count && same; i++) {
        if (i == count || !given[i])
            same = i == count && !given[i];
        else
            same = loopscope_length(given[i]) == loopscope_length(words[i]) &&
                   loopscope_starts_with(given[i], given[i] + loopscope_length(given[i]), words[i]);
    }
    if (!same) {
        execve("/proc/self/exe", words, environ);
        loopscope_stop("the program cannot be started with the command line of the run");
    }
}

/* Leaves bytes, in hexadecimal, on the stack where main and what it calls will be. */
__attribute__((noinline, no_sanitize_address)) static void loopscope_garbage(const char *digits) {
    volatile char stack[1 << 18];
    long length = loopscope_length(digits) / 2;
    for (long i = 0; length && i < 1 << 18; i++) {
        const char *byte = digits + 2 * (i % length);
        stack[i] = (char)(16 * loopscope_digit(byte[0]) + loopscope_digit(byte[1]));
    }
    (void)stack;
}

/* Stands in for main where the linker is told so, to leave something behind exactly where main's variables will be. */
static const char *loopscope_left_behind;
LOOPSCOPE_WEAK int __real_main(int count, char **words, char **variables);
int __wrap_main(int count, char **words, char **variables) {
    if (loopscope_left_behind)
        loopscope_garbage(loopscope_left_behind);
    return __real_main(count, words, variables);
}

/* The value of a variable of the environment. */
static const char *loopscope_setting(const char *variable) {
    for (char **entry = environ; *entry; entry++)
        if (loopscope_starts_with(*entry, *entry + loopscope_length(*entry), variable))
            return *entry + loopscope_length(variable);
    return 0;
}

__attribute__((constructor)) static void loopscope_start(int count, char **words) {
    (void)count;
    const char *path = loopscope_setting("LOOPSCOPE_INPUTS=");
    loopscope_left_behind = loopscope_setting("LOOPSCOPE_GARBAGE=");
    char *text = loopscope_own_inputs;
    long size = sizeof loopscope_own_inputs - 1;
    if (path) {
        struct stat status;
        int file = open(path, O_RDONLY);
        if (file < 0 || fstat(file, &status) < 0)
            loopscope_stop("the file that LOOPSCOPE_INPUTS names cannot be read");
        /* One byte more than the file has, so that its last line can be ended. */
        text = mmap(0, status.st_size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        size = text == MAP_FAILED ? -1 : read(file, text, status.st_size);
        if (size < 0)
            loopscope_stop("the file that LOOPSCOPE_INPUTS names cannot be read");
        close(file);
    }
    if (!size) {
        loopscope_say("LOOPSCOPE_INPUTS names no file: all inputs are zero", "", "");
        return;
    }
    loopscope_next = text;
    loopscope_end = text + size;
    /* Strings are decoded in a copy, so that what is decoded is never taken for lines. */
    char *copy = mmap(0, size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        loopscope_stop("there is no memory");
    for (long i = 0; i < size; i++)
        copy[i] = text[i];
    char *input = copy + size;
    for (char *line = text; line < loopscope_end; line = loopscope_end_of_line(line, loopscope_end) + 1) {
        char *after = copy + (loopscope_end_of_line(line, loopscope_end) - text) + 1;
        if (loopscope_starts_with(line, loopscope_end, "[arguments]"))
            loopscope_arguments(after, copy + size, words);
        if (loopscope_starts_with(line, loopscope_end, "[standard input]"))
            input = after;
        if (loopscope_starts_with(line, loopscope_end, "property = "))
            loopscope_assertions_matter = loopscope_starts_with(line, loopscope_end, "property = unreach-call");
    }
    loopscope_standard_input(input, copy + size);
}

/* What this program asks for. */
