/* A library that implements the call ABI by hand: what generated code does, written out in C. */
#include <stdio.h>
#include <stdlib.h>

#include "tilewright/runtime/abi.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char tw_manifest[] =
    "{\"abi\":1,\"target\":\"cpu\",\"features\":[\"sse2\"],\"versions\":{\"tilewright\":\"test\"},"
    "\"unknown_field\":{\"x\":[1]},\"functions\":["
    "{\"name\":\"matmul\",\"entry\":\"tw_matmul\",\"params\":["
    "{\"name\":\"A\",\"kind\":\"tensor\",\"role\":\"input\",\"dtype\":\"float32\",\"shape\":[4,6]},"
    "{\"name\":\"B\",\"kind\":\"tensor\",\"role\":\"input\",\"dtype\":\"float32\",\"shape\":[6,5]},"
    "{\"name\":\"C\",\"kind\":\"tensor\",\"role\":\"output\",\"dtype\":\"float32\",\"shape\":[4,5]}"
    "]},"
    "{\"name\":\"scale\",\"entry\":\"tw_scale\",\"workspace\":\"tw_scale_workspace\",\"params\":["
    "{\"name\":\"X\",\"kind\":\"tensor\",\"role\":\"input\",\"dtype\":\"float32\",\"shape\":[\"n\"]"
    "},"
    "{\"name\":\"s\",\"kind\":\"scalar\",\"role\":\"input\",\"dtype\":\"float64\"},"
    "{\"name\":\"n\",\"kind\":\"scalar\",\"role\":\"shape\",\"dtype\":\"int64\"},"
    "{\"name\":\"Y\",\"kind\":\"tensor\",\"role\":\"output\",\"dtype\":\"float32\","
    "\"shape\":[2,\"n\"]}]},"
    "{\"name\":\"fails\",\"entry\":\"tw_fails\",\"params\":["
    "{\"name\":\"n\",\"kind\":\"scalar\",\"role\":\"input\",\"dtype\":\"int64\"}]}]}";

#define FAIL(status, ...)                                                                         \
  do {                                                                                            \
    if (call->error_text) snprintf(call->error_text, (size_t)call->error_text_size, __VA_ARGS__); \
    return status;                                                                                \
  } while (0)

static const char* dtype_name(tw_dl_data_type t) {
  static const char* const names[] = {"int",    "uint",    "float", "handle",
                                      "bfloat", "complex", "bool"};
  return t.code < 7 ? names[t.code] : "unknown";
}

static int64_t compact_stride(const tw_dl_tensor* t, int dim) {
  int64_t step = 1;
  for (int i = t->ndim - 1; i > dim; --i) step *= t->shape[i];
  return step;
}

/* The checks of one float32 matrix, in the order of abi.h. */
static int32_t check_matrix(const tw_call* call, int index, const char* name, int64_t rows,
                            int64_t columns, int written) {
  const tw_arg* arg = &call->args[index];
  const tw_dl_tensor* t = arg->value.tensor;
  if (arg->kind != TW_ARG_TENSOR) {
    FAIL(TW_ERR_KIND, "matmul: argument %s: expected a tensor, got a scalar", name);
  }
  if (!t) FAIL(TW_ERR_NULL, "matmul: argument %s: is missing (null)", name);
  if (t->device.device_type != TW_DL_CPU) {
    FAIL(TW_ERR_DEVICE, "matmul: argument %s: expected device type 1, got %d", name,
         (int)t->device.device_type);
  }
  if (t->dtype.code != TW_DL_FLOAT || t->dtype.bits != 32 || t->dtype.lanes != 1) {
    FAIL(TW_ERR_DTYPE, "matmul: argument %s: expected dtype float32, got %s%d", name,
         dtype_name(t->dtype), t->dtype.bits);
  }
  if (t->ndim != 2) {
    FAIL(TW_ERR_RANK, "matmul: argument %s: expected rank 2, got %d", name, (int)t->ndim);
  }
  if (t->shape[0] != rows || t->shape[1] != columns) {
    FAIL(TW_ERR_SHAPE, "matmul: argument %s: expected shape (%lld, %lld), got (%lld, %lld)", name,
         (long long)rows, (long long)columns, (long long)t->shape[0], (long long)t->shape[1]);
  }
  if (t->strides && (t->strides[0] != compact_stride(t, 0) || t->strides[1] != 1)) {
    FAIL(TW_ERR_STRIDE, "matmul: argument %s: expected compact strides (%lld, 1), got (%lld, %lld)",
         name, (long long)columns, (long long)t->strides[0], (long long)t->strides[1]);
  }
  if (!t->data) FAIL(TW_ERR_NULL, "matmul: argument %s: data pointer is null", name);
  if (((uintptr_t)t->data + t->byte_offset) % 4) {
    FAIL(TW_ERR_ALIGNMENT, "matmul: argument %s: expected data aligned to 4 bytes", name);
  }
  if (written && (arg->flags & TW_ARG_READ_ONLY)) {
    FAIL(TW_ERR_READ_ONLY, "matmul: argument %s: is written, but the array is read-only", name);
  }
  return TW_OK;
}

static float* floats(const tw_arg* arg) {
  return (float*)((char*)arg->value.tensor->data + arg->value.tensor->byte_offset);
}

EXPORT int32_t tw_matmul(const tw_call* call) {
  if (call->abi_version != TW_ABI_VERSION || call->struct_size < sizeof(tw_call)) {
    FAIL(TW_ERR_ABI, "matmul: call has ABI version %u and size %u", call->abi_version,
         call->struct_size);
  }
  if (call->num_args != 3) {
    FAIL(TW_ERR_ARG_COUNT, "matmul: expected 3 arguments, got %d", (int)call->num_args);
  }
  int32_t status = check_matrix(call, 0, "A", 4, 6, 0);
  if (!status) status = check_matrix(call, 1, "B", 6, 5, 0);
  if (!status) status = check_matrix(call, 2, "C", 4, 5, 1);
  if (status) return status;
  const float *a = floats(&call->args[0]), *b = floats(&call->args[1]);
  float* c = floats(&call->args[2]);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5; ++j) {
      float sum = 0;
      for (int k = 0; k < 6; ++k) sum += a[i * 6 + k] * b[k * 5 + j];
      c[i * 5 + j] = sum;
    }
  }
  return TW_OK;
}

struct scale_closure {
  const float* x;
  float* y;
  float* workspace;
  int64_t n;
  double s;
};

static int32_t scale_body(void* closure, int64_t begin, int64_t end, int32_t slot) {
  struct scale_closure* c = closure;
  (void)slot;
  for (int64_t i = begin; i < end; ++i) {
    c->workspace[i] = (float)(c->x[i] * c->s);
    c->y[i] = c->workspace[i];
    c->y[c->n + i] = c->workspace[i] + 1;
  }
  return TW_OK;
}

EXPORT int64_t tw_scale_workspace(const tw_call* call) {
  if (call->num_args != 4 || !call->args[0].value.tensor) return -TW_ERR_ARG_COUNT;
  if (call->args[0].value.tensor->ndim != 1) return -TW_ERR_RANK;
  return call->args[0].value.tensor->shape[0] * (int64_t)sizeof(float);
}

EXPORT int32_t tw_scale(const tw_call* call) {
  if (call->num_args != 4) {
    FAIL(TW_ERR_ARG_COUNT, "scale: expected 4 arguments, got %d", (int)call->num_args);
  }
  if (call->args[0].value.tensor->ndim != 1) {
    FAIL(TW_ERR_RANK, "scale: argument X: expected rank 1, got %d",
         (int)call->args[0].value.tensor->ndim);
  }
  const tw_arg* s = &call->args[1];
  const int64_t n = call->args[0].value.tensor->shape[0];
  if (call->args[2].value.int_value != n) FAIL(TW_ERR_SHAPE, "scale: n is wrong");
  if (call->workspace && call->workspace_size < n * 4) {
    FAIL(TW_ERR_WORKSPACE, "scale: needs %lld bytes of workspace, got %lld", (long long)n * 4,
         (long long)call->workspace_size);
  }
  float* workspace = call->workspace ? call->workspace : malloc((size_t)n * 4);
  struct scale_closure closure = {
      floats(&call->args[0]), floats(&call->args[3]), workspace, n,
      s->kind == TW_ARG_INT ? (double)s->value.int_value : s->value.float_value};
  tw_parallel_for_fn parallel_for = call->parallel_for;
#ifdef TW_WITH_STANDALONE
  if (!parallel_for) parallel_for = tw_default_parallel_for;
#endif
  const int32_t status =
      parallel_for(call->parallel_user, n, call->num_threads, scale_body, &closure);
  if (!call->workspace) free(workspace);
  if (status == TW_ERR_NO_THREADS) {
    FAIL(status, "scale: %d threads asked, but no thread library is available",
         (int)call->num_threads);
  }
  return status;
}

static int32_t failing_body(void* closure, int64_t begin, int64_t end, int32_t slot) {
  (void)closure, (void)begin, (void)end;
  return slot >= 1 ? TW_ERR_CHECK : TW_OK;
}

/* Fails in a slot of its parallel loop, without a text. */
EXPORT int32_t tw_fails(const tw_call* call) {
  return call->parallel_for(call->parallel_user, call->args[0].value.int_value, call->num_threads,
                            failing_body, NULL);
}
