/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extents, merged across replies.  Elements come from the iterator in order;
 * one waits in `held` while there is no room to close the extent before it.
 * Never a look at a file byte.
 */
#include <readplus/extents.h>

#include "checked.h"

enum readplus_error readplus_extents_init(struct readplus_extents *extents,
                                          uint64_t offset,
                                          struct readplus_extent *array,
                                          size_t capacity, uint32_t flags)
{
    if (array == NULL || capacity == 0 || (flags & ~READPLUS_EXTENTS_CLIP) != 0)
        return READPLUS_ERR_INVAL;
    *extents = (struct readplus_extents){
        .array = array, .capacity = capacity, .next = offset, .flags = flags};
    return READPLUS_OK;
}

/* Moves the open extent to the array. */
static enum readplus_error close_open(struct readplus_extents *extents)
{
    if (extents->open.length == 0)
        return READPLUS_OK;
    if (extents->count == extents->capacity)
        return READPLUS_ERR_LIMIT;
    extents->array[extents->count++] = extents->open;
    extents->open.length = 0;
    return READPLUS_OK;
}

/* Adds the held extent, which begins where the list ends. */
static enum readplus_error add_held(struct readplus_extents *extents)
{
    struct readplus_extent *held = &extents->held;

    if (held->length == 0)
        return READPLUS_OK;
    if (extents->open.length > 0 && extents->open.content == held->content) {
        extents->open.length += held->length;
    } else {
        enum readplus_error error = close_open(extents);

        if (error != READPLUS_OK)
            return error;
        extents->open = *held;
    }
    extents->next = held->offset + held->length;
    held->length = 0;
    return READPLUS_OK;
}

/*
 * Holds what of the element is wanted and new.  The first one may begin before
 * the request: whoever does not clip wants to know where the hole begins.
 */
static void hold(struct readplus_extents *extents,
                 const struct readplus_args *args,
                 struct readplus_segment element)
{
    uint64_t end = element.offset + element.length;
    uint64_t begun = extents->next;

    if ((extents->flags & READPLUS_EXTENTS_CLIP) != 0) {
        uint64_t wanted = readplus_args_end(args);

        extents->cut |= end > wanted;
        end = min64(end, wanted);
    } else if (extents->count == 0 && extents->open.length == 0) {
        begun = min64(begun, element.offset);
    }
    if (end <= extents->next)
        return;
    extents->held =
        (struct readplus_extent){element.content, begun, end - begun};
}

enum readplus_error readplus_extents_add(struct readplus_extents *extents,
                                         struct readplus_decoder *decoder)
{
    struct readplus_segment element;
    enum readplus_error error;

    if (!decoder->ranged || decoder->args.offset > extents->next)
        return READPLUS_ERR_INVAL;
    extents->eof = false;
    if (decoder->fault.error != READPLUS_OK) /* of its head */
        return decoder->fault.error;
    while ((error = add_held(extents)) == READPLUS_OK &&
           (error = readplus_decoder_next(decoder, &element)) == READPLUS_OK)
        hold(extents, &decoder->args, element);
    if (error == READPLUS_ERR_LIMIT)
        return error;
    extents->eof = error == READPLUS_END && decoder->eof && !extents->cut;
    extents->cut = false;
    if (error == READPLUS_END || (decoder->flags & READPLUS_DECODE_TOLERANT))
        return READPLUS_OK;
    return error;
}

enum readplus_error readplus_extents_finish(struct readplus_extents *extents)
{
    enum readplus_error error = add_held(extents);

    return error == READPLUS_OK ? close_open(extents) : error;
}

size_t readplus_extents_count(const struct readplus_extents *extents)
{
    return extents->count;
}

void readplus_extents_drain(struct readplus_extents *extents)
{
    extents->count = 0;
}

uint64_t readplus_extents_next(const struct readplus_extents *extents)
{
    return extents->next;
}

bool readplus_extents_eof(const struct readplus_extents *extents)
{
    return extents->eof;
}
