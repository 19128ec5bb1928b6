// The first field of every line of a file is copied, as far as it fits.
//@ loops: 2
//@ holds: memsafety (precision)
#include <stdio.h>

#define LINE 80
#define FIELD 16

static void first_field(char *field, const char *line) {
    int i = 0;
    //@ terminates (soundness)
    while (line[i] != '\0' && line[i] != ':' && i < FIELD - 1) {
        field[i] = line[i];
        i++;
    }
    field[i] = '\0';
}

int main(int argc, char **argv) {
    char line[LINE], field[FIELD];
    if (argc < 2)
        return 1;
    FILE *file = fopen(argv[1], "r");
    if (file == NULL)
        return 2;
    //@ terminates (soundness)
    while (fgets(line, sizeof line, file)) {
        first_field(field, line);
        puts(field);
    }
    fclose(file);
    return 0;
}
