#include "ops/definitions/definitions.h"
#include "tilewright/te/te.h"

namespace tilewright::ops {
namespace {

using te::Expr;
using te::Tensor;
using te::Var;
using Pair = std::pair<int64_t, int64_t>;

struct Conv2d {
  int64_t batch, ci, h, w, co, groups;
  Pair kernel, stride, pad, dilation, out;
  bool nchw;
  DType dtype, acc;
};

// Output extent of one spatial dimension.
int64_t out_extent(const char* dim, int64_t in, int64_t kernel, int64_t stride, int64_t pad,
                   int64_t dilation) {
  const std::string what = fmt::format("conv2d, {}", dim);
  const int64_t padded = detail::checked_add(what, in, detail::checked_mul(what, 2, pad));
  const int64_t reach =
      detail::checked_add(what, detail::checked_mul(what, kernel - 1, dilation), 1);
  if (reach > padded) {
    fail("ops.bad_value",
         "conv2d: the kernel is larger than the padded input in {}: kernel {} with dilation {} "
         "covers {}, the input {} with pad {} has {}; raise --pad or --{}, or shrink --kernel",
         dim, kernel, dilation, reach, in, pad, padded, dim[0]);
  }
  return (padded - reach) / stride + 1;
}

Conv2d parse(const Values& values) {
  Conv2d c;
  c.batch = values.integer("batch");
  c.ci = values.integer("ci");
  c.h = values.integer("h");
  c.w = values.integer("w");
  c.co = values.integer("co");
  c.groups = values.integer("groups");
  c.kernel = values.pair("kernel");
  c.stride = values.pair("stride");
  c.pad = values.pair("pad");
  c.dilation = values.pair("dilation");
  c.nchw = values.text("layout") == "NCHW";
  c.dtype = values.dtype("dtype");
  c.acc = detail::accumulator_dtype(c.dtype);
  for (const auto& [name, channels] : {Pair{0, c.ci}, Pair{1, c.co}}) {
    if (channels % c.groups != 0) {
      fail("ops.bad_value",
           "conv2d: --{} {} is not divisible by --groups {}; every group has equally many channels",
           name == 0 ? "ci" : "co", channels, c.groups);
    }
  }
  c.out.first =
      out_extent("height", c.h, c.kernel.first, c.stride.first, c.pad.first, c.dilation.first);
  c.out.second =
      out_extent("width", c.w, c.kernel.second, c.stride.second, c.pad.second, c.dilation.second);
  return c;
}

std::vector<Expr> activation(const Conv2d& c, Expr n, Expr ch, Expr y, Expr x) {
  if (c.nchw) return {n, ch, y, x};
  return {n, y, x, ch};
}

std::vector<std::string> axis_names(const Conv2d& c, const char* channel) {
  if (c.nchw) return {"n", channel, "h", "w"};
  return {"n", "h", "w", channel};
}

// A stage of its own, so that the sum below reads without conditions.
Tensor pad_input(const Conv2d& c, const Tensor& data) {
  const auto [ph, pw] = c.pad;
  if (ph == 0 && pw == 0) return data;
  const int y = c.nchw ? 2 : 1, x = y + 1;
  return te::compute(
      activation(c, c.batch, c.ci, c.h + 2 * ph, c.w + 2 * pw),
      [&](const std::vector<Var>& axes) {
        std::vector<Expr> inside(axes.begin(), axes.end());
        Expr in_range = te::constant(kBool, 1);
        const auto shift = [&](int dim, int64_t pad, int64_t extent) {
          if (pad == 0) return;
          inside[dim] = axes[dim] - Expr(pad);
          in_range = in_range && axes[dim] >= Expr(pad) && axes[dim] < Expr(extent + pad);
        };
        shift(y, ph, c.h);
        shift(x, pw, c.w);
        return te::if_then_else(in_range, data(inside), te::constant(c.dtype, 0));
      },
      "pad", {}, axis_names(c, "c"));
}

// out[n, co, y, x] = sum over ci of the group, ky, kx of in[n, ci, y * stride + ky * dilation, ...] * w
Tensors make_conv2d(const Values& values) {
  const Conv2d c = parse(values);
  const int64_t group_ci = c.ci / c.groups, group_co = c.co / c.groups;
  Tensor data = te::placeholder(activation(c, c.batch, c.ci, c.h, c.w), c.dtype, "data");
  std::vector<Expr> weight_shape{c.co, group_ci, c.kernel.first, c.kernel.second};
  if (!c.nchw) weight_shape = {c.kernel.first, c.kernel.second, group_ci, c.co};
  Tensor weight = te::placeholder(weight_shape, c.dtype, "weight");
  Tensor padded = pad_input(c, data);

  const te::ReduceAxis rc = te::reduce_axis(group_ci, "rc");
  const te::ReduceAxis ry = te::reduce_axis(c.kernel.first, "ry");
  const te::ReduceAxis rx = te::reduce_axis(c.kernel.second, "rx");
  const std::vector<Expr> out_shape = activation(c, c.batch, c.co, c.out.first, c.out.second);
  const std::vector<std::string> names = axis_names(c, "co");
  const bool rounds = c.acc != detail::result_dtype(c.dtype);
  const auto product = [&](const std::vector<Var>& axes) {
    const Var &n = axes[0], &co = axes[c.nchw ? 1 : 3];
    const Var &y = axes[c.nchw ? 2 : 1], &x = axes[c.nchw ? 3 : 2];
    Expr channel = rc;
    if (c.groups > 1) channel = te::floor_div(co, Expr(group_co)) * Expr(group_ci) + rc;
    Expr in =
        padded(activation(c, n, channel, y * Expr(c.stride.first) + ry * Expr(c.dilation.first),
                          x * Expr(c.stride.second) + rx * Expr(c.dilation.second)));
    Expr w = c.nchw ? weight(co, rc, ry, rx) : weight(ry, rx, rc, co);
    const te::Axes axes_of_sum = c.nchw ? te::Axes{rc, ry, rx} : te::Axes{ry, rx, rc};
    return te::sum(te::cast(c.acc, in) * te::cast(c.acc, w), axes_of_sum);
  };
  Tensor out = te::compute(out_shape, product, rounds ? "conv_acc" : "conv", {}, names);
  if (rounds) {
    out = te::compute(
        out_shape, [&](const std::vector<Var>& axes) { return te::cast(c.dtype, out(axes)); },
        "conv", {}, names);
  }
  const std::string layout = values.text("layout");
  return {{data, weight}, {out}, {layout, c.nchw ? "OIHW" : "HWIO", layout}};
}

}  // namespace

OpDefinition conv2d_definition() {
  using Kind = ParameterKind;
  OpDefinition op;
  op.name = "conv2d";
  op.help =
      "2-d convolution, zero padding; f16 and bf16 accumulate in f32 and round once, int8 gives "
      "int32";
  op.parameters = {
      {"batch", Kind::kInt, "1", "images", 1, {}},
      {"ci", Kind::kInt, "64", "input channels", 1, {}},
      {"h", Kind::kInt, "56", "input height", 1, {}},
      {"w", Kind::kInt, "56", "input width", 1, {}},
      {"co", Kind::kInt, "64", "output channels (filters)", 1, {}},
      {"kernel", Kind::kIntPair, "3x3", "filter height x width", 1, {}},
      {"stride", Kind::kIntPair, "1x1", "step of the filter, height x width", 1, {}},
      {"pad", Kind::kIntPair, "1x1", "zeros on both sides, height x width", 0, {}},
      {"dilation", Kind::kIntPair, "1x1", "distance of filter elements, height x width", 1, {}},
      {"groups", Kind::kInt, "1", "channel groups; ci groups: depthwise", 1, {}},
      {"layout",
       Kind::kChoice,
       "NCHW",
       "of input and output; weights are OIHW or HWIO",
       0,
       {"NCHW", "NHWC"}},
      {"dtype", Kind::kDType, "float32", "element type of input and weights", 0,
       detail::product_dtypes()},
  };
  op.make = make_conv2d;
  return op;
}

}  // namespace tilewright::ops
