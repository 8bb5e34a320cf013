# Draws one of the pictures of README.md from the lines of JSON that the
# measurements wrote:  awk -v picture=layouts|segments|sizes -f draw.awk LINES
# Both scales are logarithmic: what is compared are ratios.

# get(KEY): the value of a key on this line, quotes stripped.
function get(key, value)
{
    if (!match($0, "\"" key "\":[^,}]*"))
        return ""
    value = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
    gsub(/"/, "", value)
    return value
}

function text(x, y, anchor, words)
{
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, \
        anchor, words
}

function line(x1, y1, x2, y2, color)
{
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" " \
        "stroke=\"%s\"/>\n", x1, y1, x2, y2, color
}

function head(width, height, title)
{
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" " \
        "font-family=\"sans-serif\" font-size=\"12\">\n", width, height
    printf "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", width, height
    printf "<text x=\"%d\" y=\"20\" text-anchor=\"middle\" " \
        "font-size=\"14\">%s</text>\n", width / 2, title
}

function log_place(v, low, high, from, to)
{
    return from + (log(v) - log(low)) / (log(high) - log(low)) * (to - from)
}

# add(NAME, X, Y): a point of a curve; curves in the order of their first.
function add(name, x, y)
{
    if (!(name in points))
        names[++curves] = name
    points[name]++
    xs[name, points[name]] = x
    ys[name, points[name]] = y
    if (x_low == "" || x < x_low) x_low = x
    if (x_high == "" || x > x_high) x_high = x
    if (y_low == "" || y < y_low) y_low = y
    if (y_high == "" || y > y_high) y_high = y
}

function human(bytes)
{
    if (bytes >= 1073741824) return bytes / 1073741824 " GiB"
    if (bytes >= 1048576) return bytes / 1048576 " MiB"
    return bytes >= 1024 ? bytes / 1024 " KiB" : bytes ""
}

# chart(TITLE, Y NAME, IN BYTES): the curves, with lines at 1, 2 and 5 of each
# power of ten.
function chart(title, y_name, in_bytes, c, i, n, v, x, y, step, tick)
{
    head(640, 340, title)
    y_low /= 2
    y_high *= 2
    for (v = 0.001; v < y_high * 2; v *= 10)
        for (i = 1; i <= 3; i++) {
            tick = v * (i == 1 ? 1 : i == 2 ? 2 : 5)
            if (tick < y_low || tick > y_high)
                continue
            y = log_place(tick, y_low, y_high, 290, 40)
            line(60, y, 500, y, "#ddd")
            text(54, y + 4, "end", sprintf("%g", tick))
        }
    printf "<text x=\"14\" y=\"165\" text-anchor=\"middle\" " \
        "transform=\"rotate(-90 14 165)\">%s</text>\n", y_name
    step = x_high / x_low > 5000 ? 16 : 4
    for (v = x_low; v <= x_high * 1.01; v *= step) {
        x = log_place(v, x_low, x_high, 60, 500)
        line(x, 290, x, 295, "#888")
        text(x, 310, "middle", in_bytes ? human(v) : v)
    }
    for (c = 1; c <= curves; c++) {
        n = names[c]
        printf "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" " \
            "points=\"", color[c]
        for (i = 1; i <= points[n]; i++)
            printf "%.1f,%.1f ", \
                log_place(xs[n, i], x_low, x_high, 60, 500), \
                log_place(ys[n, i], y_low, y_high, 290, 40)
        print "\"/>"
        printf "<rect x=\"512\" y=\"%d\" width=\"10\" height=\"10\" " \
            "fill=\"%s\"/>\n", 41 + 20 * c, color[c]
        text(527, 50 + 20 * c, "start", n)
    }
    print "</svg>"
}

# Bars of speed over READ's, from the line at 1.
function bars(c, i, n, x, y, width, one, v)
{
    head(640, 60 + 26 * 3 * layouts, \
        "Speed over READ's, loopback TCP, 4 requests of 1 MiB under way")
    one = log_place(1, 0.5, 64, 130, 610)
    for (v = 0.5; v <= 64; v *= 2) {
        x = log_place(v, 0.5, 64, 130, 610)
        line(x, 34, x, 40 + 26 * 3 * layouts, v == 1 ? "#000" : "#ddd")
        text(x, 54 + 26 * 3 * layouts, "middle", v)
    }
    for (i = 1; i <= layouts; i++) {
        text(8, 66 + 78 * (i - 1), "start", title[layout_names[i]])
        for (c = 1; c <= 2; c++) {
            n = c == 1 ? "READ_PLUS" : "rpcgen"
            v = speed[layout_names[i], n]
            y = 44 + 78 * (i - 1) + 26 * (c - 1)
            if (v == "") {
                text(one + 6, y + 15, "start", n ": stopped at 20 times READ's")
                continue
            }
            x = log_place(v, 0.5, 64, 130, 610)
            width = x > one ? x - one : one - x
            printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"20\" " \
                "fill=\"%s\"/>\n", (x > one ? one : x), y, width, color[c]
            if (v > 16)
                text(x - 6, y + 15, "end", sprintf("%s %.2f", n, v))
            else
                text((x > one ? x : one) + 6, y + 15, "start", \
                    sprintf("%s %.2f", n, v))
        }
    }
    print "</svg>"
}

BEGIN {
    split("#1f77b4 #ff7f0e #2ca02c #9467bd", color, " ")
    title["D"] = "all data"
    title["H"] = "all hole"
    title["P1"] = "alternating 4 KiB"
    title["P2"] = "alternating 8 KiB"
}

picture == "layouts" && get("set") == "plain" && get("socket") == "tcp" &&
    get("count") == 1048576 && get("window") == 4 {
    if (!((get("layout"), "seen") in speed)) {
        speed[get("layout"), "seen"] = 1
        layout_names[++layouts] = get("layout")
    }
    speed[get("layout"), get("way")] = get("speed_median")
}

picture == "segments" && get("bench") == "segments" {
    way = get("way")
    add(way == "next" ? "one by one" : way, get("count") + 0, get("ns") + 0)
}

picture == "sizes" && get("set") == "sizes" {
    scale = 1048576 / get("bytes") * 1e6
    if (get("layout") == "dense")
        add("READ", get("size") + 0, get("read_seconds") * scale)
    add("READ_PLUS, " (get("layout") == "dense" ? "dense" : "half"), get("size") + 0,
        get("seconds") * scale)
}

END {
    if (picture == "layouts")
        bars()
    else if (picture == "segments")
        chart("Time a segment, by their number in the reply", "ns a segment", 0)
    else
        chart("Time a MiB over loopback TCP, by the size of the file", \
            "us a MiB", 1)
}
