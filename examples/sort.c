/* Sorts the numbers of the command line, and looks one of them up. */
#include <stdio.h>
#include <stdlib.h>

#define LARGEST 32

static void insertion_sort(int *numbers, int count) {
    for (int i = 1; i < count; i++) {
        int key = numbers[i];
        int j = i - 1;
        while (j >= 0 && numbers[j] > key) {
            numbers[j + 1] = numbers[j];
            j--;
        }
        numbers[j + 1] = key;
    }
}

static int find(const int *numbers, int count, int wanted) {
    int low = 0, high = count - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (numbers[middle] == wanted)
            return middle;
        if (numbers[middle] < wanted)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

int main(int argc, char **argv) {
    int numbers[LARGEST];
    int count = 0;
    for (int i = 1; i < argc && count < LARGEST; i++)
        numbers[count++] = atoi(argv[i]);
    insertion_sort(numbers, count);
    for (int i = 0; i < count; i++)
        printf("%d\n", numbers[i]);
    return find(numbers, count, 0) < 0;
}
