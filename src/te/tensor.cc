#include "tilewright/te/tensor.h"

#include "te/checks.h"

namespace tilewright::te {

const TensorDefinition* definition_of(const ir::BufferNode* buffer) {
  return buffer ? dynamic_cast<const TensorDefinition*>(buffer->definition.get()) : nullptr;
}

const InnerDefinition* inner_definition_of(const ir::BufferNode* buffer) {
  return buffer ? dynamic_cast<const InnerDefinition*>(buffer->definition.get()) : nullptr;
}

Tensor::Tensor(ir::Buffer buffer) : buffer_(std::move(buffer)) {
  if (!definition_of(buffer_.get())) {
    fail("te.foreign_buffer", "{} is not a tensor of a tensor expression; make it with placeholder",
         buffer_ ? "buffer '" + buffer_->name + "'" : "a null buffer");
  }
}

const Operation& Tensor::op() const { return *definition_of(buffer_.get())->op; }

int64_t Tensor::value_index() const { return definition_of(buffer_.get())->value_index; }

Expr Tensor::at(const std::vector<Expr>& indices) const {
  if (!defined()) fail("te.null_tensor", "a tensor that was never given a value is read");
  if (static_cast<int>(indices.size()) != rank()) {
    fail("te.rank_mismatch",
         "tensor '{}' has {} dimension(s), shape {}, but is read with {} index(es)", name(), rank(),
         detail::shown(shape()), indices.size());
  }
  std::vector<Expr> converted;
  for (size_t d = 0; d < indices.size(); ++d) {
    converted.push_back(detail::as_int64(
        "te.index_dtype", fmt::format("index {} of tensor '{}'", d, name()), indices[d]));
  }
  return ir::load(buffer_, std::move(converted));
}

Tensor placeholder(std::vector<Expr> shape, DType dtype, std::string name) {
  detail::check_name("a placeholder", name);
  const std::string what = fmt::format("placeholder '{}'", name);
  detail::check_dtype(what, dtype);
  shape = detail::checked_shape(what, std::move(shape));
  detail::check_size(what, shape, dtype);
  Ref<const Operation> op(new PlaceholderOp(name, shape));
  Ref<const RefCounted> definition(new TensorDefinition(std::move(op), 0));
  return Tensor(ir::Buffer(
      new ir::BufferNode(std::move(name), dtype, std::move(shape), ir::Scope::kGlobal, {}, {}, 0,
                         {ir::AllocAt::Kind::kParam, -1}, std::move(definition))));
}

}  // namespace tilewright::te
