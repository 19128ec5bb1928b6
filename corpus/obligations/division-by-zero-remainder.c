// trips: division-by-zero at line 8
// A remainder by an unsigned zero.

int main(void) {
    unsigned char step = 254;
    unsigned sum = 0;
    for (int i = 0; i < 4; i++)
        sum += 100 % step++;
    return (int)sum;
}
