/* Calls the exported matmul wrongly in every way of the case, with a right call after each. */
#include <stdio.h>
#include <string.h>

#include "libmm.h"

enum { M = 4, K = 6, N = 5, CANARY = 16 };

static float a[M * K], b[K * N], c[M * N + 2 * CANARY];
static double a64[M * K];
static int64_t a_shape[2] = {M, K}, b_shape[2] = {K, N}, c_shape[2] = {M, N};
static tw_dl_tensor tensors[3];

static tw_dl_tensor tensor_of(void* data, int64_t* shape, int32_t ndim) {
  tw_dl_tensor tensor = {0};
  tensor.data = data;
  tensor.device.device_type = TW_DL_CPU;
  tensor.ndim = ndim;
  tensor.dtype.code = TW_DL_FLOAT;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

static void fill_output(void) { memset(c, 0x7F, sizeof(c)); }

static int output_touched(void) {
  const unsigned char* bytes = (const unsigned char*)c;
  for (size_t i = 0; i < sizeof(c); ++i) {
    if (bytes[i] != 0x7F) return 1;
  }
  return 0;
}

static int wrong_elements(void) {
  int wrong = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
      wrong += c[CANARY + i * N + j] != sum;
    }
  }
  for (int i = 0; i < CANARY * 4; ++i) {
    wrong += ((const unsigned char*)c)[i] != 0x7F;
    wrong += ((const unsigned char*)(c + CANARY + M * N))[i] != 0x7F;
  }
  return wrong;
}

static int32_t call(const tw_arg* args, int32_t num_args, uint32_t struct_size, char* text,
                    int64_t text_size) {
  tw_call call = {0};
  call.struct_size = struct_size;
  call.abi_version = TW_ABI_VERSION;
  call.args = args;
  call.num_args = num_args;
  call.num_threads = 1;
  call.error_text = text;
  call.error_text_size = text_size;
  return tw_matmul(&call);
}

static void right_args(tw_arg args[4]) {
  memset(args, 0, 4 * sizeof(args[0]));
  for (int i = 0; i < 4; ++i) {
    args[i].kind = TW_ARG_TENSOR;
    args[i].value.tensor = &tensors[i < 3 ? i : 0];
  }
}

static int32_t right_call(void) {
  tw_arg args[4];
  right_args(args);
  char text[200] = "";
  const int32_t status = call(args, 3, sizeof(tw_call), text, sizeof(text));
  if (status != TW_OK) printf("the right call failed: %s\n", text);
  const int wrong = wrong_elements();
  if (wrong) printf("the right call gave %d wrong elements\n", wrong);
  return status;
}

static void bad_call(const char* name, const tw_arg* args, int32_t num_args) {
  char text[200] = "";
  fill_output();
  const int32_t status = call(args, num_args, sizeof(tw_call), text, sizeof(text));
  printf("%s: status %d: %s\n", name, (int)status, text);
  if (output_touched()) printf("  and the output was written\n");
  right_call();
}

static void bad_tensor(const char* name, int place, const tw_dl_tensor* tensor) {
  tw_arg args[4];
  right_args(args);
  args[place].value.tensor = tensor;
  bad_call(name, args, 3);
}

int main(void) {
  for (int i = 0; i < M * K; ++i) a[i] = (float)(i % 7 - 3);
  for (int i = 0; i < K * N; ++i) b[i] = (float)(i % 5 - 2);
  tensors[0] = tensor_of(a, a_shape, 2);
  tensors[1] = tensor_of(b, b_shape, 2);
  tensors[2] = tensor_of(c + CANARY, c_shape, 2);
  fill_output();
  const int32_t right = right_call();
  printf("right: status %d, %d wrong\n", (int)right, wrong_elements());

  tw_dl_tensor tensor = tensor_of(a64, a_shape, 2);
  tensor.dtype.bits = 64;
  bad_tensor("A float64", 0, &tensor);
  int64_t turned_a[2] = {K, M}, flat_a[1] = {M * K}, turned_b[2] = {N, K}, turned_c[2] = {N, M};
  tensor = tensor_of(a, turned_a, 2);
  bad_tensor("A (6, 4)", 0, &tensor);
  tensor = tensor_of(a, flat_a, 1);
  bad_tensor("A (24,)", 0, &tensor);
  tensor = tensor_of(b, turned_b, 2);
  bad_tensor("B (5, 6)", 1, &tensor);
  bad_tensor("B missing", 1, NULL);

  tw_arg args[4];
  right_args(args);
  bad_call("two arguments", args, 2);
  bad_call("four arguments", args, 4);
  args[0].flags = TW_ARG_READ_ONLY;
  char text[200] = "";
  printf("A read-only: status %d\n", (int)call(args, 3, sizeof(tw_call), text, sizeof(text)));
  args[2].flags = TW_ARG_READ_ONLY;
  bad_call("C read-only", args, 3);
  tensor = tensor_of(c + CANARY, turned_c, 2);
  bad_tensor("C (5, 4)", 2, &tensor);

  right_args(args);
  printf("C of a short call: status %d\n", (int)call(args, 3, 24, text, sizeof(text)));
  args[0].value.tensor = &tensors[1];
  printf("no error text: status %d\n", (int)call(args, 3, sizeof(tw_call), NULL, 0));
  bad_call("no array of arguments", NULL, 3);
  tensor = tensor_of(a, NULL, 2);
  bad_tensor("A without shape", 0, &tensor);
  printf("no call: status %d\n", (int)tw_matmul(NULL));
  return 0;
}
