/* SPDX-License-Identifier: Apache-2.0
 * Drawings in SVG. */
#include "src/common/svg.h"

#include <math.h>
#include <string.h>

const char *const svg_colours[SVG_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                              "#56b4e9", "#000000", "#777777", "#882255"};

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
        else if ((unsigned char)*text >= 0x20) /* XML does not allow the others, not even escaped */
            fputc(*text, out);
    }
}

void svg_caption(FILE *out, int height, int left, const char *origin, char *const *argv) {
    const char *slash = strrchr(argv[0], '/');
    fprintf(out, "<g font-size=\"10\" fill=\"#555\">\n<text x=\"%d\" y=\"%d\">", left, height - 22);
    svg_text(out, origin);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"%d\">", left, height - 8);
    svg_text(out, slash ? slash + 1 : argv[0]);
    for (int i = 1; argv[i]; i++) {
        fputc(' ', out);
        svg_text(out, argv[i]);
    }
    fputs("</text>\n</g>\n", out);
}

double svg_step(double most, int count) {
    double raw = most / count, power = pow(10, floor(log10(raw)));
    double digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

void svg_frame(const struct svg_field *f, const char *y_title) {
    const int x = f->left - 52, y = (f->top + f->bottom) / 2;
    fprintf(f->out, "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#444\"/>\n", f->left, f->top,
            f->bottom, f->right);
    fprintf(f->out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 %d %d)\">", x, y,
            x, y);
    svg_text(f->out, y_title);
    fputs("</text>\n", f->out);
}

void svg_y_tick(const struct svg_field *f, double y, double value) {
    fprintf(f->out,
            "<path d=\"M%d %.1f H%d\" stroke=\"#ddd\"/>\n"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
            f->left, y, f->right, f->left - 8, y + 4, value);
}

void svg_x_tick(const struct svg_field *f, double x, const char *label, bool slanted) {
    fprintf(f->out,
            "<path d=\"M%.1f %d v5\" stroke=\"#444\"/>\n<text x=\"%.1f\" y=\"%d\" "
            "text-anchor=\"%s\"",
            x, f->bottom, x, f->bottom + (slanted ? 14 : 20), slanted ? "end" : "middle");
    if (slanted)
        fprintf(f->out, " font-size=\"10\" transform=\"rotate(-40 %.1f %d)\"", x, f->bottom + 14);
    fputs(">", f->out);
    svg_text(f->out, label);
    fputs("</text>\n", f->out);
}

void svg_legend(const struct svg_field *f, int place, const char *colour, const char *dashes) {
    const int y = f->top + 12 + 22 * place;
    fprintf(f->out,
            "<path d=\"M%d %d h28\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n"
            "<text x=\"%d\" y=\"%d\">",
            f->right + 16, y, colour, dashes, f->right + 50, y + 4);
}
