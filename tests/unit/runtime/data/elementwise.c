/* One function `main` over n floats, y = EXPRESSION of x, without argument checks. */
#include "tilewright/runtime/abi.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char tw_manifest[] =
    "{\"abi\":1,\"features\":[" FEATURES
    "],\"functions\":[{\"name\":\"main\",\"params\":["
    "{\"name\":\"x\",\"role\":\"input\",\"dtype\":\"float32\",\"shape\":[\"n\"]},"
    "{\"name\":\"y\",\"role\":\"output\",\"dtype\":\"float32\",\"shape\":[\"n\"]}]}]}";

EXPORT int32_t tw_main(const tw_call* call) {
  const float* xs = call->args[0].value.tensor->data;
  float* ys = call->args[1].value.tensor->data;
  for (int64_t i = 0; i < call->args[0].value.tensor->shape[0]; ++i) {
    const float x = xs[i];
    ys[i] = EXPRESSION;
  }
  return TW_OK;
}
