#include <array>
#include <string_view>
#include <utility>

#include "tilewright/ir/stmt.h"

namespace tilewright::ir {
namespace {

template <typename E, size_t N>
using Words = std::array<std::pair<E, const char*>, N>;

constexpr Words<BinaryOp, 25> kBinaryOps{{
    {BinaryOp::kAdd, "+"},
    {BinaryOp::kSub, "-"},
    {BinaryOp::kMul, "*"},
    {BinaryOp::kDiv, "/"},
    {BinaryOp::kFloorDiv, "//"},
    {BinaryOp::kFloorMod, "%"},
    {BinaryOp::kTruncDiv, "trunc_div"},
    {BinaryOp::kTruncMod, "trunc_mod"},
    {BinaryOp::kMin, "min"},
    {BinaryOp::kMax, "max"},
    {BinaryOp::kFMin, "fmin"},
    {BinaryOp::kFMax, "fmax"},
    {BinaryOp::kAnd, "&&"},
    {BinaryOp::kOr, "||"},
    {BinaryOp::kBitAnd, "&"},
    {BinaryOp::kBitOr, "|"},
    {BinaryOp::kBitXor, "^"},
    {BinaryOp::kShl, "<<"},
    {BinaryOp::kShr, ">>"},
    {BinaryOp::kEq, "=="},
    {BinaryOp::kNe, "!="},
    {BinaryOp::kLt, "<"},
    {BinaryOp::kLe, "<="},
    {BinaryOp::kGt, ">"},
    {BinaryOp::kGe, ">="},
}};
constexpr Words<UnaryOp, 3> kUnaryOps{
    {{UnaryOp::kNeg, "-"}, {UnaryOp::kNot, "!"}, {UnaryOp::kBitNot, "~"}}};
constexpr Words<ForKind, 6> kForKinds{{{ForKind::kSerial, "serial"},
                                       {ForKind::kOrdered, "ordered"},
                                       {ForKind::kParallel, "parallel"},
                                       {ForKind::kVectorized, "vectorized"},
                                       {ForKind::kUnrolled, "unrolled"},
                                       {ForKind::kThread, "thread"}}};
constexpr Words<ThreadAxis, 8> kThreadAxes{{{ThreadAxis::kNone, "none"},
                                            {ThreadAxis::kBlockX, "block_x"},
                                            {ThreadAxis::kBlockY, "block_y"},
                                            {ThreadAxis::kBlockZ, "block_z"},
                                            {ThreadAxis::kThreadX, "thread_x"},
                                            {ThreadAxis::kThreadY, "thread_y"},
                                            {ThreadAxis::kThreadZ, "thread_z"},
                                            {ThreadAxis::kVThread, "vthread"}}};
constexpr Words<IterKind, 4> kIterKinds{{{IterKind::kSpatial, "spatial"},
                                         {IterKind::kReduce, "reduce"},
                                         {IterKind::kOrdered, "ordered"},
                                         {IterKind::kOpaque, "opaque"}}};
constexpr Words<Tail, 6> kTails{{{Tail::kGuard, "guard"},
                                 {Tail::kPeel, "peel"},
                                 {Tail::kBalanced, "balanced"},
                                 {Tail::kPad, "pad"},
                                 {Tail::kShiftInwards, "shift_inwards"},
                                 {Tail::kRolling, "rolling"}}};
constexpr Words<ParamRole, 5> kParamRoles{{{ParamRole::kInput, "input"},
                                           {ParamRole::kConstant, "constant"},
                                           {ParamRole::kOutput, "output"},
                                           {ParamRole::kInout, "inout"},
                                           {ParamRole::kShape, "shape"}}};
constexpr Words<Level, 3> kLevels{
    {{Level::kScheduled, "scheduled"}, {Level::kFlat, "flat"}, {Level::kDevice, "device"}}};
constexpr Words<Scope, 7> kScopes{{{Scope::kGlobal, "global"},
                                   {Scope::kConstant, "constant"},
                                   {Scope::kLocal, "local"},
                                   {Scope::kRegister, "register"},
                                   {Scope::kShared, "shared"},
                                   {Scope::kWarp, "warp"},
                                   {Scope::kFragment, "fragment"}}};
constexpr Words<BlockKind, 3> kBlockKinds{{{BlockKind::kCompute, "compute"},
                                           {BlockKind::kOpaque, "opaque"},
                                           {BlockKind::kExtern, "extern"}}};

template <typename E, size_t N>
const char* word_of(const Words<E, N>& words, E value) {
  for (const auto& [item, word] : words) {
    if (item == value) return word;
  }
  throw InternalError("enumerator without a spelling");
}

template <typename E, size_t N>
std::optional<E> value_of(const Words<E, N>& words, std::string_view text) {
  for (const auto& [item, word] : words) {
    if (text == word) return item;
  }
  return std::nullopt;
}

}  // namespace

bool is_comparison(BinaryOp op) { return op >= BinaryOp::kEq; }

const char* spelling(BinaryOp op) { return word_of(kBinaryOps, op); }
const char* spelling(UnaryOp op) { return word_of(kUnaryOps, op); }
const char* spelling(ForKind kind) { return word_of(kForKinds, kind); }
const char* spelling(ThreadAxis axis) { return word_of(kThreadAxes, axis); }
const char* spelling(IterKind kind) { return word_of(kIterKinds, kind); }
const char* spelling(Tail tail) { return word_of(kTails, tail); }
const char* spelling(ParamRole role) { return word_of(kParamRoles, role); }
const char* spelling(Level level) { return word_of(kLevels, level); }
const char* spelling(Scope scope) { return word_of(kScopes, scope); }
const char* spelling(BlockKind kind) { return word_of(kBlockKinds, kind); }

std::optional<ForKind> parse_for_kind(std::string_view word) { return value_of(kForKinds, word); }
std::optional<Tail> parse_tail(std::string_view word) { return value_of(kTails, word); }
std::optional<ThreadAxis> parse_thread_axis(std::string_view word) {
  return value_of(kThreadAxes, word);
}
std::optional<IterKind> parse_iter_kind(std::string_view word) {
  return value_of(kIterKinds, word);
}
std::optional<ParamRole> parse_param_role(std::string_view word) {
  return value_of(kParamRoles, word);
}
std::optional<Level> parse_level(std::string_view word) { return value_of(kLevels, word); }
std::optional<Scope> parse_scope(std::string_view word) { return value_of(kScopes, word); }
std::optional<BlockKind> parse_block_kind(std::string_view word) {
  return value_of(kBlockKinds, word);
}

}  // namespace tilewright::ir
