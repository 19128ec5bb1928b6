// A tokenizer with a table of states copies words into a buffer, with a terminator after each: an outer loop over the words
// and an inner one over their characters write through the same pointer, and both look whether there is room.
//@ loops: 3
//@ holds: memsafety (precision)

extern int nondet(void);

enum { SPACE, WORD, QUOTE, STATES };
enum { BREAK = 16, DROP = 32, STATE = 15 };

static const short next[STATES][STATES] = {
    {SPACE | DROP, WORD, QUOTE | DROP},
    {SPACE | BREAK | DROP, WORD, QUOTE | BREAK | DROP},
    {QUOTE, QUOTE, SPACE | BREAK | DROP},
};

static unsigned char kinds[128];

static int tokens(char *buffer, int size) {
    char *out = buffer;
    int c = -1, state = SPACE, escaped = 0, count = 0;
    do {
        char *word = out;
        for (;;) {
            if (c >= 0 && !escaped) {
                if (out >= buffer + size)
                    return -1;
                *out++ = (char)c;
            }
            c = nondet() & 127;
            if (c == 0)
                break;
            if (escaped) {
                escaped = 0;
                if (c != '"') {
                    if (out >= buffer + size)
                        return -1;
                    *out++ = '\\';
                    continue;
                }
            }
            if (c == '\\') {
                escaped = 1;
                continue;
            }
            int kind = kinds[c] % STATES;
            int change = next[state][kind];
            state = change & STATE;
            if (state >= STATES)
                return -1;
            if (change & DROP)
                c = -1;
            if (change & BREAK)
                break;
        }
        if (out != word) {
            if (out >= buffer + size)
                return -1;
            *out++ = '\0';
            count++;
        }
    } while (c != 0);
    return count;
}

int main(void) {
    char buffer[8];
    for (int i = 0; i < 128; i++)
        kinds[i] = i <= ' ' ? SPACE : i == '"' ? QUOTE : WORD;
    return tokens(buffer, sizeof buffer) < 0;
}
