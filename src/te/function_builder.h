#pragma once

#include <set>
#include <string>
#include <vector>

#include "te/graph.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/te/prim_func.h"

namespace tilewright::te::detail {

enum class Naming : uint8_t {
  kGiven,      ///< the user's names, made unique
  kCanonical,  ///< names by position alone
};

/// Makes the PrimFunc of a graph. `args` and `graph` belong together and are checked.
class FunctionBuilder {
 public:
  FunctionBuilder(const Graph& graph, Naming naming) : graph_(graph), naming_(naming) {}

  ir::PrimFunc build(const std::vector<Arg>& args, const std::string& name,
                     const std::vector<Expr>& assumptions);

 private:
  void add_param(const Arg& arg);
  void add_intermediates();
  void add_shape_params(const std::vector<Expr>& assumptions);
  void add_sizes_of(const Expr& e);
  void add_assumptions(const std::vector<Expr>& given);
  ir::Stmt make_operation(const Operation& op);
  /// The loops and the block of one formula. `step`: the variable of the loop over the steps of a scan.
  ir::Stmt make_nest(const ComputeOp& op, const std::vector<ir::Buffer>& outputs,
                     const Var& step = {});
  ir::Block make_block(const ComputeOp& op, const std::vector<ir::Buffer>& outputs,
                       const std::vector<Var>& block_vars);
  ir::Stmt make_scan(const ScanOp& op);
  ir::Stmt make_extern(const ExternOp& op);
  ir::Buffer make_buffer(const std::string& name, DType dtype, const std::vector<Expr>& shape,
                         ir::AllocAt::Kind at);
  /// Replaces te's tensors, sizes and scalars by the function's.
  Expr renamed(const Expr& e, const ir::VarMap& vars) const;
  Expr renamed(const Expr& e) const { return renamed(e, vars_); }
  std::string unique_name(std::set<std::string>& used, const std::string& wanted,
                          const char* canonical) const;

  const Graph& graph_;
  const Naming naming_;
  std::map<ValueKey, ir::Buffer> buffers_;
  ir::BufferMap temporaries_;  ///< of extern computations
  ir::VarMap vars_;            ///< sizes and scalars, where they are renamed
  std::vector<ir::Param> params_;
  std::vector<ir::Buffer> allocs_;
  std::vector<Expr> assumptions_;
  ir::VarSet sizes_;
  std::set<std::string> names_, block_names_;
  int64_t next_id_ = 0;
};

}  // namespace tilewright::te::detail
