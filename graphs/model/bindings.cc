/* bindings.cc -- values that the user gives to what a file leaves open. */
#include <cstring>
#include "onnx.h"

tgs::Bindings::Bindings(const char *bind)
{
    for (const char *s = bind ? bind : ""; *s;) {
        const std::string item(s, strcspn(s, ","));
        const size_t sign = item.rfind('=');

        items[item.substr(0, sign)] = sign == std::string::npos ? "" : item.substr(sign + 1);
        s += item.size();
        s += *s == ',';
    }
}

bool tgs::Bindings::take(const std::string &symbol, int64_t &value)
{
    if (symbol.empty())
        return false;
    open.insert(symbol);
    const auto item = items.find(symbol);

    if (item == items.end() || !tgs_parse_count(item->second.c_str(), INT64_MAX / 2, &value))
        return false;
    used.insert(symbol);
    return true;
}

bool tgs::Bindings::take(const std::string &tensor, int axis, int64_t &value)
{
    const std::string key = tensor + "." + std::to_string(axis);
    const auto item = items.find(key);

    if (item == items.end() || !tgs_parse_count(item->second.c_str(), INT64_MAX / 2, &value))
        return false;
    used.insert(key);
    return true;
}

void tgs::Bindings::refuse_unused() const
{
    std::string there;

    for (const auto &item : items)
        if (!used.count(item.first)) {
            for (const auto &o : open)
                if (o.rfind("tgsched.", 0) != 0)
                    there += (there.empty() ? "" : ", ") + o;
            throw Refused(TGS_EINVAL, "--bind " + item.first + "=" + item.second
                                          + ": no such dimension, or no whole number"
                                          + (there.empty() ? "" : " (there are: " + there + ")"));
        }
}
