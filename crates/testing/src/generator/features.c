//// strings: copy, append, search, compare
static unsigned long long NAME(unsigned a, int b) {
    char text[64], other[64];
    unsigned long long sum = 0;
    strcpy(text, "loop");
    strcat(text, (a & 1) ? "-odd" : "-even");
    strncpy(other, text, 5);
    other[5] = '\0';
    strncat(other, "scope and more", K1);
    sum += strlen(text) * 3 + strlen(other);
    char *found = strchr(text, (b & 1) ? 'o' : 'z');
    if (found)
        sum += (unsigned long long)(found - text) + 100;
    found = strrchr(text, 'e');
    sum = sum * 31 + (found ? (unsigned)(found - text) : 77u);
    found = strstr(other, "sc");
    sum = sum * 31 + (found ? (unsigned)(found - other) : 55u);
    sum = sum * 7 + (strcmp(text, other) < 0) + 2 * (strncmp(text, other, 4) == 0);
    sum = sum * 7 + strspn(text, "lop") + strcspn(text, "-") + (memchr(text, '-', 6) != NULL);
    sum += (strpbrk(other, "xyzs") != NULL) + (memcmp("abc", "abd", 2 + K2 % 2) < 0);
    printf("%s|%s|%.3s|%5s|%-7s|\n", text, other, text, "ab", "cd");
    for (char *p = text; *p; p++)
        sum = sum * 131 + (unsigned char)*p;
    return sum;
}

//// memory blocks: set, copy, move over itself
static unsigned long long NAME(unsigned a, int b) {
    unsigned char bytes[32];
    unsigned long long sum = 0;
    memset(bytes, (int)(a & 0xff), sizeof bytes);
    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)(i * K1 + b % 7);
    memmove(bytes + K2, bytes, 12);
    memmove(bytes, bytes + K3, 10);
    memcpy(bytes + 24, bytes, 8);
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        sum = sum * 33 + bytes[i];
    return sum;
}

//// formatted output and input
static unsigned long long NAME(unsigned a, int b) {
    char buffer[128];
    int x = 0, y = 0, count;
    unsigned u = 0;
    char word[16];
    int length = sprintf(buffer, "%d %x %s", b % 1000, a & 0xffff, "word");
    count = sscanf(buffer, "%d %x %15s", &x, &u, word);
    unsigned long long sum = (unsigned long long)length * 1000 + count;
    sum = sum * 31 + (unsigned)x + u + strlen(word);
    length = snprintf(buffer, K1 + 3, "%05d|%-6d|%+d|%#o", b % 100, b % 10, b % 10, a % 64);
    sum = sum * 31 + (unsigned)length + strlen(buffer);
    printf("%s %d %c%c %%\n", buffer, length, 'a' + K2, '0' + K3 % 10);
    printf("%ld %lu %lld %hhd %hu %zu\n", (long)b * 3, (unsigned long)a, (long long)b - 1, (signed char)b, (unsigned short)a, sizeof buffer);
    printf("%.3f %e %g %08.2f\n", b % 1000 / 8.0, (a % 1000) * 1.5, (b % 50) / 4.0, K4 / 2.0);
    count = sscanf("12,-7;x", "%d,%d;%c", &x, &y, word);
    return sum * 7 + (unsigned)count + (unsigned)(x * 10 + y + word[0]);
}

//// numbers in text
static unsigned long long NAME(unsigned a, int b) {
    const char *texts[] = {"42", "-17abc", "  99", "0x1f", "077", "", "2147483647"};
    char *end;
    unsigned long long sum = (unsigned)b % 3;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sum = sum * 31 + (unsigned long long)atoi(texts[i]);
        sum = sum * 31 + (unsigned long long)strtol(texts[i], &end, 0) + (unsigned)(end - texts[i]);
        sum = sum * 31 + strtoul(texts[i], NULL, K1 + 10) + (unsigned long long)abs(atoi(texts[i]) / 2);
    }
    sum += (unsigned long long)(strtod("2.5e1", &end) * 4) + (unsigned long long)labs(-5L - K2);
    return sum + a % 3;
}

//// sorting through a function pointer
static int NAME_compare(const void *left, const void *right) {
    int x = *(const int *)left, y = *(const int *)right;
    return x < y ? -1 : x > y;
}
static unsigned long long NAME(unsigned a, int b) {
    int values[K1 + 6];
    int count = (int)(sizeof values / sizeof values[0]);
    unsigned long long sum = (unsigned)b & 15;
    for (int i = 0; i < count; i++) {
        a = a * 1103515245u + 12345u;
        values[i] = (int)(a >> 16) % 100 - 50;
    }
    qsort(values, (size_t)count, sizeof values[0], NAME_compare);
    for (int i = 0; i < count; i++)
        sum = sum * 31 + (unsigned)(values[i] + 50);
    int key = values[K2 % count];
    int *found = bsearch(&key, values, (size_t)count, sizeof values[0], NAME_compare);
    return sum * 2 + (found != NULL && *found == key);
}

//// insertion sort with nested loops
static unsigned long long NAME(unsigned a, int b) {
    short values[12];
    for (int i = 0; i < 12; i++)
        values[i] = (short)((a >> i) ^ (unsigned)(i * K1));
    for (int i = 1; i < 12; i++) {
        short key = values[i];
        int j = i - 1;
        while (j >= 0 && values[j] > key) {
            values[j + 1] = values[j];
            j--;
        }
        values[j + 1] = key;
    }
    unsigned long long sum = (unsigned)b & 1;
    for (int i = 0; i < 12; i++)
        sum = sum * 17 + (unsigned short)values[i];
    return sum;
}

//// variable length arrays
static unsigned long long NAME(unsigned a, int b) {
    int n = (int)(a % 7) + 2, m = K1;
    int grid[n][m];
    unsigned long long sum = sizeof grid;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            grid[i][j] = i * K2 - j + b % 5;
    int (*row)[m] = grid;
    for (int i = 0; i < n; i++, row++)
        for (int j = m; j-- > 0;)
            sum = sum * 3 + (unsigned)(*row)[j];
    for (int round = 1; round < 5; round++) {
        char scratch[round * 2];
        memset(scratch, round, sizeof scratch);
        sum += sizeof scratch + (unsigned)scratch[round];
    }
    return sum;
}

//// memory of the stack frame
static unsigned long long NAME(unsigned a, int b) {
    unsigned n = a % 9 + 1;
    unsigned long long sum = 0;
    long *values = alloca(n * sizeof *values);
    long **links = __builtin_alloca(n * sizeof *links);
    for (unsigned i = 0; i < n; i++) {
        values[i] = (long)i * K1 - b % 3;
        links[n - 1 - i] = &values[i];
    }
    for (unsigned i = 0; i < n; i++)
        sum = sum * 5 + (unsigned long)(*links[i] + K2);
    return sum;
}

//// a variable argument list
static long NAME_sum(int count, ...) {
    va_list list, copy;
    long sum = 0;
    va_start(list, count);
    va_copy(copy, list);
    for (int i = 0; i < count; i++) {
        switch (i % 3) {
        case 0:
            sum += va_arg(list, int);
            break;
        case 1:
            sum += va_arg(list, long);
            break;
        default:
            sum += (long)va_arg(list, double);
        }
    }
    if (count > 0)
        sum = sum * 2 + va_arg(copy, int);
    va_end(copy);
    va_end(list);
    return sum;
}
static int NAME_print(char *out, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(out, size, format, list);
    va_end(list);
    return length;
}
static unsigned long long NAME(unsigned a, int b) {
    char text[32];
    int length = NAME_print(text, sizeof text, "%d-%u-%c", b % 100, a % 100, 'x');
    return (unsigned long long)NAME_sum(5, b % 1000, (long)K1, 2.5 * K2, (int)(a % 50), -4L)
         + (unsigned long long)NAME_sum(0) + (unsigned long long)length + strlen(text);
}

//// computed goto: a small machine
static unsigned long long NAME(unsigned a, int b) {
    static void *const labels[] = {&&push, &&add, &&twice, &&loop, &&halt};
    static const unsigned char code[] = {0, K1, 1, 2, 0, K2, 1, 3, 4};
    unsigned long long accumulator = a % 100;
    int position = 0, rounds = b & 3, top = 0;
    goto *labels[code[position]];
push:
    top = code[position + 1];
    position += 2;
    goto *labels[code[position]];
add:
    accumulator += (unsigned)top;
    position++;
    goto *labels[code[position]];
twice:
    accumulator *= 2;
    position++;
    goto *labels[code[position]];
loop:
    if (rounds-- > 0)
        position = 0;
    else
        position++;
    goto *labels[code[position]];
halt:
    return accumulator;
}

//// Duff's device: a switch into a loop
static unsigned long long NAME(unsigned a, int b) {
    unsigned char source[64], target[64] = {0};
    unsigned char *from = source, *to = target;
    int count = (int)(a % 40) + 1, rounds = (count + 7) / 8;
    for (int i = 0; i < 64; i++)
        source[i] = (unsigned char)(i * K1 + b % 11);
    switch (count % 8) {
    case 0:
        do {
            *to++ = *from++;
        case 7:
            *to++ = *from++;
        case 6:
            *to++ = *from++;
        case 5:
            *to++ = *from++;
        case 4:
            *to++ = *from++;
        case 3:
            *to++ = *from++;
        case 2:
            *to++ = *from++;
        case 1:
            *to++ = *from++;
        } while (--rounds > 0);
    }
    unsigned long long sum = (unsigned long long)(to - target);
    for (int i = 0; i < 64; i++)
        sum = sum * 31 + target[i];
    return sum;
}

//// a flexible array member on the heap
struct NAME_buffer {
    unsigned short length;
    unsigned char kind : 3;
    int items[];
};
static unsigned long long NAME(unsigned a, int b) {
    unsigned n = a % 10 + 1;
    struct NAME_buffer *buffer = malloc(sizeof *buffer + n * sizeof buffer->items[0]);
    if (!buffer)
        return 0;
    buffer->length = (unsigned short)n;
    buffer->kind = (unsigned char)b & 7;
    for (unsigned i = 0; i < n; i++)
        buffer->items[i] = (int)i * K1 - b % 4;
    n += K2;
    buffer = realloc(buffer, sizeof *buffer + n * sizeof(int));
    if (!buffer)
        return 1;
    for (unsigned i = buffer->length; i < n; i++)
        buffer->items[i] = (int)i;
    unsigned long long sum = buffer->kind + sizeof(struct NAME_buffer);
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + (unsigned)buffer->items[i];
    free(buffer);
    return sum;
}

//// a linked list on the heap
struct NAME_node {
    int value;
    struct NAME_node *next;
};
static unsigned long long NAME(unsigned a, int b) {
    struct NAME_node *head = NULL, **link, *reversed = NULL;
    unsigned long long sum = 0;
    for (unsigned i = 0; i < a % 12 + 2; i++) {
        struct NAME_node *node = malloc(sizeof *node);
        if (!node)
            abort();
        *node = (struct NAME_node){.value = (int)(i * 7 % K1) + b % 3, .next = head};
        head = node;
    }
    for (link = &head; *link;) {
        struct NAME_node *node = *link;
        if (node->value % 3 == 0) {
            *link = node->next;
            sum += 1000;
            free(node);
        } else {
            link = &node->next;
        }
    }
    while (head) {
        struct NAME_node *next = head->next;
        head->next = reversed;
        reversed = head;
        head = next;
    }
    while (reversed) {
        struct NAME_node *next = reversed->next;
        sum = sum * 13 + (unsigned)reversed->value;
        free(reversed);
        reversed = next;
    }
    return sum;
}

//// unions: one value seen in several ways
union NAME_word {
    unsigned long long whole;
    unsigned half[2];
    unsigned char bytes[8];
    struct {
        unsigned low : 12;
        unsigned middle : 20;
        unsigned high;
    } parts;
    double number;
};
static unsigned long long NAME(unsigned a, int b) {
    union NAME_word word = {.whole = 0x0123456789abcdefull}, copy;
    word.half[1] ^= a;
    word.bytes[K1 % 8] = (unsigned char)b;
    word.parts.middle += K2;
    copy = word;
    unsigned long long sum = copy.whole ^ copy.parts.low;
    union { float f; unsigned u; } pun = {.f = (float)(b % 100) / 4};
    sum = sum * 31 + pun.u;
    copy.number = K3 * 0.25;
    for (int i = 0; i < 8; i++)
        sum = sum * 31 + copy.bytes[i];
    return sum + sizeof(union NAME_word);
}

//// a table of functions
static int NAME_add(int x, int y) { return x + y; }
static int NAME_subtract(int x, int y) { return x - y; }
static int NAME_select(int x, int y) { return x > y ? x * K1 : y; }
typedef int (*NAME_operation)(int, int);
static NAME_operation const NAME_table[] = {NAME_add, &NAME_subtract, NAME_select};
static NAME_operation NAME_choose(unsigned which) { return NAME_table[which % 3]; }
static unsigned long long NAME(unsigned a, int b) {
    int value = b % 100;
    for (unsigned i = 0; i < 12; i++) {
        value = NAME_choose(a + i)(value, (int)i - K2) % 10000;
        value = (*NAME_table[i % 3])(value, K3) % 10000;
        value += NAME_choose(i) == NAME_add;
    }
    return (unsigned long long)value;
}

//// pointers to pointers, pointer differences and comparisons
static unsigned long long NAME(unsigned a, int b) {
    int values[10], *first = values, *last = values + 10, **chosen[2] = {&first, &last};
    unsigned long long sum = 0;
    for (int *p = first; p != last; ++p)
        *p = (int)(p - values) * K1 + b % 9;
    for (int *p = *chosen[1] - 1; p >= *chosen[0]; p -= 2)
        sum = sum * 7 + (unsigned)*p + (unsigned)(last - p);
    *chosen[0] += a % 5;
    sum += (unsigned)*first + (unsigned)first[1] + (unsigned)(*(first + 2)) + (unsigned)2[first];
    int (*whole)[10] = &values;
    sum = sum * 7 + (unsigned)(*whole)[K2 % 10] + sizeof *whole + (first < last) + ((void *)first == (void *)last);
    const char *words[] = {"alpha", "beta", "gamma", NULL};
    for (const char *const *word = words; *word; word++)
        for (const char *p = *word; *p; p++)
            sum = sum * 3 + (unsigned)(*p - 'a');
    return sum;
}

//// recursion
static unsigned NAME_ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? NAME_ackermann(m - 1, 1) : NAME_ackermann(m - 1, NAME_ackermann(m, n - 1));
}
static int NAME_odd(int n);
static int NAME_even(int n) { return n == 0 ? 1 : NAME_odd(n - 1); }
static int NAME_odd(int n) { return n == 0 ? 0 : NAME_even(n - 1); }
static void NAME_hanoi(int n, int from, int to, int by, unsigned *moves) {
    if (n == 0)
        return;
    NAME_hanoi(n - 1, from, by, to, moves);
    *moves = *moves * 3 + (unsigned)(from * 2 + to);
    NAME_hanoi(n - 1, by, to, from, moves);
}
static unsigned long long NAME(unsigned a, int b) {
    unsigned moves = 0;
    NAME_hanoi((int)(a % 4), 0, 2, 1, &moves);
    return NAME_ackermann(2, a % 3) * 10ull + (unsigned)NAME_even((b & 7) + K1) + moves * 100ull;
}

//// static locals and block scopes
static unsigned NAME_next(void) {
    static unsigned state = K1;
    static int calls[3] = {1, 2};
    calls[state % 3]++;
    state = state * 1664525u + 1013904223u;
    return state >> 24 ^ (unsigned)calls[1];
}
static unsigned long long NAME(unsigned a, int b) {
    unsigned long long sum = a & 3;
    int x = b % 5;
    for (int i = 0; i < 6; i++) {
        int x = i * 2;
        {
            unsigned x = NAME_next();
            sum = sum * 5 + x;
        }
        sum += (unsigned)x;
    }
    return sum + (unsigned)x;
}

//// character classes
static unsigned long long NAME(unsigned a, int b) {
    const char *text = "Loop Scope_9: \t{42}\n~";
    unsigned long long sum = a & 1;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        sum = sum * 3 + (isalpha(*p) != 0) + 2 * (isdigit(*p) != 0) + 4 * (isspace(*p) != 0);
        sum = sum * 3 + (isupper(*p) != 0) + (ispunct(*p) != 0) + (isxdigit(*p) != 0) + (isalnum(*p) != 0);
        sum += (unsigned)toupper(*p) + (unsigned)tolower(*p + (b & 1)) + (isprint(*p) != 0) + (iscntrl(*p) != 0);
    }
    return sum;
}

//// bit-fields of all sorts
struct NAME_bits {
    signed int a : 5;
    unsigned b : 7;
    signed int c : 20;
    unsigned d : 31;
    unsigned : 0;
    unsigned e : 1;
    signed char f : 3;
    unsigned short g : 11;
    _Bool h : 1;
    unsigned long long i : 37;
    signed long long j : 33;
};
static unsigned long long NAME(unsigned a, int b) {
    struct NAME_bits s = {.a = -3, .b = K1, .c = 4000, .h = 2}, *p = &s;
    unsigned long long sum = sizeof s;
    for (int round = 0; round < 6; round++) {
        s.a += 3;
        p->b = (unsigned)(p->b * 5 + a);
        s.c -= b & 0xffff;
        s.d ^= a;
        s.e = !s.e;
        s.f = (signed char)round;
        s.g += K2 * 100;
        s.h ^= round & 1;
        s.i = (unsigned long long)s.i * 3 + a;
        s.j = (long long)s.j - K3;
        p->a++;
        --p->b;
        sum = sum * 31 + (unsigned)s.a + s.b + (unsigned)s.c + s.d + s.e + (unsigned)s.f + s.g + s.h;
        sum = sum * 31 + (unsigned long long)s.i + (unsigned long long)(long long)s.j;
        sum += (s.b > -1) + (s.a < (int)s.b);
    }
    return sum;
}

//// wide integers
static unsigned long long NAME(unsigned a, int b) {
    unsigned __int128 wide = ((unsigned __int128)a << 64) | 0x123456789abcdefull;
    __int128 number = (__int128)b * 1000000007 * K1;
    unsigned long long sum = 0;
    for (int i = 0; i < 8; i++) {
        wide = wide * 6364136223846793005ull + (unsigned __int128)i;
        number = number / 3 - (number >> 5) + i;
        sum = sum * 3 + (unsigned long long)(wide >> 64) + (unsigned long long)number;
    }
    sum += wide > (unsigned __int128)a;
    sum = sum * 2 + (number < 0);
    return sum ^ (unsigned long long)(wide % (a | 1)) ^ (unsigned long long)(wide / (K2 + 3));
}

//// floating point numbers
static unsigned long long NAME(unsigned a, int b) {
    double x = (b % 1000) / 8.0, sum = 0.1 * K1;
    float single = 1.1f;
    long double extended = K2;
    for (int i = 1; i < 12; i++) {
        x = x * 0.75 + 1.0 / i;
        single = single * 1.5f - x / 3;
        sum += x * x - single;
        extended = extended * 2 + i;
    }
    printf("%.17g %a %.9g %g\n", sum, x, single, (double)extended);
    int truncated = (int)(x * 100), negative = (int)-2.75;
    unsigned char small = (unsigned char)(x < 200 && x >= 0 ? x : 3);
    float from_big = (float)18446744073709551615ull, from_int = (float)(16777217 + (int)(a % 3));
    unsigned long long bits = (unsigned)truncated + (unsigned)negative + small;
    bits += (from_big == 18446744073709551616.0f) + 2 * (from_int > 16777216.0f) + 4 * (0.1 + 0.2 == 0.3);
    bits += 8 * (sum != sum) + 16 * (1 / 0.5f > x) + 32 * ((double)0.1f == 0.1);
    return bits + (sizeof 1.0f + sizeof 1.0) * (1.5 ? 3 : 4) + !0.0;
}

//// structs by value, nested, in arrays
struct NAME_point { short x, y; };
struct NAME_box { struct NAME_point corner[2]; const char *name; char tag[5]; };
static struct NAME_point NAME_plus(struct NAME_point p, struct NAME_point q) {
    p.x += q.x;
    p.y += q.y;
    return p;
}
static struct NAME_box NAME_grow(struct NAME_box box, int by) {
    box.corner[1] = NAME_plus(box.corner[1], (struct NAME_point){.y = (short)by, .x = (short)-by});
    box.tag[1]++;
    return box;
}
static unsigned long long NAME(unsigned a, int b) {
    struct NAME_box boxes[3] = {[1] = {.corner[1].x = K1, .name = "one", .tag = "abc"}, {.corner = {{1, 2}, {3, 4}}, .tag = {'z'}}};
    struct NAME_box *p = boxes, saved = boxes[2];
    unsigned long long sum = sizeof boxes + offsetof(struct NAME_box, name);
    for (unsigned i = 0; i < 6; i++) {
        boxes[i % 3] = NAME_grow(p[(i + a) % 3], (int)i + b % 3);
        sum = sum * 31 + (unsigned short)NAME_grow(saved, K2).corner[1].x;
        saved = i & 1 ? boxes[i % 3] : NAME_grow(saved, 1);
    }
    for (int i = 0; i < 3; i++, p++)
        sum = sum * 31 + (unsigned short)p->corner[1].x + (unsigned short)(*p).corner[0].y + (p->name ? strlen(p->name) : 9) + (unsigned char)p->tag[1];
    return sum;
}

//// compound literals and address constants
static int NAME_cells[4][3] = {{1, 2}, [2] = {[1] = 7, 8}};
static int *NAME_middle = &NAME_cells[2][1];
static struct { int *where; const char *what; int (*row)[3]; } NAME_record = {NAME_cells[1] + 1, "text" + 1, NAME_cells + 2};
static const char NAME_words[][6] = {"one", "two", "three"};
static unsigned long long NAME(unsigned a, int b) {
    *NAME_middle += (b & 0xff) + K1;
    *NAME_record.where ^= (int)(a & 0xff);
    int *row = (int[]){K2, b % 3, [3] = 5};
    const char *text = (const char[]){"literal"};
    unsigned long long sum = strlen(NAME_record.what) + strlen(text) + sizeof NAME_words;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++)
            sum = sum * 5 + (unsigned)NAME_cells[i][j];
        sum += (unsigned)row[i];
    }
    sum += (unsigned)NAME_record.row[0][1] + (unsigned)(NAME_middle - NAME_cells[0]);
    return sum * 3 + (unsigned)NAME_words[a % 3][b & 1];
}

//// side effects in their order
static int NAME_log, *NAME_where = &NAME_log;
static int NAME_note(int x) { NAME_log = (NAME_log * 10 + x) % 1000000; return x; }
static unsigned long long NAME(unsigned a, int b) {
    int x = b & 7, y = (int)(a & 7), z;
    NAME_note(x > 3) && NAME_note(2) && NAME_note(y > 4) || NAME_note(3);
    z = (NAME_note(4), x++, x + y);
    z += x > y ? NAME_note(5) : (y++, NAME_note(6));
    for (NAME_note(7); z > 0 && NAME_note(8); NAME_note(9), z -= 4)
        if (!(x-- > 0 || NAME_note(1)))
            break;
    do
        y += NAME_note(1);
    while (y < 10 && NAME_note(2) | (z != 0));
    x = y = z = NAME_note(K1 % 10);
    ++*NAME_where;
    return (unsigned long long)NAME_log * 1000 + (unsigned)(x + y * 3 + z);
}

//// integer conversions
static unsigned long long NAME(unsigned a, int b) {
    unsigned char small = (unsigned char)a;
    signed char tiny = (signed char)b;
    unsigned short medium = (unsigned short)(a * 3u);
    long wide = b;
    unsigned long long sum = 0;
    sum = sum * 3 + (small + tiny > 200) + (small - 256 < 0) + (a - 1 > 0);
    sum = sum * 3 + (-1 < a) + (-1L < a) + ((unsigned char)-1 == 255) + (tiny < small);
    sum = sum * 31 + (unsigned)~small + (unsigned)-medium + (unsigned long long)(wide * -2);
    small += 250, tiny -= 100, medium *= 77;
    small <<= 3, medium >>= 2, tiny /= 3, tiny *= -1;
    sum = sum * 31 + small + (unsigned)tiny + medium;
    sum = sum * 31 + (unsigned long long)(int)0x80000000u + (unsigned long long)(short)70000 + (_Bool)0x100;
    sum += sizeof(small + tiny) + sizeof(char) + sizeof 'a' + sizeof(1 ? 1 : 1L) + sizeof(wide + 1u);
    sum ^= 1ull << (a & 63) | (unsigned long long)(b >> (a & 31));
    _Bool flag = a & 0x100;
    flag += 3;
    flag--;
    return sum * 2 + flag + (a == (unsigned)(int)a) + ((unsigned short)b == (short)b);
}

//// matrices
static void NAME_multiply(int n, const int x[n][n], const int (*y)[n], int z[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            z[i][j] = 0;
            for (int k = 0; k < n; k++)
                z[i][j] += x[i][k] * y[k][j];
        }
}
static unsigned long long NAME(unsigned a, int b) {
    int x[3][3], y[3][3] = {{K1, 0, 1}, {2, K2}, {0}}, z[3][3];
    unsigned long long sum = 0;
    for (int i = 0; i < 9; i++)
        x[i / 3][i % 3] = (int)(a >> i & 7) - (b & 3);
    NAME_multiply(3, x, y, z);
    NAME_multiply(3, z, x, y);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum = sum * 31 + (unsigned)y[i][j];
    return sum;
}

//// loops that leave from the middle
static unsigned long long NAME(unsigned a, int b) {
    unsigned long long sum = 0;
    int found = -1;
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 10; j++) {
            if ((i * K1 + j) % 13 == (int)(a % 13)) {
                found = i * 10 + j;
                goto done;
            }
            if (j > i)
                break;
            if ((j ^ i) & 1)
                continue;
            sum += (unsigned)(i * j);
        }
        switch (i) {
        case 3 ... 5:
            continue;
        default:
            sum++;
            break;
        case 8:
            sum += 5;
        }
        sum *= 2;
    }
done:
    while (b != 0 && b != -1) {
        b >>= 3;
        sum = sum * 3 + (unsigned)(b & 7);
    }
    return sum * 101 + (unsigned)(found + 1);
}

//// greatest common divisor, bit counting, prime sieve
static unsigned long long NAME(unsigned a, int b) {
    unsigned x = a % 5000 + 1, y = (unsigned)b % 5000 + 1, bits = 0;
    while (y) {
        unsigned rest = x % y;
        x = y;
        y = rest;
    }
    for (unsigned word = a; word; word &= word - 1)
        bits++;
    _Bool composite[60] = {0};
    unsigned primes = 0;
    for (int i = 2; i < 60; i++) {
        if (composite[i])
            continue;
        primes++;
        for (int j = i * i; j < 60; j += i)
            composite[j] = 1;
    }
    unsigned long long sum = x * 1000ull + bits * 10 + primes;
    sum += (unsigned)__builtin_popcount(a) + (unsigned)__builtin_ctz(a | 1u << K1) + (unsigned)__builtin_clz(a | 1);
    return sum;
}

//// overflow builtins and swaps
static unsigned long long NAME(unsigned a, int b) {
    int sum = 0;
    unsigned difference;
    long product;
    unsigned long long result = 0;
    for (int i = 0; i < 5; i++) {
        result = result * 3 + __builtin_add_overflow(b, i * 500000000, &sum);
        result = result * 3 + __builtin_sub_overflow(a, 4000000000u / (unsigned)(i + 1), &difference);
        result = result * 3 + __builtin_mul_overflow((long)b, 1L << (i * 12), &product);
        result += (unsigned)sum + difference + (unsigned long)product;
    }
    return result + __builtin_bswap32(a) + __builtin_bswap16((unsigned short)K1) + (__builtin_expect(a > 5, 1) ? 1 : 2);
}

//// strings on the heap
static char *NAME_join(const char *left, const char *right, char between) {
    size_t length = strlen(left);
    char *text = calloc(length + strlen(right) + 2, 1);
    if (!text)
        exit(3);
    memcpy(text, left, length);
    text[length] = between;
    strcpy(&text[length + 1], right);
    return text;
}
static unsigned long long NAME(unsigned a, int b) {
    char *text = NAME_join("x", (b & 1) ? "odd" : "even", '+');
    unsigned long long sum = 0;
    for (unsigned i = 0; i < a % 4 + 1; i++) {
        char *longer = NAME_join(text, "yz", (char)('0' + i));
        free(text);
        text = longer;
    }
    char *copy = strdup(text);
    for (char *start = copy, *end = copy + strlen(copy) - 1; start < end; start++, end--) {
        char swap = *start;
        *start = *end;
        *end = swap;
    }
    puts(copy);
    for (int i = 0; copy[i] != '\0'; i++)
        sum = sum * 131 + (unsigned char)copy[i];
    free(copy);
    free(text);
    return sum + K1;
}

//// jumps into blocks and out of them
static unsigned long long NAME(unsigned a, int b) {
    unsigned long long sum = 0;
    int i = 0;
    if (a & 1)
        goto middle;
    for (i = K1; i < 20; i += 3) {
        sum += (unsigned)i;
        if (sum % 7 == 3)
            goto out;
    middle:
        sum = sum * 2 + 1;
        if ((b & 3) == 2 && i > 15) {
            b ^= 1;
            goto middle;
        }
    }
    {
        int hidden = K2;
        while (hidden-- > 0) {
        again:
            sum ^= (unsigned)hidden;
            if (sum % 5 == 0 && i < 100) {
                sum++;
                i += 7;
                goto again;
            }
        }
    }
out:
    return sum;
}

//// constant expressions, type names and generic selection
enum NAME_size { NAME_small = K1, NAME_large = NAME_small * 3 + sizeof(int), NAME_negative = -5 };
_Static_assert(sizeof(enum NAME_size) == 4, "enumerations are ints here");
typedef struct { enum NAME_size kind; _Alignas(16) char data[3]; } NAME_aligned;
#define NAME_name(x) _Generic((x), int: 1, unsigned: 2, char: 3, double: 4, const char *: 5, char *: 6, default: 7)
static unsigned long long NAME(unsigned a, int b) {
    static const int table[NAME_large] = {[NAME_small] = 4, [NAME_large - 1] = 6};
    unsigned long long sum = sizeof(NAME_aligned) + _Alignof(NAME_aligned);
    sum = sum * 10 + NAME_name(b) + NAME_name(a) + NAME_name('c') + NAME_name(1.0) + NAME_name("s") + NAME_name((char)1);
    __typeof__(a) other = a + 1u;
    __auto_type third = b & 15;
    for (int i = 0; i < NAME_large; i++)
        sum = sum * 3 + (unsigned)table[i];
    switch ((enum NAME_size)(third - 5)) {
    case NAME_negative:
        sum += 1;
        break;
    case NAME_small:
        sum += 2;
    case NAME_large:
        sum += 3;
    }
    return sum + other % 3 + (third ?: 9u) + INT_MAX % 7 + CHAR_BIT + (unsigned)(a > UINT_MAX / 2);
}

//// volatile, restrict, inline and a nested macro
static inline void NAME_swap(int *restrict x, int *restrict y) {
    int t = *x;
    *x = *y;
    *y = t;
}
#define NAME_max(x, y) ({ __typeof__(x) _x = (x); __typeof__(y) _y = (y); _x > _y ? _x : _y; })
static unsigned long long NAME(unsigned a, int b) {
    volatile int ticks = 0;
    int x = b % 50, y = K1;
    const int fixed = K2;
    const volatile int *watch = &ticks;
    while (*watch < 10) {
        ticks++;
        NAME_swap(&x, &y);
        x = NAME_max(x + fixed, NAME_max(y, ticks)) % 100;
    }
    return (unsigned long long)(x * 100 + y) + a % 2;
}
