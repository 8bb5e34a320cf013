/*
 * The program's reader of hexadecimal text, in place over hostile text: what
 * it accepts is half as long at most and comes back from the printer, what it
 * refuses it names the place of.
 */
#include "fuzz.h"

#include "hex.h"

static uint8_t *printed(const uint8_t *bytes, size_t len, size_t *text_len)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, text_len);

    HOLDS(f != NULL);
    hex_print(bytes, len, f);
    fclose(f);
    return (uint8_t *)text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = exact_copy(data, size), *text;
    size_t len = SIZE_MAX, bad = SIZE_MAX, text_len = 0, again = 0;

    if (!hex_read(bytes, size, &len, &bad)) {
        HOLDS(len == SIZE_MAX && bad <= size);
        free(bytes);
        return 0;
    }
    HOLDS(bad == SIZE_MAX && len <= size / 2);
    text = printed(bytes, len, &text_len);
    HOLDS(text_len == 2 * len);
    HOLDS(hex_read(text, text_len, &again, &bad));
    HOLDS(again == len && memcmp(text, bytes, len) == 0);
    free(text);
    free(bytes);
    return 0;
}
