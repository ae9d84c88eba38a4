#include <map>

#include "ir/printer.h"
#include "tilewright/ir/ops.h"

namespace tilewright::ir {
namespace {

constexpr size_t kLineLength = 80;

class PrettyPrinter final : public BasePrinter {
 public:
  explicit PrettyPrinter(const PrintOptions& options) : BasePrinter(true, options) {}
  void func(const PrimFunc& f);
  void stmt(const Stmt& s);

 private:
  void stmt_node(const StoreNode& n);
  void stmt_node(const UpdateNode& n);
  void stmt_node(const ForNode& n);
  void stmt_node(const SeqNode& n);
  void stmt_node(const IfNode& n);
  void stmt_node(const LetStmtNode& n);
  void stmt_node(const AllocNode& n);
  void stmt_node(const EvaluateNode& n);
  void stmt_node(const AssertNode& n);
  void stmt_node(const BarrierNode& n);
  void stmt_node(const BlockRealizeNode& n);
  void nested(const Stmt& body);
  void buffer_type(const Buffer& b);
  void alloc_line(const Buffer& b);
  void param(const Param& p);
  void block_facts(const BlockNode& b);
  void guards(const BlockRealizeNode& n, std::vector<size_t>& breaks);
  void begin_line() { out.append(static_cast<size_t>(2 * indent_), ' '); }
  void end_line() { out += '\n'; }
  /// Ends the heading of loop or block `id`, which began at `start`.
  void end_heading(int64_t id, size_t start);
  /// Breaks the line that began at `start` where it is longer than a terminal: continuation lines
  /// begin at the `breaks`, indented by four more.
  void wrap(size_t start, const std::vector<size_t>& breaks);

  std::multimap<int64_t, Buffer> loop_allocs_;
};

void PrettyPrinter::wrap(size_t start, const std::vector<size_t>& breaks) {
  if (out.size() - start <= kLineLength) return;
  const std::string pad = "\n" + std::string(static_cast<size_t>(2 * indent_ + 4), ' ');
  std::string wrapped;
  size_t line = 0;  // length of the current output line
  for (size_t i = 0; i <= breaks.size(); ++i) {
    const size_t from = i == 0 ? start : breaks[i - 1];
    const size_t to = i == breaks.size() ? out.size() : breaks[i];
    std::string piece = out.substr(from, to - from);
    if (i > 0 && line + piece.size() > kLineLength) {
      while (!wrapped.empty() && wrapped.back() == ' ') wrapped.pop_back();
      wrapped += pad;
      line = pad.size() - 1;
      piece.erase(0, piece.find_first_not_of(' '));
    }
    line += piece.size();
    wrapped += piece;
  }
  out.replace(start, std::string::npos, wrapped);
}

void PrettyPrinter::end_heading(int64_t id, size_t start) {
  if (options_.show_ids) out += fmt::format("  # id {}", id);
  end_line();
  if (id < 0 || id != options_.underline_id) return;
  const size_t last = out.find_last_of('\n', out.size() - 2);
  const size_t line = last == std::string::npos || last < start ? start : last + 1;
  const size_t text = out.find_first_not_of(' ', line);
  const size_t length = out.size() - 1 - text;
  out += std::string(text - line, ' ') + std::string(length, '^');
  end_line();
}

void PrettyPrinter::nested(const Stmt& body) {
  ++indent_;
  const SeqNode* list = body.as<SeqNode>();
  if (!body || (list && list->stmts.empty())) {
    begin_line();
    out += "pass";
    end_line();
  } else {
    stmt(body);
  }
  --indent_;
}

void PrettyPrinter::stmt(const Stmt& s) {
  if (!s) return;
  switch (s->kind) {
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name: return stmt_node(static_cast<const Name##Node&>(*s));
    TILEWRIGHT_STMT_NODES(TILEWRIGHT_CASE)
#undef TILEWRIGHT_CASE
    default: throw InternalError("not a statement node");
  }
}

void PrettyPrinter::stmt_node(const StoreNode& n) {
  begin_line();
  access(n.buffer, n.indices, n.predicate);
  out += " = ";
  expr(n.value);
  end_line();
}

void PrettyPrinter::stmt_node(const UpdateNode& n) {
  begin_line();
  joined(n.buffers, [&](const Buffer& b) { access(b, n.indices, {}); });
  // A user's reducer may be called "sum" too.
  const bool builtin = !builtin_spelling(n.reducer).empty();
  if (builtin && n.reducer->name == "sum") {
    out += " += ";
  } else if (builtin && n.reducer->name == "prod") {
    out += " *= ";
  } else {
    out += " " + n.reducer->name + "= ";
  }
  exprs(n.values);
  end_line();
}

void PrettyPrinter::stmt_node(const ForNode& n) {
  const size_t start = out.size();
  begin_line();
  out += "for ";
  typed(n.var);
  out += " in 0..";
  expr(n.extent, precedence(BinaryOp::kMul));
  if (n.thread != ThreadAxis::kNone) {
    out += fmt::format(" {}", spelling(n.thread));
  } else if (n.for_kind != ForKind::kSerial) {
    out += fmt::format(" {}", spelling(n.for_kind));
  }
  for (const auto& [key, value] : n.annotations) {
    out += fmt::format(" {}=", key);
    attr_value(value);
  }
  out += ':';
  end_heading(n.id, start);
  ++indent_;
  for (auto [it, last] = loop_allocs_.equal_range(n.id); it != last; ++it) alloc_line(it->second);
  --indent_;
  nested(n.body);
}

void PrettyPrinter::stmt_node(const SeqNode& n) {
  for (const Stmt& s : n.stmts) stmt(s);
}

void PrettyPrinter::stmt_node(const IfNode& n) {
  begin_line();
  out += "if ";
  expr(n.condition);
  out += ':';
  end_line();
  nested(n.then_body);
  if (!n.else_body) return;
  begin_line();
  out += "else:";
  end_line();
  nested(n.else_body);
}

void PrettyPrinter::stmt_node(const LetStmtNode& n) {
  begin_line();
  typed(n.var);
  out += " = ";
  expr(n.value);
  end_line();
  stmt(n.body);
}

void PrettyPrinter::stmt_node(const AllocNode& n) {
  alloc_line(n.buffer);
  stmt(n.body);
}

void PrettyPrinter::stmt_node(const EvaluateNode& n) {
  begin_line();
  expr(n.value);
  end_line();
}

void PrettyPrinter::stmt_node(const AssertNode& n) {
  begin_line();
  out += "assert ";
  expr(n.condition);
  out += ", " + quoted_text(n.message);
  for (const Expr& value : n.values) {
    out += ", ";
    expr(value);
  }
  end_line();
}

void PrettyPrinter::stmt_node(const BarrierNode& n) {
  begin_line();
  out += fmt::format("barrier {}", spelling(n.scope));
  end_line();
}

void PrettyPrinter::guards(const BlockRealizeNode& n, std::vector<size_t>& breaks) {
  for (size_t i = 0; i < n.guard.size(); ++i) {
    breaks.push_back(out.size());
    out += i ? " and " : " if ";
    expr(n.guard[i].cond, precedence(BinaryOp::kAnd) + 1);
    if (n.guard[i].tail != Tail::kGuard) out += fmt::format(" ({})", spelling(n.guard[i].tail));
  }
}

void PrettyPrinter::block_facts(const BlockNode& b) {
  auto line = [&](const char* word, auto write) {
    begin_line();
    out += word;
    write();
    end_line();
  };
  if (b.where.defined()) line("where ", [&] { expr(b.where); });
  // A compute block's body says what it reads and writes.
  if (options_.show_regions && b.block_kind != BlockKind::kCompute) {
    if (!b.reads.empty()) line("reads ", [&] { regions(b.reads); });
    if (!b.writes.empty()) line("writes ", [&] { regions(b.writes); });
  }
  for (const auto& [key, value] : b.annotations) {
    line("annotate ", [&] {
      out += key + "=";
      attr_value(value);
    });
  }
}

void PrettyPrinter::stmt_node(const BlockRealizeNode& n) {
  const BlockNode& b = *n.block;
  const size_t start = out.size();
  begin_line();
  if (b.block_kind != BlockKind::kCompute) out += fmt::format("{} ", spelling(b.block_kind));
  out += "block " + b.name + "(";
  std::vector<size_t> breaks;
  for (size_t i = 0; i < b.iter_vars.size(); ++i) {
    const IterVar& iter = b.iter_vars[i];
    if (i) out += ", ";
    breaks.push_back(out.size());
    if (iter.kind != IterKind::kSpatial) out += fmt::format("{} ", spelling(iter.kind));
    typed(iter.var);
    out += " = ";
    expr(i < n.iter_values.size() ? n.iter_values[i] : Expr());
  }
  out += ')';
  guards(n, breaks);
  out += ':';
  wrap(start, breaks);
  end_heading(b.id, start);
  ++indent_;
  block_facts(b);
  if (b.init) {
    begin_line();
    out += "init:";
    end_line();
    nested(b.init);
  }
  --indent_;
  nested(b.body);
}

// ---- Functions ----------------------------------------------------------------------------------

void PrettyPrinter::buffer_type(const Buffer& b) {
  out += to_string(b->dtype) + "[";
  exprs(b->shape);
  out += ']';
  if (b->scope != Scope::kGlobal) out += fmt::format(" {}", spelling(b->scope));
  for (const Pad& pad : b->pad) out += fmt::format(" pad({}: {})", pad.dim, pad.multiple);
  if (const LayoutNode* l = b->layout.get()) {
    if (!l->physical.empty()) {
      out += " layout(";
      joined(l->vars, [&](const Var& var) { typed(var); });
      out += " -> ";
      exprs(l->physical);
      out += ')';
    }
    if (!l->strides.empty()) {
      out += " strides(";
      exprs(l->strides);
      out += ')';
    }
    if (l->versions != 1) out += fmt::format(" versions({})", l->versions);
    if (l->swizzle != 0) out += fmt::format(" swizzle({})", l->swizzle);
    for (size_t d = 0; d < l->fold_moduli.size(); ++d) {
      if (l->fold_moduli[d] != 0) out += fmt::format(" fold({}: {})", d, l->fold_moduli[d]);
    }
  }
}

void PrettyPrinter::alloc_line(const Buffer& b) {
  begin_line();
  out += "alloc " + name(b) + ": ";
  buffer_type(b);
  end_line();
}

void PrettyPrinter::param(const Param& p) {
  if (p.buffer) {
    out += name(p.buffer) + ": ";
    buffer_type(p.buffer);
  } else {
    out += name(p.var) + ": " + to_string(p.var.dtype());
  }
  if (p.role != ParamRole::kInput) out += fmt::format(" {}", spelling(p.role));
}

void PrettyPrinter::func(const PrimFunc& f) {
  for (const Buffer& b : f->allocs) {
    if (b->alloc_at.kind == AllocAt::Kind::kLoop) loop_allocs_.emplace(b->alloc_at.loop, b);
  }
  const size_t start = out.size();
  out += "func " + f->name + "(";
  std::vector<size_t> breaks;
  joined(f->params, [&](const Param& p) {
    breaks.push_back(out.size());
    param(p);
  });
  out += "):";
  wrap(start, breaks);
  end_line();
  ++indent_;
  for (const Expr& assumption : f->assumptions) {
    begin_line();
    out += "assume ";
    expr(assumption);
    end_line();
  }
  for (const Buffer& b : f->allocs) {
    if (b->alloc_at.kind != AllocAt::Kind::kLoop) alloc_line(b);
  }
  --indent_;
  nested(f->body);
}

}  // namespace

std::string to_pretty(const PrimFunc& f, const PrintOptions& options) {
  PrettyPrinter printer(options);
  printer.func(f);
  return printer.take();
}

std::string to_pretty(const Stmt& s, const PrintOptions& options) {
  PrettyPrinter printer(options);
  printer.stmt(s);
  return printer.take();
}

std::string to_pretty(const Expr& e) {
  PrettyPrinter printer({});
  printer.expr(e);
  return printer.take();
}

}  // namespace tilewright::ir
