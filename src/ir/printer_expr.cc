#include <array>
#include <cmath>

#include "ir/printer.h"
#include "tilewright/ir/ops.h"

namespace tilewright::ir {
namespace {

constexpr std::array kReservedWords{
    "for",    "in",      "if",     "else",   "where",     "let",       "alloc",       "eval",
    "assert", "barrier", "block",  "update", "by",        "with",      "seq",         "func",
    "module", "param",   "assume", "body",   "init",      "reducer",   "true",        "false",
    "inf",    "nan",     "cast",   "select", "ramp",      "extract",   "reduce",      "broadcast",
    "min",    "max",     "fmin",   "fmax",   "trunc_div", "trunc_mod", "if_then_else"};

bool is_dtype_word(std::string_view word) {
  for (std::string_view start : {"bool", "int", "uint", "float", "bfloat", "handle"}) {
    if (word.substr(0, start.size()) != start) continue;
    try {
      parse_dtype(word);
      return true;
    } catch (const Error&) {
    }
  }
  return false;
}

bool is_bit_operation(BinaryOp op) { return op >= BinaryOp::kBitAnd && op <= BinaryOp::kShr; }

bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  for (char c : name) {
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

std::string escaped(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\x{:02x}", code);
    } else {
      result += c;
    }
  }
  return result + quote;
}

}  // namespace

bool is_reserved_word(std::string_view word) {
  for (std::string_view reserved : kReservedWords) {
    if (word == reserved) return true;
  }
  return find_intrinsic(word) || is_dtype_word(word);
}

int precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::kOr: return 1;
    case BinaryOp::kAnd: return 2;
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe: return 3;
    case BinaryOp::kBitOr: return 4;
    case BinaryOp::kBitXor: return 5;
    case BinaryOp::kBitAnd: return 6;
    case BinaryOp::kShl:
    case BinaryOp::kShr: return 7;
    case BinaryOp::kAdd:
    case BinaryOp::kSub: return 8;
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod: return 9;
    default: return 0;
  }
}

std::string quoted_text(std::string_view text) { return escaped(text, '"'); }

std::string escaped_name(std::string_view name) {
  if (is_identifier(name) && !is_reserved_word(name)) return std::string(name);
  return escaped(name, '`');
}

Reducer builtin_reducer(std::string_view name, const std::vector<DType>& dtypes) {
  using Make = Reducer (*)(DType);
  constexpr std::pair<std::string_view, Make> kSimple[] = {{"sum", reducers::sum},
                                                           {"prod", reducers::prod},
                                                           {"max", reducers::max},
                                                           {"min", reducers::min}};
  constexpr std::pair<std::string_view, Reducer (*)(DType, DType)> kArg[] = {
      {"argmax", reducers::argmax}, {"argmin", reducers::argmin}};
  try {
    for (const auto& [known, make] : kSimple) {
      if (known == name && dtypes.size() == 1) return make(dtypes[0]);
    }
    for (const auto& [known, make] : kArg) {
      if (known == name && dtypes.size() == 2) return make(dtypes[0], dtypes[1]);
    }
  } catch (const Error&) {
    return {};  // no such reducer on these dtypes
  }
  if (name == "any" && dtypes.empty()) return reducers::any();
  if (name == "all" && dtypes.empty()) return reducers::all();
  return {};
}

std::string builtin_spelling(const Reducer& reducer) {
  std::vector<DType> dtypes;
  const bool logical = reducer->name == "any" || reducer->name == "all";
  if (!logical) {
    for (const Var& var : reducer->lhs) dtypes.push_back(var.dtype());
  }
  Reducer builtin = builtin_reducer(reducer->name, dtypes);
  if (!builtin || !structural_equal(builtin, reducer)) return "";
  std::string text = reducer->name + "(";
  for (size_t i = 0; i < dtypes.size(); ++i) text += (i ? ", " : "") + to_string(dtypes[i]);
  return text + ")";
}

const std::string& NameTable::of(const Node* node, std::string_view wanted) {
  auto it = names_.find(node);
  if (it != names_.end()) return it->second;
  std::string base(wanted.empty() ? "_" : wanted);
  if (!escape_) {
    // Line breaks and the like would tear the lines of the pretty form.
    for (char& c : base) c = static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  std::string name = base;
  for (int n = 1; used_.count(name); ++n) name = fmt::format("{}_{}", base, n);
  used_.insert(name);
  return names_[node] = escape_ ? escaped_name(name) : name;
}

// ---- Expressions --------------------------------------------------------------------------------

const std::string& BasePrinter::name(const Expr& var) {
  return names_.of(var.get(), static_cast<const VarNode*>(var.get())->name);
}

const std::string& BasePrinter::name(const Buffer& buffer) {
  return names_.of(buffer.get(), buffer->name);
}

void BasePrinter::typed(const Var& var) {
  out += name(var);
  if (!pretty_) out += ": " + to_string(var.dtype());
}

void BasePrinter::exprs(const std::vector<Expr>& list) {
  joined(list, [&](const Expr& e) { expr(e); });
}

void BasePrinter::call(std::string_view callee, std::initializer_list<Expr> args) {
  out += callee;
  out += '(';
  joined(args, [&](const Expr& e) { expr(e); });
  out += ')';
}

void BasePrinter::expr(const Expr& e, int min_precedence) {
  if (!e.defined()) {
    out += "<null>";
    return;
  }
  switch (e->kind) {
    case NodeKind::kIntImm: return node(*e.as<IntImmNode>());
    case NodeKind::kFloatImm: return node(*e.as<FloatImmNode>());
    case NodeKind::kStringImm: out += quoted_text(e.as<StringImmNode>()->value); return;
    case NodeKind::kVar: out += name(e); return;
    case NodeKind::kBinary: return node(*e.as<BinaryNode>(), min_precedence);
    case NodeKind::kLoad: return node(*e.as<LoadNode>());
    case NodeKind::kCall: return node(*e.as<CallNode>());
    case NodeKind::kLet: return node(*e.as<LetNode>());
    case NodeKind::kReduce: return node(*e.as<ReduceNode>());
    case NodeKind::kCast:
      out += "cast(" + to_string(e.dtype()) + ", ";
      expr(e.as<CastNode>()->value);
      out += ')';
      return;
    case NodeKind::kUnary: {
      const UnaryNode& n = *e.as<UnaryNode>();
      out += spelling(n.op);
      // A literal in parentheses: "-(3)" is a negation, "-3" a constant.
      const bool wrap = is_literal(n.a) || n.a.as<UnaryNode>();
      if (wrap) out += '(';
      expr(n.a, wrap ? 0 : kUnaryPrecedence);
      if (wrap) out += ')';
      return;
    }
    case NodeKind::kSelect: {
      const SelectNode& n = *e.as<SelectNode>();
      return call("select", {n.condition, n.true_value, n.false_value});
    }
    case NodeKind::kIfThenElse: {
      const IfThenElseNode& n = *e.as<IfThenElseNode>();
      return call("if_then_else", {n.condition, n.true_value, n.false_value});
    }
    case NodeKind::kRamp: {
      const RampNode& n = *e.as<RampNode>();
      return call("ramp", {n.base, n.stride, Expr(make_int(kInt64, n.dtype.lanes))});
    }
    case NodeKind::kBroadcast: {
      const BroadcastNode& n = *e.as<BroadcastNode>();
      return call("broadcast", {n.value, make_int(kInt64, n.dtype.lanes)});
    }
    case NodeKind::kExtract: {
      const ExtractNode& n = *e.as<ExtractNode>();
      return call("extract", {n.vector, make_int(kInt64, n.lane)});
    }
    default: throw InternalError("not an expression node");
  }
}

void BasePrinter::node(const IntImmNode& n) {
  if (n.dtype.is_bool() && (n.value == 0 || n.value == 1)) {
    out += n.value ? "true" : "false";
    return;
  }
  const std::string digits = n.dtype.is_uint() ? fmt::format("{}", static_cast<uint64_t>(n.value))
                                               : fmt::format("{}", n.value);
  out += pretty_ || n.dtype == kInt64 ? digits : to_string(n.dtype) + "(" + digits + ")";
}

void BasePrinter::node(const FloatImmNode& n) {
  if (pretty_) {
    std::string digits = n.dtype.bits == 64 ? fmt::format("{}", n.value)
                                            : fmt::format("{}", static_cast<float>(n.value));
    if (digits.find_first_not_of("-0123456789") == std::string::npos) digits += ".0";
    out += digits;
    return;
  }
  out += to_string(n.dtype);
  out += std::isnan(n.value) ? "(nan)" : fmt::format("({:a})", n.value);
}

void BasePrinter::node(const BinaryNode& n, int min_precedence) {
  const int own = precedence(n.op);
  if (own == 0) return call(spelling(n.op), {n.a, n.b});
  const bool wrap = own < min_precedence;
  if (wrap) out += '(';
  // Operations of one strength group to the left; comparisons do not chain. Bit operations always
  // stand in parentheses, since languages differ in how strongly they bind.
  auto side = [&](const Expr& e, int least) {
    const BinaryNode* inner = e.as<BinaryNode>();
    const bool bits = inner && inner->op != n.op && is_bit_operation(inner->op);
    expr(e, bits ? kUnaryPrecedence : least);
  };
  side(n.a, is_comparison(n.op) ? own + 1 : own);
  // Dense products within sums keep lines short for people.
  const bool tight = pretty_ && own == 9;
  out += tight ? spelling(n.op) : fmt::format(" {} ", spelling(n.op));
  side(n.b, own + 1);
  if (wrap) out += ')';
}

void BasePrinter::access(const Buffer& buffer, const std::vector<Expr>& indices,
                         const Expr& predicate) {
  out += buffer ? name(buffer) : "<null>";
  out += '[';
  exprs(indices);
  if (predicate.defined()) {
    out += " where ";
    expr(predicate);
  }
  out += ']';
}

void BasePrinter::node(const LoadNode& n) { access(n.buffer, n.indices, n.predicate); }

void BasePrinter::node(const CallNode& n) {
  out += info(n.intrinsic).name;
  out += '(';
  if (n.intrinsic == Intrinsic::kBitcast) out += to_string(n.dtype) + ", ";
  exprs(n.args);
  out += ')';
}

void BasePrinter::node(const LetNode& n) {
  out += "let(";
  typed(n.var);
  out += " = ";
  expr(n.value);
  out += ", ";
  expr(n.body);
  out += ')';
}

void BasePrinter::node(const ReduceNode& n) {
  // The axes come first, since the sources use them.
  out += "reduce(";
  reducer(n.reducer);
  out += ", [";
  for (size_t i = 0; i < n.axes.size(); ++i) {
    if (i) out += ", ";
    typed(n.axes[i]);
    out += " in ";
    if (i < n.domains.size()) range(n.domains[i]);
  }
  out += "], [";
  exprs(n.sources);
  out += ']';
  if (n.where.defined()) {
    out += " where ";
    expr(n.where);
  }
  out += fmt::format(", {})", n.value_index);
}

void BasePrinter::range(const Range& r) {
  expr(r.min);
  const IntImmNode* extent = r.extent.as<IntImmNode>();
  if (extent && extent->value == 1 && r.min.defined() && extent->dtype == r.min.dtype()) return;
  out += " +: ";
  expr(r.extent);
}

void BasePrinter::regions(const std::vector<Region>& list) {
  joined(list, [&](const Region& region) {
    out += name(region.buffer) + "[";
    joined(region.ranges, [&](const Range& r) { range(r); });
    out += ']';
  });
}

void BasePrinter::reducer(const Reducer& r) {
  if (pretty_) {
    out += r->name;
    return;
  }
  if (std::string builtin = builtin_spelling(r); !builtin.empty()) {
    out += builtin;
    return;
  }
  size_t index = 0;
  while (index < user_reducers_.size() && !user_reducers_[index].same_as(r)) ++index;
  if (index == user_reducers_.size()) user_reducers_.push_back(r);
  out += fmt::format("@{}", index);
}

void BasePrinter::attr_value(const AttrValue& value) {
  if (auto* i = std::get_if<int64_t>(&value)) {
    out += fmt::format("{}", *i);
  } else if (auto* d = std::get_if<double>(&value)) {
    out += std::isnan(*d) ? "nan" : pretty_ ? fmt::format("{}", *d) : fmt::format("{:a}", *d);
  } else if (auto* s = std::get_if<std::string>(&value)) {
    out += quoted_text(*s);
  } else {
    out += '[';
    joined(std::get<std::vector<int64_t>>(value), [&](int64_t i) { out += fmt::format("{}", i); });
    out += ']';
  }
}

void BasePrinter::attrs(const Attrs& list) {
  out += "@{";
  joined(list, [&](const auto& item) {
    out += quoted_text(item.first) + ": ";
    attr_value(item.second);
  });
  out += '}';
}

void BasePrinter::newline() {
  out += '\n';
  out.append(static_cast<size_t>(2 * indent_), ' ');
}

}  // namespace tilewright::ir
