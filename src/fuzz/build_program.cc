#include <functional>

#include "fuzz/terms.h"
#include "tilewright/support/error.h"
#include "tilewright/te/te.h"

namespace tilewright::fuzz {
namespace {

using te::Expr;
using te::Var;

Expr apply_op(const std::string& op, const std::vector<Expr>& x) {
  using Unary = Expr (*)(Expr);
  using Binary = Expr (*)(Expr, Expr);
  static const std::map<std::string, Unary> unary = {{"neg", &ir::operator- },
                                                      {"not", &ir::operator!},
                                                       {"abs", &ir::abs},
                                                       {"floor", &ir::floor},
                                                       {"ceil", &ir::ceil},
                                                       {"trunc", &ir::trunc},
                                                       {"round", &ir::round},
                                                       {"exp", &ir::exp},
                                                       {"sqrt", &ir::sqrt},
                                                       {"tanh", &ir::tanh},
                                                       {"sigmoid", &ir::sigmoid}};
  static const std::map<std::string, Binary> binary = {
      {"add", &ir::operator+ },
       {"sub", &ir::operator- },
        {"mul", &ir::operator* },
         {"div", &ir::operator/ }, {"floor_div", &ir::floor_div}, {"floor_mod", &ir::floor_mod},
          {"trunc_div", &ir::trunc_div}, {"trunc_mod", &ir::trunc_mod}, {"min", &ir::min},
          {"max", &ir::max}, {"fmin", &ir::fmin}, {"fmax", &ir::fmax},
          {"and", &ir::operator& },
           {"or", &ir::operator| },
            {"xor", &ir::operator^ },
             {"shl", &ir::operator<< },
              {"shr", &ir::operator>> },
               {"lt", &ir::operator<},
                {"le", &ir::operator<= },
                 {"eq", &ir::operator== },
                  {"ne", &ir::operator!= },
                   {"logical_and", &ir::operator&& }, {"logical_or", &ir::operator|| } };
  if (const auto it = unary.find(op); it != unary.end()) return it->second(x.at(0));
  if (const auto it = binary.find(op); it != binary.end()) return it->second(x.at(0), x.at(1));
  if (op == "select") return ir::select(x.at(0), x.at(1), x.at(2));
  if (op == "if_then_else") return ir::if_then_else(x.at(0), x.at(1), x.at(2));
  fail("fuzz.program", "the program uses operation '{}', which this version does not know", op);
}

ir::Reducer user_reducer(const std::string& name, DType dtype) {
  const Expr zero = ir::make_zero(dtype), one = ir::make_const(dtype, 1);
  if (name == "xor_all") {
    return te::reducer(name, [](Expr a, Expr b) { return a ^ b; }, zero, {true, true});
  }
  if (name == "horner") {
    const Expr three = ir::make_const(dtype, 3);
    return te::reducer(
        name, [three](Expr a, Expr b) { return a * three + b; }, zero);
  }
  if (name == "compose") {
    return te::reducer(name,
                       [](const std::vector<Var>& a, const std::vector<Var>& b) {
                         return std::vector<Expr>{a[0] * b[0], a[1] * b[0] + b[1]};
                       },
                       {one, zero}, {true, false});
  }
  if (name == "sum_and_max") {
    return te::reducer(name,
                       [](const std::vector<Var>& a, const std::vector<Var>& b) {
                         return std::vector<Expr>{a[0] + b[0], ir::max(a[1], b[1])};
                       },
                       {zero, ir::min_value(dtype)}, {true, true});
  }
  fail("fuzz.program", "the program uses reducer '{}', which this version does not know", name);
}

class Builder {
 public:
  explicit Builder(const ProgramSpec& spec) : spec_(spec) {}

  ir::PrimFunc build() {
    std::vector<te::Arg> args;
    for (const InputSpec& input : spec_.inputs) {
      const te::Tensor tensor = te::placeholder(extents(input.shape), input.dtype, input.name);
      tensors_[input.name] = {tensor};
      args.emplace_back(tensor);
    }
    for (const StageSpec& stage : spec_.stages) {
      tensors_[stage.name] = stage.steps.empty() ? compute(stage) : scan(stage);
      if (!stage.output) continue;
      for (const te::Tensor& tensor : tensors_[stage.name]) args.emplace_back(tensor);
    }
    for (const Term& term : spec_.assumptions) args.emplace_back(te::assume(expr(term, {})));
    return te::create_prim_func(args, spec_.name);
  }

 private:
  Expr extent(const Dim& dim) {
    if (dim.size.empty()) return ir::make_int(kInt64, dim.value);
    return dim.value == 0 ? Expr(size(dim.size)) : size(dim.size) + dim.value;
  }
  Var size(const std::string& name) {
    const auto it = sizes_.find(name);
    return it != sizes_.end() ? it->second : sizes_.emplace(name, te::var(name)).first->second;
  }
  std::vector<Expr> extents(const std::vector<Dim>& dims) {
    std::vector<Expr> result;
    for (const Dim& dim : dims) result.push_back(extent(dim));
    return result;
  }

  std::vector<te::Tensor> compute(const StageSpec& stage) {
    te::Axes reduce;
    for (size_t i = 0; i < stage.reduce.size(); ++i) {
      reduce.push_back(te::reduce_axis(extent(stage.reduce[i]), fmt::format("k{}", i)));
    }
    te::ComputeOptions options;
    options.name = stage.name;
    const auto function = [&](const std::vector<Var>& vars) {
      std::vector<Var> axes = vars;
      axes.insert(axes.end(), reduce.begin(), reduce.end());
      std::vector<Expr> values;
      for (const Term& term : stage.values) values.push_back(expr(term, axes));
      if (stage.reducer.empty()) return values;
      return fold(stage, values, reduce, stage.where.empty() ? Expr() : expr(stage.where[0], axes));
    };
    return te::compute_all(extents(stage.shape), function, options);
  }

  std::vector<te::Tensor> scan(const StageSpec& stage) {
    te::Scan scan(extent(stage.steps[0]), stage.name + "_scan");
    states_.clear();
    std::vector<te::ScanValue> states;
    for (size_t v = 0; v < stage.values.size(); ++v) {
      te::ScanStateOptions options;
      options.name = fmt::format("{}_s{}", stage.name, v);
      options.axis = stage.step_axis;
      states.push_back(scan.add_state(
          extents(stage.shape),
          [&](const std::vector<Var>& axes) {
            return std::vector<Expr>{expr(stage.init.at(v), axes)};
          },
          options));
    }
    states_ = states;
    for (size_t v = 0; v < stage.values.size(); ++v) {
      scan.set_update(states[v], [&](std::vector<Var> axes) {
        axes.push_back(scan.step());
        return std::vector<Expr>{expr(stage.values[v], axes)};
      });
    }
    states_.clear();
    return scan.finish();
  }

  static std::vector<Expr> fold(const StageSpec& stage, const std::vector<Expr>& x,
                                const te::Axes& axes, const Expr& where) {
    const std::string& name = stage.reducer;
    std::optional<DType> acc;
    if (!stage.accumulate.empty()) acc = parse_dtype(stage.accumulate);
    if (x.empty()) fail("fuzz.program", "stage '{}' reduces nothing", stage.name);
    if (name == "sum") return {te::sum(x[0], axes, where, acc)};
    if (name == "prod") return {te::prod(x[0], axes, where, acc)};
    if (name == "max") return {te::max(x[0], axes, where)};
    if (name == "min") return {te::min(x[0], axes, where)};
    if (name == "any") return {te::any(x[0], axes, where)};
    if (name == "all") return {te::all(x[0], axes, where)};
    if (name == "argmax") return te::argmax(axes.at(0), x[0], axes, where);
    if (name == "argmin") return te::argmin(axes.at(0), x[0], axes, where);
    return te::reduce(user_reducer(name, x[0].dtype()), x, axes, where);
  }

  Expr expr(const Term& term, const std::vector<Var>& axes) {
    if (term.op == "const") return te::constant_int(term.dtype, term.value);
    if (term.op == "axis") {
      if (term.value < 0 || term.value >= static_cast<int64_t>(axes.size())) {
        fail("fuzz.program", "there is no axis {}", term.value);
      }
      return axes[static_cast<size_t>(term.value)];
    }
    if (term.op == "size") return size(term.name);
    std::vector<Expr> args;
    for (const Term& arg : term.args) args.push_back(expr(arg, axes));
    if (term.op == "cast") return ir::cast(term.dtype, args.at(0));
    if (term.op == "state") {
      if (term.value < 0 || term.value >= static_cast<int64_t>(states_.size())) {
        fail("fuzz.program", "there is no state {} to read", term.value);
      }
      return states_[static_cast<size_t>(term.value)](args);
    }
    return term.op == "load" ? load(term, args) : apply_op(term.op, args);
  }

  Expr load(const Term& term, const std::vector<Expr>& index) {
    const auto it = tensors_.find(term.name);
    if (it == tensors_.end() || term.value >= static_cast<int64_t>(it->second.size())) {
      fail("fuzz.program", "there is no tensor '{}' number {}", term.name, term.value);
    }
    const te::Tensor& tensor = it->second[static_cast<size_t>(term.value)];
    if (term.rule.empty()) return tensor(index);
    if (term.rule == "edge") return te::repeat_edge(tensor)(index);
    if (term.rule == "mirror") return te::mirror_image(tensor)(index);
    if (term.rule == "reflect") return te::mirror_interior(tensor)(index);
    return te::constant_exterior(tensor, te::constant_int(tensor.dtype(), 1))(index);
  }

  const ProgramSpec& spec_;
  std::map<std::string, Var> sizes_;
  std::map<std::string, std::vector<te::Tensor>> tensors_;
  std::vector<te::ScanValue> states_;  // of the recurrence being built
};

}  // namespace

ir::PrimFunc build_program(const ProgramSpec& spec) { return Builder(spec).build(); }

}  // namespace tilewright::fuzz
