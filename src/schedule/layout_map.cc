#include "schedule/layout_map.h"

#include <cctype>

#include "tilewright/ir/ops.h"
#include "tilewright/support/error.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// Recursive descent over the map's text; throws the sentence of the error as a std::string.
class MapParser {
 public:
  MapParser(const std::string& text, size_t rank) : text_(text), rank_(rank) {}

  Layout parse() {
    parse_names();
    if (vars_.size() != rank_) {
      throw fmt::format("the map names {} dimensions, the buffer has {}", vars_.size(), rank_);
    }
    expect("->");
    std::vector<Expr> physical;
    expect("(");
    do {
      physical.push_back(parse_sum());
    } while (accept(","));
    expect(")");
    skip_space();
    if (at_ != text_.size()) throw unexpected("the end");
    return Layout(new LayoutNode(vars_, std::move(physical), {}));
  }

 private:
  void parse_names() {
    expect("(");
    do {
      std::string name = parse_name();
      if (name.empty()) throw unexpected("a dimension's name");
      vars_.emplace_back(name, kInt64);
    } while (accept(","));
    expect(")");
  }

  Expr parse_sum() {
    Expr left = parse_product();
    for (;;) {
      if (accept("+")) {
        left = left + parse_product();
      } else if (accept("-")) {
        left = left - parse_product();
      } else {
        return left;
      }
    }
  }

  Expr parse_product() {
    Expr left = parse_atom();
    for (;;) {
      if (accept("//")) {
        left = floor_div(left, parse_divisor());
      } else if (accept("%")) {
        left = floor_mod(left, parse_divisor());
      } else if (accept("*")) {
        left = left * parse_atom();
      } else {
        return left;
      }
    }
  }

  Expr parse_divisor() {
    Expr divisor = parse_atom();
    const int64_t* value = as_const_int(divisor);
    if (!value || *value < 1) throw std::string("divisors in a layout map are positive constants");
    return divisor;
  }

  Expr parse_atom() {
    if (accept("(")) {
      Expr inner = parse_sum();
      expect(")");
      return inner;
    }
    skip_space();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      int64_t value = 0;
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
        value = value * 10 + (text_[at_++] - '0');
        if (value > (int64_t{1} << 40)) throw std::string("a number of the map is too large");
      }
      return make_int(kInt64, value);
    }
    std::string name = parse_name();
    for (const Var& var : vars_) {
      if (var.name() == name) return var;
    }
    if (name.empty()) throw unexpected("a dimension or a number");
    throw fmt::format("'{}' is not one of the map's dimensions", name);
  }

  std::string parse_name() {
    skip_space();
    std::string name;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      name += text_[at_++];
    }
    return name;
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool accept(std::string_view token) {
    skip_space();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) throw unexpected(fmt::format("'{}'", token));
  }

  std::string unexpected(std::string_view wanted) const {
    return fmt::format("expected {} at column {} of the map '{}'", wanted, at_ + 1, text_);
  }

  const std::string& text_;
  size_t rank_;
  size_t at_ = 0;
  std::vector<Var> vars_;
};

}  // namespace

Expected<Layout, std::string> parse_layout_map(const std::string& text, size_t rank) {
  try {
    return MapParser(text, rank).parse();
  } catch (std::string& message) {
    return Unexpected{std::move(message)};
  }
}

}  // namespace tilewright::schedule
