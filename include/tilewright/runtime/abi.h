/* The call ABI of compiled functions: plain C99, no dependencies, stable within one TW_ABI_VERSION.
 *
 * A compiled library exports, for every function `name`,
 *
 *     int32_t tw_<name>(const tw_call* call);             the entry, returns a tw_status
 *     int64_t tw_<name>_workspace(const tw_call* call);   bytes of workspace, or -status
 *
 * and one NUL-terminated JSON text `const char tw_manifest[]` (see "The manifest" below). Entries are
 * stateless and reentrant: everything a call needs is in its tw_call. A zero-filled tw_call with
 * struct_size, abi_version, args and num_args set is a valid serial call.
 *
 * What an entry checks
 * --------------------
 * All argument checks are made by the entry, nowhere else, in this order, and before any output byte
 * is written. The first check that fails ends the call: its status is returned and its text, always
 * NUL-terminated and cut to error_text_size, is written to error_text (when that is not null).
 * `F` is the function's name, `P` the parameter's name.
 *
 *  1. call                TW_ERR_ABI          F: call has ABI version 2 and size 96, expected version 1 and size at least 120
 *  2. CPU (AOT only)      TW_ERR_CPU_FEATURE  F: needs CPU feature avx512f, which this CPU lacks
 *  3. argument count      TW_ERR_ARG_COUNT    F: expected 3 arguments, got 2
 *  then parameter by parameter, in order
 *  4. kind                TW_ERR_KIND         F: argument P: expected a tensor, got a scalar      (or the reverse)
 *     null tensor         TW_ERR_NULL         F: argument P: is missing (null)
 *  5. device              TW_ERR_DEVICE       F: argument P: expected device type 1, got 2
 *  6. dtype               TW_ERR_DTYPE        F: argument P: expected dtype float32, got float64
 *  7. rank                TW_ERR_RANK         F: argument P: expected rank 2, got 1
 *  8. shape               TW_ERR_SHAPE        F: argument P: expected shape (4, 6), got (6, 4)
 *                                             F: argument P: expected shape (k=6, 5), got (5, 6)
 *     A symbolic size is bound where it first occurs as a whole dimension or as a scalar parameter,
 *     and compared at every later occurrence. A negative extent is always a TW_ERR_SHAPE.
 *  9. strides             TW_ERR_STRIDE       F: argument P: expected compact strides (6, 1), got (1, 4)
 *     Null strides mean compact row-major. The stride of a dimension of extent 0 or 1 is ignored, and
 *     so is every stride of a tensor without elements.
 * 10. data                TW_ERR_NULL         F: argument P: data pointer is null
 *     alignment           TW_ERR_ALIGNMENT    F: argument P: expected data aligned to 4 bytes
 *     Both refer to data + byte_offset and are skipped for a tensor without elements.
 * 11. read-only           TW_ERR_READ_ONLY    F: argument P: is written, but the array is read-only
 *     scalar range        TW_ERR_RANGE        F: argument P: value 300 does not fit int8
 *  then
 * 12. assumptions         TW_ERR_ASSUMPTION   F: assumption n % 8 == 0 does not hold (n = 5)
 * 13. aliasing            TW_ERR_ALIAS        F: argument P: overlaps argument Q
 *     A written tensor may overlap another argument only where the manifest says alias_of, and then
 *     the two must start at the same address.
 * 14. threads             TW_ERR_NO_THREADS   F: 4 threads asked, but no thread library is available
 * 15. workspace           TW_ERR_WORKSPACE    F: needs 4096 bytes of workspace, got 1024
 *     allocation          TW_ERR_OUT_OF_MEMORY F: cannot allocate 4096 bytes of workspace
 *
 * TW_ERR_CHECK comes from checked-mode code (an index out of range, a failed assert of the program)
 * and may leave outputs partly written.
 *
 * The manifest
 * ------------
 *   {"abi":1, "target":"cpu -arch=x86_64 ...", "features":["avx2","fma"], "versions":{...},
 *    "functions":[{"name":"matmul", "entry":"tw_matmul", "workspace":"tw_matmul_workspace",
 *      "params":[{"name":"A","kind":"tensor","role":"input","dtype":"float32","shape":["m",512],
 *                 "strides":"compact","alignment":4,"device":"cpu","alias_of":null},
 *                {"name":"s","kind":"scalar","role":"input","dtype":"int64"}, ...],
 *      "assumptions":["m >= 1"], "records":["r-7f3a9c"], "operations":268435456}]}
 *
 * role: input, constant, output, inout or shape (a scalar that is a symbolic size of that name).
 * A dimension is a number, a size name, or an expression in size names with + - * // % min(a,b)
 * max(a,b) and parentheses. strides: compact or any. records: ids of the tuning records its schedule
 * came from. operations: arithmetic operations of one call, where known. Readers ignore unknown fields.
 */
#ifndef TILEWRIGHT_RUNTIME_ABI_H_
#define TILEWRIGHT_RUNTIME_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TW_ABI_VERSION 1

/* ---- DLPack, declared here from its specification; layouts equal those of dlpack.h ---- */

typedef enum tw_dl_device_type {
  TW_DL_CPU = 1,
  TW_DL_CUDA = 2,
  TW_DL_CUDA_HOST = 3,
  TW_DL_OPENCL = 4
} tw_dl_device_type;

typedef enum tw_dl_type_code {
  TW_DL_INT = 0,
  TW_DL_UINT = 1,
  TW_DL_FLOAT = 2,
  TW_DL_HANDLE = 3,
  TW_DL_BFLOAT = 4,
  TW_DL_COMPLEX = 5,
  TW_DL_BOOL = 6
} tw_dl_type_code;

typedef struct tw_dl_device {
  int32_t device_type; /* tw_dl_device_type */
  int32_t device_id;
} tw_dl_device;

typedef struct tw_dl_data_type {
  uint8_t code; /* tw_dl_type_code */
  uint8_t bits;
  uint16_t lanes;
} tw_dl_data_type;

typedef struct tw_dl_tensor {
  void* data;
  tw_dl_device device;
  int32_t ndim;
  tw_dl_data_type dtype;
  int64_t* shape;
  int64_t* strides; /* in elements; null means compact row-major */
  uint64_t byte_offset;
} tw_dl_tensor;

/* The exchange struct of DLPack before 1.0 (capsule "dltensor"). */
typedef struct tw_dl_managed_tensor {
  tw_dl_tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct tw_dl_managed_tensor* self);
} tw_dl_managed_tensor;

#define TW_DL_FLAG_READ_ONLY ((uint64_t)1)
#define TW_DL_FLAG_IS_COPIED ((uint64_t)2)

/* The exchange struct of DLPack 1.x (capsule "dltensor_versioned"). */
typedef struct tw_dl_managed_tensor_versioned {
  uint32_t version_major;
  uint32_t version_minor;
  void* manager_ctx;
  void (*deleter)(struct tw_dl_managed_tensor_versioned* self);
  uint64_t flags;
  tw_dl_tensor dl_tensor;
} tw_dl_managed_tensor_versioned;

/* ---- the call ---- */

typedef enum tw_status {
  TW_OK = 0,
  TW_ERR_ABI = 1,
  TW_ERR_ARG_COUNT = 2,
  TW_ERR_KIND = 3,
  TW_ERR_NULL = 4,
  TW_ERR_DEVICE = 5,
  TW_ERR_DTYPE = 6,
  TW_ERR_RANK = 7,
  TW_ERR_SHAPE = 8,
  TW_ERR_STRIDE = 9,
  TW_ERR_ALIGNMENT = 10,
  TW_ERR_READ_ONLY = 11,
  TW_ERR_RANGE = 12,
  TW_ERR_ASSUMPTION = 13,
  TW_ERR_ALIAS = 14,
  TW_ERR_NO_THREADS = 15,
  TW_ERR_WORKSPACE = 16,
  TW_ERR_OUT_OF_MEMORY = 17,
  TW_ERR_CPU_FEATURE = 18,
  TW_ERR_CHECK = 19,
  TW_ERR_INTERNAL = 20
} tw_status;

typedef enum tw_arg_kind {
  TW_ARG_NONE = 0,
  TW_ARG_TENSOR = 1,
  TW_ARG_INT = 2,
  TW_ARG_FLOAT = 3
} tw_arg_kind;

#define TW_ARG_READ_ONLY ((uint32_t)1)

/* More threads than this count as this many. */
#define TW_MAX_THREADS 1024

/* One argument, in the order of the function's parameters. Integer and bool scalars travel as int64
 * (uint64 as its two's complement bits, range unchecked), floating ones as double. An integer is
 * accepted for a floating parameter, not the reverse. */
typedef struct tw_arg {
  int32_t kind;   /* tw_arg_kind */
  uint32_t flags; /* TW_ARG_READ_ONLY */
  union {
    const tw_dl_tensor* tensor;
    int64_t int_value;
    double float_value;
  } value;
} tw_arg;

/* One share of a parallel loop: iterations [begin, end), run by slot `slot`. Returns a tw_status.
 * It must not write error_text: several slots may fail at once. */
typedef int32_t (*tw_parallel_body)(void* closure, int64_t begin, int64_t end, int32_t slot);

/* Runs body over [0, n) in disjoint shares that cover it once, with at most max_slots distinct slots
 * 0 <= slot < max_slots, no slot active twice at the same time, and returns after all have ended.
 * max_slots <= 1 or n <= 1 runs in the calling thread as slot 0; n <= 0 runs nothing. Returns the
 * status of the lowest slot that failed, or TW_ERR_NO_THREADS (nothing was run) when max_slots > 1
 * and threads cannot be had. A loop with dynamic scheduling passes n = max_slots and takes chunks
 * from a counter in its closure. Called from inside a body, it may run serially. */
typedef int32_t (*tw_parallel_for_fn)(void* user, int64_t n, int32_t max_slots,
                                      tw_parallel_body body, void* closure);

/* Returns size_bytes bytes aligned to `alignment` (a power of two), or null. */
typedef void* (*tw_alloc_fn)(void* user, int64_t size_bytes, int64_t alignment);
typedef void (*tw_free_fn)(void* user, void* pointer);

/* Output of a `print` inside a kernel (checked mode): one NUL-terminated piece of text. */
typedef void (*tw_print_fn)(void* user, const char* text);

typedef struct tw_call {
  uint32_t struct_size; /* sizeof(tw_call) of the caller; later versions only append fields */
  uint32_t abi_version; /* TW_ABI_VERSION of the caller */
  int32_t num_args;
  int32_t num_threads; /* below 1 means 1 */
  const tw_arg* args;
  void* workspace;                 /* 64-byte aligned; null: allocated for the length of the call */
  int64_t workspace_size;          /* bytes */
  void* stream;                    /* device stream; unused on the CPU */
  tw_parallel_for_fn parallel_for; /* null: the OpenMP default linked into the library */
  void* parallel_user;
  tw_alloc_fn alloc; /* null: posix_memalign and free */
  tw_free_fn free;
  void* alloc_user;
  tw_print_fn print; /* null: standard output */
  void* print_user;
  char* error_text; /* may be null */
  int64_t error_text_size;
} tw_call;

typedef int32_t (*tw_entry_fn)(const tw_call* call);
typedef int64_t (*tw_workspace_fn)(const tw_call* call);

#define TW_ENTRY_PREFIX "tw_"
#define TW_WORKSPACE_SUFFIX "_workspace"
#define TW_MANIFEST_SYMBOL "tw_manifest"
#define TW_WORKSPACE_ALIGNMENT 64

/* The default of tw_call.parallel_for: OpenMP threads of a libgomp opened at run time and never
 * unloaded. A deployed library links its own hidden copy (runtime/standalone.h). `user` is ignored. */
int32_t tw_default_parallel_for(void* user, int64_t n, int32_t max_slots, tw_parallel_body body,
                                void* closure);

/* The first name of the comma-separated list (LLVM feature names, "avx2,fma") that this CPU and its
 * operating system do not support, as an index into the list; -1 when all are supported. A name
 * that is unknown counts as not supported. A deployed library links its own hidden copy
 * (runtime/standalone.h). */
int32_t tw_missing_cpu_feature(const char* features);

#ifdef __cplusplus
} /* extern "C" */

/* Generated code reads these structs by offset. */
static_assert(sizeof(void*) == 8, "the call ABI is for 64-bit targets");
static_assert(sizeof(tw_dl_tensor) == 48);
static_assert(offsetof(tw_dl_tensor, device) == 8);
static_assert(offsetof(tw_dl_tensor, ndim) == 16);
static_assert(offsetof(tw_dl_tensor, dtype) == 20);
static_assert(offsetof(tw_dl_tensor, shape) == 24);
static_assert(offsetof(tw_dl_tensor, strides) == 32);
static_assert(offsetof(tw_dl_tensor, byte_offset) == 40);
static_assert(sizeof(tw_arg) == 16);
static_assert(offsetof(tw_arg, flags) == 4);
static_assert(offsetof(tw_arg, value) == 8);
static_assert(sizeof(tw_call) == 120);
static_assert(offsetof(tw_call, num_args) == 8);
static_assert(offsetof(tw_call, num_threads) == 12);
static_assert(offsetof(tw_call, args) == 16);
static_assert(offsetof(tw_call, workspace) == 24);
static_assert(offsetof(tw_call, workspace_size) == 32);
static_assert(offsetof(tw_call, stream) == 40);
static_assert(offsetof(tw_call, parallel_for) == 48);
static_assert(offsetof(tw_call, parallel_user) == 56);
static_assert(offsetof(tw_call, alloc) == 64);
static_assert(offsetof(tw_call, free) == 72);
static_assert(offsetof(tw_call, alloc_user) == 80);
static_assert(offsetof(tw_call, print) == 88);
static_assert(offsetof(tw_call, print_user) == 96);
static_assert(offsetof(tw_call, error_text) == 104);
static_assert(offsetof(tw_call, error_text_size) == 112);
#endif

#endif /* TILEWRIGHT_RUNTIME_ABI_H_ */
