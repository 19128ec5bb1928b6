// trips: out-of-bounds at line 13
// The array at the end of a struct is overrun, and so is the struct.

struct packet {
    int length;
    int data[4];
};

int main(void) {
    struct packet packet;
    packet.length = 5;
    for (int i = 0; i < packet.length; i++)
        packet.data[i] = i;
    return 0;
}
