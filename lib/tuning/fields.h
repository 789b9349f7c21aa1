/* SPDX-License-Identifier: Apache-2.0
 * The members of a tuning file's objects as data: one table reads, checks and writes them. */
#ifndef CLG_TUNING_FIELDS_H
#define CLG_TUNING_FIELDS_H

#include "base/json_scan.h"
#include "base/json_writer.h"

enum clg_field_kind {
    CLG_FIELD_TEXT,   /* a char array; whatever bytes a driver gave, it becomes UTF-8 */
    CLG_FIELD_DATE,   /* a char array for "2026-01-31" */
    CLG_FIELD_WHOLE,  /* an int64_t, int or uint32_t, from `least` to `most` */
    CLG_FIELD_FLAG,   /* a bool */
    CLG_FIELD_FLOATS, /* one or several floats, none negative */
    CLG_FIELD_NUMBER, /* a double, not negative */
    CLG_FIELD_MS,     /* a double above 0, with six decimals */
    CLG_FIELD_WORD,   /* an enum: the index of one of `words` */
    CLG_FIELD_TYPE,   /* a clgemm_type */
    CLG_FIELD_TYPES,  /* a bit for each; all: none is named */
    CLG_FIELD_MATH,   /* a clgemm_math, as stored in a shape */
    CLG_FIELD_FAMILY, /* a const struct clg_family * */
    CLG_FIELD_PARAMS, /* a struct clg_params */
    CLG_FIELD_OBJECT  /* a struct with `fields`; written only if the first of them is not 0 */
};

struct clg_field {
    struct clg_json_member member; /* name; whether it is optional */
    size_t offset, size;           /* of the struct's field */
    int64_t least, most;
    int64_t absent;           /* an optional number with this value is not written */
    const char *const *words; /* NULL at the end */
    const struct clg_fields *fields;
    enum clg_field_kind kind;
    bool begins_line; /* in the file */
};

struct clg_fields {
    const struct clg_field *at;
    size_t count;
};

/* For tables: the member `name` of `path` in struct `type`. */
#define CLG_FIELD(type, path, name_, kind_, optional_)             \
    .member = {name_, NULL, optional_}, .kind = CLG_FIELD_##kind_, \
    .offset = offsetof(struct type, path), .size = sizeof(((struct type *)NULL)->path)
#define CLG_FIELDS(array) \
    { array, sizeof(array) / sizeof *(array) }

/* Reads {"NAME": VALUE, ...} into a struct; fields that are left out keep their values. `unserved`
 * is for words and tunables that belong to another version: it gets the first of them, and they are
 * no faults. With NULL they are. */
enum { CLG_UNSERVED = 128 };
bool clg_fields_read(struct clg_json_scan *scan, const struct clg_fields *fields, void *object,
                     char unserved[CLG_UNSERVED]);

/* Reads the same as a line of a file, perhaps with a comma behind it. */
bool clg_fields_read_line(struct clg_json_scan *scan, const struct clg_fields *fields, void *object,
                          char unserved[CLG_UNSERVED]);

/* Reads the first line or lines of a file: {"schema": "...", "NAME": VALUE, ..., "rows": [ */
bool clg_fields_read_head(struct clg_json_scan *scan, const char *schema,
                          const struct clg_fields *fields, void *object);

/* Writes the fields as the next value. */
void clg_fields_write(struct clg_json *json, const char *key, const struct clg_fields *fields,
                      const void *object);

/* The text of a file: its head, then the rows that `write_rows` writes. The caller frees it; NULL
 * if memory is short. */
char *clg_fields_format(const char *schema, const struct clg_fields *fields, const void *object,
                        void (*write_rows)(struct clg_json *json, const void *object),
                        size_t *size);

#endif
