/* SPDX-License-Identifier: Apache-2.0
 * Drawings in SVG. */
#include "svg.h"

#include <math.h>

const char *const svg_colours[SVG_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#000000"};

void svg_open(FILE *out, int width, int height, int left) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"28\" "
            "font-size=\"15\">",
            width, height, width, height, width, height, left);
}

void svg_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if ((unsigned char)*text >= 0x20) /* XML has no others, not even escaped */
            fputc(*text, out);
    }
}

double svg_step(double most, int count) {
    double raw = most / count, power = pow(10, floor(log10(raw)));
    double digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}
