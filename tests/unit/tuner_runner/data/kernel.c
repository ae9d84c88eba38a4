/* B = 2 * A over 1000 floats, with one fault chosen by the macro FAULT_<kind>. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tilewright/runtime/abi.h"

__attribute__((visibility("default"))) const char tw_manifest[] =
    "{\"abi\":1,\"target\":\"cpu\",\"features\":[],\"versions\":{},\"functions\":[{\"name\":\"twice\","
    "\"entry\":\"tw_twice\",\"params\":["
    "{\"name\":\"A\",\"kind\":\"tensor\",\"role\":\"input\",\"dtype\":\"float32\",\"shape\":[1000],"
    "\"strides\":\"compact\",\"alignment\":4,\"device\":\"cpu\",\"alias_of\":null},"
    "{\"name\":\"B\",\"kind\":\"tensor\",\"role\":\"output\",\"dtype\":\"float32\",\"shape\":[1000],"
    "\"strides\":\"compact\",\"alignment\":4,\"device\":\"cpu\",\"alias_of\":null}],"
    "\"assumptions\":[],\"records\":[]}]}";

__attribute__((visibility("default"))) int32_t tw_twice(const tw_call* call) {
  float* a = (float*)call->args[0].value.tensor->data;
  float* b = (float*)call->args[1].value.tensor->data;
  int n = 1000;
#if defined(FAULT_nothing)
  n = 0;
#elif defined(FAULT_half)
  n = 500;
#elif defined(FAULT_crash)
  raise(SIGSEGV);
#elif defined(FAULT_hang)
  for (volatile int i = 0;; i = i + 1) {
  }
#elif defined(FAULT_grow)
  for (;;) {
    char* block = malloc(1 << 24);
    if (!block) return TW_ERR_OUT_OF_MEMORY;
    memset(block, 1, 1 << 24);
  }
#elif defined(FAULT_error)
  if (call->error_text) strncpy(call->error_text, "twice: refused", call->error_text_size);
  return TW_ERR_CHECK;
#elif defined(FAULT_input)
  a[0] = 1;
#endif
#if defined(FAULT_adds)
  for (int i = 0; i < n; ++i) b[i] += 2 * a[i];
#else
  for (int i = 0; i < n; ++i) b[i] = 2 * a[i];
#endif
#if defined(FAULT_later)
  static int calls = 0;
  if (++calls > 5) b[0] += 1;
#endif
#if defined(FAULT_last)
  b[n - 1] += 1;
#elif defined(FAULT_past)
  b[n] = 0;
#elif defined(FAULT_before)
  b[-1] = 0;
#endif
  return TW_OK;
}
