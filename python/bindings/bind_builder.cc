#include "casters.h"
#include "tilewright/ir/builder.h"
#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::IRBuilder;
using ir::Var;

std::vector<Expr> to_exprs(py::handle items, const std::string& what) {
  std::vector<Expr> result;
  for (const py::object& item : one_or_many(items)) result.push_back(to_expr(item, what));
  return result;
}

template <typename T>
T parse_word(std::optional<T> (*parse)(std::string_view), const std::string& word,
             const char* what) {
  const std::optional<T> value = parse(word);
  if (!value) fail("ir.builder", "there is no {} '{}'", what, word);
  return *value;
}

// What `with b.loop(...) as i:` opens and closes.
class BuilderBody {
 public:
  BuilderBody(IRBuilder& builder, std::function<py::object()> open)
      : builder_(builder), open_(std::move(open)) {}

  py::object enter() {
    depth_ = builder_.depth();
    return open_();
  }
  void exit(const py::object& error) {
    if (!error.is_none()) return builder_.abandon(depth_);
    if (builder_.depth() != depth_ + 1) {
      fail("ir.builder", "bodies are closed in another order than they were opened");
    }
    builder_.close();
  }

 private:
  IRBuilder& builder_;
  std::function<py::object()> open_;
  size_t depth_ = 0;
};

std::vector<IRBuilder::Axis> to_axes(const py::sequence& axes) {
  std::vector<IRBuilder::Axis> result;
  for (py::handle item : axes) {
    const std::vector<py::object> parts = one_or_many(item);
    if (parts.size() < 3 || parts.size() > 4) {
      throw py::type_error("an axis of a block is (name, extent, value) or (…, kind)");
    }
    IRBuilder::Axis axis{py::cast<std::string>(parts[0]), to_expr(parts[1], "an axis's extent"),
                         to_expr(parts[2], "an axis's value")};
    if (parts.size() == 4) {
      axis.kind = parse_word(&ir::parse_iter_kind, py::cast<std::string>(parts[3]), "kind of axis");
    }
    result.push_back(std::move(axis));
  }
  return result;
}

ir::BlockOptions::Regions to_regions(const py::object& regions) {
  if (regions.is_none()) return {};
  return [regions](const std::vector<Var>& vars) {
    py::tuple arguments(vars.size());
    for (size_t i = 0; i < vars.size(); ++i) arguments[i] = py::cast(vars[i]);
    std::vector<ir::Region> result;
    for (py::handle item : py::cast<py::list>(regions(*arguments))) {
      const auto parts = py::cast<py::sequence>(item);
      ir::Region region{py::cast<Buffer>(parts[0]), {}};
      for (size_t d = 1; d < py::len(parts); ++d) {
        const std::vector<py::object> range = one_or_many(parts[d]);
        region.ranges.push_back(
            {to_expr(range.at(0), "the start of a region"),
             range.size() > 1 ? to_expr(range[1], "the extent of a region") : Expr(int64_t{1})});
      }
      result.push_back(std::move(region));
    }
    return result;
  };
}

BuilderBody open_block(IRBuilder& b, std::string name, const py::sequence& axes,
                       const std::string& kind, const py::object& reads, const py::object& writes) {
  ir::BlockOptions options(parse_word(&ir::parse_block_kind, kind, "kind of block"));
  options.reads = to_regions(reads);
  options.writes = to_regions(writes);
  return BuilderBody(b, [&b, name = std::move(name), axes = to_axes(axes), options] {
    const std::vector<Var> vars = b.open_block(name, axes, options);
    py::tuple result(vars.size());
    for (size_t i = 0; i < vars.size(); ++i) result[i] = py::cast(vars[i]);
    return py::object(std::move(result));
  });
}

ir::Reducer builtin_reducer(const std::string& name, DType dtype) {
  if (name == "sum") return ir::reducers::sum(dtype);
  if (name == "prod") return ir::reducers::prod(dtype);
  if (name == "max") return ir::reducers::max(dtype);
  if (name == "min") return ir::reducers::min(dtype);
  if (name == "any") return ir::reducers::any();
  if (name == "all") return ir::reducers::all();
  fail("ir.builder", "there is no reducer '{}'; legal are sum, prod, max, min, any, all", name);
}

void bind_buffer(py::module_& m) {
  py::class_<Buffer>(
      m, "Buffer",
      "Storage of a function that is built statement by statement. `buffer[i, j]` is "
      "the expression that reads one element.")
      .def_property_readonly("name", [](const Buffer& b) { return b->name; })
      .def_property_readonly("dtype", [](const Buffer& b) { return b->dtype; })
      .def_property_readonly("shape", [](const Buffer& b) { return shape_to_python(b->shape); })
      .def(
          "__getitem__",
          [](const Buffer& b, const py::object& key) {
            return ir::load(b, to_exprs(key, "an index of buffer '" + b->name + "'"));
          },
          py::arg("indices"))
      .def("__repr__", [](const Buffer& b) { return "<Buffer " + b->name + ">"; })
      .attr("__iter__") = py::none();
}

void bind_parameters(py::class_<IRBuilder>& cls) {
  cls.def("size", &IRBuilder::size, py::arg("name"),
          "A symbolic extent, bound from the first tensor whose shape names it.")
      .def(
          "scalar",
          [](IRBuilder& b, std::string name, const DTypeLike& t) {
            return b.scalar(std::move(name), t.dtype);
          },
          py::arg("name"), py::arg("dtype"), "A scalar argument.")
      .def(
          "assume", [](IRBuilder& b, const ExprLike& e) { b.assume(e.expr); }, py::arg("condition"),
          "A promise of the caller about sizes, checked at entry.")
      .def(
          "temporary",
          [](IRBuilder& b, std::string name, const ShapeLike& shape, const DTypeLike& t,
             const std::string& scope) {
            return b.temporary(std::move(name), t.dtype, shape.extents,
                               parse_word(&ir::parse_scope, scope, "storage scope"));
          },
          py::arg("name"), py::arg("shape"), py::arg("dtype") = "float32",
          py::arg("scope") = "global", "An intermediate buffer of the function.");
  using Make = Buffer (IRBuilder::*)(std::string, DType, std::vector<Expr>);
  const auto bind = [&](const char* name, Make make) {
    cls.def(
        name,
        [make](IRBuilder& b, std::string buffer, const ShapeLike& shape, const DTypeLike& t) {
          return (b.*make)(std::move(buffer), t.dtype, shape.extents);
        },
        py::arg("name"), py::arg("shape"), py::arg("dtype") = "float32", "A tensor argument.");
  };
  bind("input", &IRBuilder::input);
  bind("output", &IRBuilder::output);
  bind("inout", &IRBuilder::inout);
}

void bind_bodies(py::class_<IRBuilder>& cls) {
  cls.def(
         "loop",
         [](IRBuilder& b, std::string name, const ExprLike& extent, const std::string& kind) {
           const ir::ForKind how = parse_word(&ir::parse_for_kind, kind, "kind of loop");
           return BuilderBody(b, [&b, name, extent = extent.expr, how] {
             return py::cast(b.open_loop(name, extent, how));
           });
         },
         py::arg("name"), py::arg("extent"), py::arg("kind") = "serial", py::keep_alive<0, 1>(),
         "`with b.loop(\"i\", n) as i:`. kind: 'serial', 'ordered', 'parallel', 'vectorized' or "
         "'unrolled'.")
      .def(
          "when",
          [](IRBuilder& b, const ExprLike& condition) {
            return BuilderBody(b, [&b, condition = condition.expr] {
              b.open_if(condition);
              return py::object(py::none());
            });
          },
          py::arg("condition"), py::keep_alive<0, 1>(), "`with b.when(condition):`.")
      .def(
          "otherwise",
          [](IRBuilder& b) {
            return BuilderBody(b, [&b] {
              b.open_else();
              return py::object(py::none());
            });
          },
          py::keep_alive<0, 1>(), "`with b.otherwise():`, right after a `with b.when(...)`.")
      .def(
          "block", &open_block, py::arg("name"), py::arg("axes") = py::tuple(),
          py::arg("kind") = "compute", py::arg("reads") = py::none(),
          py::arg("writes") = py::none(), py::keep_alive<0, 1>(),
          "`with b.block(\"C\", [(\"vi\", n, i), (\"vk\", m, k, \"reduce\")]) as (vi, vk):`, each "
          "axis with its name, extent, value and kind ('spatial', 'reduce', 'ordered', "
          "'opaque').\n\n"
          "What it reads and writes is found out; a block of kind 'opaque' or 'extern' may declare "
          "it by functions of the axes: writes=lambda vi: [(C, (vi, 1), (0, n))].");
}

void bind_statements(py::class_<IRBuilder>& cls) {
  cls.def(
         "let",
         [](IRBuilder& b, std::string name, const ExprLike& value) {
           return b.let(std::move(name), value.expr);
         },
         py::arg("name"), py::arg("value"),
         "A name for a value, known until the innermost open body ends.")
      .def(
          "store",
          [](IRBuilder& b, const Buffer& buffer, const py::object& indices, const ExprLike& value) {
            b.store(buffer, to_exprs(indices, "an index of buffer '" + buffer->name + "'"),
                    value.expr);
          },
          py::arg("buffer"), py::arg("indices"), py::arg("value"))
      .def(
          "update",
          [](IRBuilder& b, const std::string& reducer, const Buffer& buffer,
             const py::object& indices, const ExprLike& value) {
            b.update(builtin_reducer(reducer, buffer->dtype), {buffer},
                     to_exprs(indices, "an index of buffer '" + buffer->name + "'"), {value.expr});
          },
          py::arg("reducer"), py::arg("buffer"), py::arg("indices"), py::arg("value"),
          "One step of a reduction by 'sum', 'prod', 'max', 'min', 'any' or 'all'; only in a "
          "block.")
      .def(
          "call_extern",
          [](IRBuilder& b, std::string symbol, const py::Args<ExprLike>& args) {
            std::vector<Expr> values;
            for (py::handle item : args)
              values.push_back(to_expr(item, "an argument of a C function"));
            b.call_extern(std::move(symbol), std::move(values));
          },
          py::arg("symbol"),
          "Calls `void symbol(...)`: of elements the address is passed, of numbers the value.")
      .def(
          "print",
          [](IRBuilder& b, std::string text, const py::Args<ExprLike>& values) {
            std::vector<Expr> shown;
            for (py::handle item : values) shown.push_back(to_expr(item, "a printed value"));
            b.print(std::move(text), std::move(shown));
          },
          py::arg("text"), "Prints the text with the values in the place of its \"{}\".");
}

}  // namespace

void bind_builder(py::module_& m) {
  bind_buffer(m);
  py::class_<BuilderBody>(m, "BuilderBody", "A body of an IRBuilder, for `with`.")
      .def("__enter__", &BuilderBody::enter)
      .def("__exit__", [](BuilderBody& body, const py::object& type, const py::object&,
                          const py::object&) { body.exit(type); });
  py::class_<IRBuilder> cls(
      m, "IRBuilder",
      "Builds a function statement by statement, for what is not a tensor expression.\n\n"
      "    b = tw.ir.IRBuilder(\"cumsum\")\n"
      "    n = b.size(\"n\")\n"
      "    x, y = b.input(\"X\", n), b.output(\"Y\", n)\n"
      "    with b.loop(\"i\", n) as i:\n"
      "        with b.block(\"Y\", [(\"vi\", n, i, \"ordered\")]) as (vi,):\n"
      "            before = tw.if_then_else(vi > 0, y[vi - 1], 0.0)\n"
      "            b.store(y, vi, before + x[vi])\n"
      "    func = b.finish()");
  cls.def(py::init([](std::string name, const std::string& level) {
            return IRBuilder(std::move(name), parse_word(&ir::parse_level, level, "level"));
          }),
          py::arg("name"), py::arg("level") = "scheduled");
  bind_parameters(cls);
  bind_bodies(cls);
  bind_statements(cls);
  cls.def("finish", &IRBuilder::finish,
          "The function. Raises ExpressionError (ir.malformed) with every fault.");
}

}  // namespace tilewright::python
