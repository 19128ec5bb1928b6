// clean
// The array at the end of a struct is filled.

struct packet {
    int length;
    int data[4];
};

int main(void) {
    struct packet packet;
    packet.length = 4;
    for (int i = 0; i < packet.length; i++)
        packet.data[i] = i;
    return packet.data[3] - 3;
}
