#include "ir/printer.h"
#include "tilewright/ir/ops.h"

namespace tilewright::ir {
namespace {

class TextPrinter final : public BasePrinter {
 public:
  explicit TextPrinter(const PrintOptions& options) : BasePrinter(false, options) {}
  void func(const PrimFunc& f);
  void module(const IRModule& m);
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
  void braces(const Stmt& body);
  void buffer(const Buffer& b);
  void layout(const LayoutNode& l);
  void param(const Param& p);
  void block_header(const BlockRealizeNode& n);
  void user_reducer(size_t index);
  void clause(const char* word) {
    newline();
    out += word;
  }
};

// A block of statements. A sequence of none or several statements is written as they are; a
// sequence inside a sequence, or of one statement, is spelled "seq { }" to survive the round trip.
void TextPrinter::braces(const Stmt& body) {
  out += '{';
  ++indent_;
  const SeqNode* list = body.as<SeqNode>();
  if (list && list->stmts.size() != 1) {
    for (const Stmt& s : list->stmts) {
      newline();
      stmt(s);
    }
  } else {
    newline();
    stmt(body);
  }
  --indent_;
  newline();
  out += '}';
}

void TextPrinter::stmt(const Stmt& s) {
  if (!s) {
    out += "<null>";
    return;
  }
  switch (s->kind) {
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name: return stmt_node(static_cast<const Name##Node&>(*s));
    TILEWRIGHT_STMT_NODES(TILEWRIGHT_CASE)
#undef TILEWRIGHT_CASE
    default: throw InternalError("not a statement node");
  }
}

void TextPrinter::stmt_node(const StoreNode& n) {
  access(n.buffer, n.indices, {});
  out += " = ";
  expr(n.value);
  if (n.predicate.defined()) {
    out += " where ";
    expr(n.predicate);
  }
}

void TextPrinter::stmt_node(const UpdateNode& n) {
  out += "update ";
  joined(n.buffers, [&](const Buffer& b) { out += name(b); });
  out += '[';
  exprs(n.indices);
  out += "] by ";
  reducer(n.reducer);
  out += " with ";
  exprs(n.values);
}

void TextPrinter::stmt_node(const ForNode& n) {
  out += "for ";
  typed(n.var);
  out += fmt::format(" #{} in 0..", n.id);
  expr(n.extent, precedence(BinaryOp::kAdd));
  out += fmt::format(" {} ", spelling(n.for_kind));
  if (n.thread != ThreadAxis::kNone) out += fmt::format("thread({}) ", spelling(n.thread));
  if (!n.annotations.empty()) {
    attrs(n.annotations);
    out += ' ';
  }
  braces(n.body);
}

void TextPrinter::stmt_node(const SeqNode& n) {
  out += "seq {";
  ++indent_;
  for (const Stmt& s : n.stmts) {
    newline();
    stmt(s);
  }
  --indent_;
  newline();
  out += '}';
}

void TextPrinter::stmt_node(const IfNode& n) {
  out += "if ";
  expr(n.condition);
  out += ' ';
  braces(n.then_body);
  if (n.else_body) {
    out += " else ";
    braces(n.else_body);
  }
}

void TextPrinter::stmt_node(const LetStmtNode& n) {
  out += "let ";
  typed(n.var);
  out += " = ";
  expr(n.value);
  out += ' ';
  braces(n.body);
}

void TextPrinter::stmt_node(const AllocNode& n) {
  out += "alloc ";
  buffer(n.buffer);
  out += ' ';
  braces(n.body);
}

void TextPrinter::stmt_node(const EvaluateNode& n) {
  out += "eval ";
  expr(n.value);
}

void TextPrinter::stmt_node(const AssertNode& n) {
  out += "assert ";
  expr(n.condition);
  out += fmt::format(" status({}) {} (", n.status, quoted_text(n.message));
  exprs(n.values);
  out += ')';
}

void TextPrinter::stmt_node(const BarrierNode& n) {
  out += fmt::format("barrier {}", spelling(n.scope));
}

void TextPrinter::block_header(const BlockRealizeNode& n) {
  const BlockNode& b = *n.block;
  out += fmt::format("block {} #{} {} (", quoted_text(b.name), b.id, spelling(b.block_kind));
  for (size_t i = 0; i < b.iter_vars.size(); ++i) {
    const IterVar& iter = b.iter_vars[i];
    if (i) out += ',';
    newline();
    out += fmt::format("{} ", spelling(iter.kind));
    typed(iter.var);
    out += " in ";
    range(iter.dom);
    out += " = ";
    expr(i < n.iter_values.size() ? n.iter_values[i] : Expr());
  }
  out += ')';
  if (!n.guard.empty()) {
    clause("guard(");
    joined(n.guard, [&](const Conjunct& c) {
      expr(c.cond);
      out += fmt::format(": {}", spelling(c.tail));
      if (c.loop >= 0) out += fmt::format(" #{}", c.loop);
    });
    out += ')';
  }
}

void TextPrinter::stmt_node(const BlockRealizeNode& n) {
  const BlockNode& b = *n.block;
  indent_ += 2;
  block_header(n);
  if (b.where.defined()) {
    clause("where ");
    expr(b.where);
  }
  if (options_.show_regions && !b.reads.empty()) {
    clause("reads ");
    regions(b.reads);
  }
  if (options_.show_regions && !b.writes.empty()) {
    clause("writes ");
    regions(b.writes);
  }
  if (b.reducer) {
    clause("reducer ");
    reducer(b.reducer);
  }
  if (!b.annotations.empty()) {
    clause("annotations ");
    attrs(b.annotations);
  }
  if (!b.origin.empty()) {
    clause("origin ");
    out += quoted_text(b.origin);
  }
  --indent_;
  if (b.init) {
    clause("init ");
    braces(b.init);
  }
  clause("body ");
  braces(b.body);
  --indent_;
}

// ---- Functions ----------------------------------------------------------------------------------

void TextPrinter::layout(const LayoutNode& l) {
  out += " layout(";
  if (!l.vars.empty() || !l.physical.empty()) {
    out += "map(";
    joined(l.vars, [&](const Var& var) { typed(var); });
    out += " -> ";
    exprs(l.physical);
    out += ") ";
  }
  if (!l.strides.empty()) {
    out += "strides(";
    exprs(l.strides);
    out += ") ";
  }
  if (l.elem_offset.defined()) {
    call("offset", {l.elem_offset});
    out += " ";
  }
  if (!l.fold_moduli.empty()) {
    out += "fold(";
    joined(l.fold_moduli, [&](int64_t m) { out += fmt::format("{}", m); });
    out += ") ";
  }
  out += fmt::format("versions({}) swizzle({}))", l.versions, l.swizzle);
}

void TextPrinter::buffer(const Buffer& b) {
  out += fmt::format("{}: {}[", name(b), to_string(b->dtype));
  exprs(b->shape);
  out += fmt::format("] {}", spelling(b->scope));
  if (b->layout) layout(*b->layout);
  if (!b->pad.empty()) {
    out += " pad(";
    joined(b->pad, [&](const Pad& p) {
      out += fmt::format("{}: {}", p.dim, p.multiple);
      if (!p.value.defined()) return;
      out += " = ";
      expr(p.value);
    });
    out += ')';
  }
  if (b->align != 0) out += fmt::format(" align({})", b->align);
  switch (b->alloc_at.kind) {
    case AllocAt::Kind::kRoot: break;
    case AllocAt::Kind::kParam: out += " at param"; break;
    case AllocAt::Kind::kLoop: out += fmt::format(" at #{}", b->alloc_at.loop); break;
  }
}

void TextPrinter::param(const Param& p) {
  out += "param ";
  if (p.buffer) {
    buffer(p.buffer);
  } else {
    typed(p.var);
  }
  out += fmt::format(" {}", spelling(p.role));
  if (p.alias_of >= 0) out += fmt::format(" alias({})", p.alias_of);
  if (p.layout_free) out += " layout_free";
  if (p.strides_any) out += " strides_any";
}

void TextPrinter::user_reducer(size_t index) {
  const Reducer r = user_reducers_[index];
  out += fmt::format("reducer @{} {} lhs(", index, quoted_text(r->name));
  joined(r->lhs, [&](const Var& var) { typed(var); });
  out += ") rhs(";
  joined(r->rhs, [&](const Var& var) { typed(var); });
  out += ") results(";
  exprs(r->results);
  out += ") identity(";
  exprs(r->identity);
  out += ')';
  if (r->associative) out += " associative";
  if (r->commutative) out += " commutative";
}

void TextPrinter::func(const PrimFunc& f) {
  std::string before = std::move(out);
  user_reducers_.clear();
  names_ = NameTable(true);
  out.clear();
  ++indent_;
  for (const Param& p : f->params) {
    newline();
    param(p);
  }
  for (const Expr& assumption : f->assumptions) {
    newline();
    out += "assume ";
    expr(assumption);
  }
  for (const Buffer& b : f->allocs) {
    newline();
    out += "alloc ";
    buffer(b);
  }
  newline();
  out += "body ";
  braces(f->body);
  // Reducers are known only now, but the text defines them before their uses.
  std::string main = std::move(out);
  out = std::move(before);
  out += fmt::format("func {} {} ", quoted_text(f->name), spelling(f->level));
  if (!f->attrs.empty()) {
    attrs(f->attrs);
    out += ' ';
  }
  out += '{';
  for (size_t i = 0; i < user_reducers_.size(); ++i) {
    newline();
    user_reducer(i);
  }
  out += main;
  --indent_;
  newline();
  out += '}';
}

void TextPrinter::module(const IRModule& m) {
  out += fmt::format("module entry({}) prepack({}) target({}) {{", quoted_text(m.entry),
                     quoted_text(m.prepack), quoted_text(m.target));
  ++indent_;
  for (const auto& [key, bytes] : m.constants) {
    newline();
    out += fmt::format("constant {} \"", quoted_text(key));
    for (char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    out += '"';
  }
  for (const PrimFunc& f : m.funcs) {
    newline();
    func(f);
  }
  --indent_;
  newline();
  out += '}';
}

}  // namespace

std::string to_text(const PrimFunc& f, const PrintOptions& options) {
  TextPrinter printer(options);
  printer.func(f);
  return printer.take() + "\n";
}

std::string to_text(const Stmt& s, const PrintOptions& options) {
  TextPrinter printer(options);
  printer.stmt(s);
  return printer.take() + "\n";
}

std::string to_text(const Expr& e) {
  TextPrinter printer({});
  printer.expr(e);
  return printer.take();
}

std::string to_text(const IRModule& m, const PrintOptions& options) {
  TextPrinter printer(options);
  printer.module(m);
  return printer.take() + "\n";
}

}  // namespace tilewright::ir
