/* Calls a compiled matmul from C: a right call, then a wrong one.
 *
 * Built against the two files that `tilewright compile` writes, libmm.so and libmm.h, and nothing else. */
#include <stdio.h>

#include "libmm.h"

enum { M = 64, N = 48, K = 32 };

static float a[M * K], b[K * N], c[M * N];

/* A dense row-major matrix of float32; `shape` must live as long as the tensor. */
static tw_dl_tensor matrix(float* data, int64_t shape[2]) {
  tw_dl_tensor tensor = {0};
  tensor.data = data;
  tensor.device.device_type = TW_DL_CPU;
  tensor.ndim = 2;
  tensor.dtype.code = TW_DL_FLOAT;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

static tw_arg tensor_arg(const tw_dl_tensor* tensor, uint32_t flags) {
  tw_arg arg = {0};
  arg.kind = TW_ARG_TENSOR;
  arg.flags = flags;
  arg.value.tensor = tensor;
  return arg;
}

/* Everything a call needs is in its tw_call: arguments, threads, and where to put the text of an error. */
static int32_t call_matmul(const tw_arg* args, int32_t num_args, char* text, int64_t text_size) {
  tw_call call = {0};
  call.struct_size = sizeof(call);
  call.abi_version = TW_ABI_VERSION;
  call.args = args;
  call.num_args = num_args;
  call.num_threads = 1;
  call.error_text = text;
  call.error_text_size = text_size;
  return tw_matmul(&call);
}

static int count_wrong(void) {
  int wrong = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
      wrong += c[i * N + j] != sum; /* small integers: exact in any order */
    }
  }
  return wrong;
}

int main(void) {
  int64_t a_shape[2] = {M, K}, b_shape[2] = {K, N}, c_shape[2] = {M, N};
  for (int i = 0; i < M * K; ++i) a[i] = (float)(i % 7 - 3);
  for (int i = 0; i < K * N; ++i) b[i] = (float)(i % 5 - 2);

  const tw_dl_tensor ta = matrix(a, a_shape), tb = matrix(b, b_shape), tc = matrix(c, c_shape);
  tw_arg args[3] = {tensor_arg(&ta, TW_ARG_READ_ONLY), tensor_arg(&tb, TW_ARG_READ_ONLY),
                    tensor_arg(&tc, 0)};
  char text[256] = "";
  int32_t status = call_matmul(args, 3, text, sizeof(text));
  if (status != TW_OK) {
    fprintf(stderr, "status %d: %s\n", (int)status, text);
    return 1;
  }
  printf("matmul %dx%dx%d: %d of %d elements wrong\n", M, N, K, count_wrong(), M * N);

  /* A wrong shape is a status and a text; nothing is written and the next right call works. */
  int64_t wrong_shape[2] = {N, K};
  const tw_dl_tensor wrong = matrix(b, wrong_shape);
  args[1] = tensor_arg(&wrong, TW_ARG_READ_ONLY);
  status = call_matmul(args, 3, text, sizeof(text));
  printf("wrong shape: status %d: %s\n", (int)status, text);
  if (status != TW_ERR_SHAPE) return 1;

  args[1] = tensor_arg(&tb, TW_ARG_READ_ONLY);
  status = call_matmul(args, 3, text, sizeof(text));
  printf("right again: status %d\n", (int)status);
  return status != TW_OK || count_wrong() != 0;
}
