#include "golden/errors_texts.h"

namespace tilewright::testing {

ir::PrimFunc text_program(std::string text, TextParts parts, const TextParts& changes) {
  for (const auto& [word, part] : changes) parts.at(word) = part;
  // From the left, so that words in a part that was put in are found as well.
  for (size_t at = 0; (at = text.find('$', at)) != std::string::npos;) {
    size_t end = at + 1;
    while (end < text.size() && std::islower(static_cast<unsigned char>(text[end]))) ++end;
    text.replace(at, end - at, parts.at(text.substr(at + 1, end - at - 1)));
  }
  return ir::parse_func(text);
}

ir::PrimFunc points(const TextParts& changes) {
  const TextParts parts = {{"role", "output"},
                           {"rows", "8"},
                           {"kind", "serial"},
                           {"open", ""},
                           {"block", "compute"},
                           {"axis", "spatial"},
                           {"domain", "0 +: 8"},
                           {"value", "i"},
                           {"columns", "8"},
                           {"where", ""},
                           {"body", "T[vi, vj] = A[vi, vj] + float32(0x1p+0)"},
                           {"close", ""}};
  return text_program(R"(func "points" scheduled {
  param A: float32[8, 8] global at param input
  param T: float32[8, 8] global at param $role
  body {
    for i: int64 #0 in 0..$rows $kind {
      for j: int64 #1 in 0..$columns serial {
        $open
        block "T" #2 $block (
            $axis vi: int64 in $domain = $value,
            spatial vj: int64 in 0 +: 8 = j)
            $where
            reads A[vi, vj]
            writes T[vi, vj]
          body {
            $body
          }
        $close
      }
    }
  }
})",
                      parts, changes);
}

ir::PrimFunc sums(const TextParts& changes) {
  const TextParts parts = {{"more", ""},
                           {"rows", "4"},
                           {"kind", "serial"},
                           {"block", "compute"},
                           {"axis", "reduce"},
                           {"guard", ""},
                           {"reducer", "reducer sum(float32)"},
                           {"init", "init { C[$at] = float32(0x0p+0) }"},
                           {"body", "update C[$at] by sum(float32) with A[vi, vk]"},
                           {"beside", ""},
                           {"after", ""},
                           {"at", "vi"}};
  return text_program(R"(func "sums" scheduled {
  param A: float32[4, 8] global at param input
  param C: float32[8] global at param inout
  $more
  body {
    for i: int64 #0 in 0..$rows serial {
      for k: int64 #1 in 0..8 $kind {
        block "C" #2 $block (
            spatial vi: int64 in 0 +: 4 = i,
            $axis vk: int64 in 0 +: 8 = k)
            $guard
            reads C[$at], A[vi, vk]
            writes C[$at]
            $reducer
          $init
          body {
            $body
          }
        $beside
      }
    }
    $after
  }
})",
                      parts, changes);
}

ir::PrimFunc window(const TextParts& changes) {
  const TextParts parts = {{"more", ""},
                           {"layout", ""},
                           {"home", "at #0"},
                           {"kind", "serial"},
                           {"length", "3"},
                           {"block", "compute"},
                           {"position", "i + r"},
                           {"guard", ""},
                           {"made", "A[vi] * float32(0x1p+1)"},
                           {"beside", ""},
                           {"between", ""},
                           {"reads", "B[vc +: 3]"},
                           {"value", "B[vc] + B[vc + 1] + B[vc + 2]"}};
  return text_program(R"(func "window" scheduled {
  param A: float32[12] global at param input
  param C: float32[10] global at param output
  $more
  alloc B: float32[12] global $layout $home
  body {
    for i: int64 #0 in 0..10 $kind {
      for r: int64 #1 in 0..$length serial {
        block "B" #2 $block (
            spatial vi: int64 in 0 +: 12 = $position)
            $guard
            reads A[vi]
            writes B[vi]
          body {
            B[vi] = $made
          }
        $beside
      }
      $between
      block "C" #3 compute (
          spatial vc: int64 in 0 +: 10 = i)
          reads $reads
          writes C[vc]
        body {
          C[vc] = $value
        }
    }
  }
})",
                      parts, changes);
}

ir::PrimFunc mixed(const TextParts& changes) {
  const TextParts parts = {{"outer", "1"},
                           {"inner", "32"},
                           {"row", "f // 8"},
                           {"term", "f % 8"},
                           {"init", "init { C[vi] = float32(0x0p+0) }"},
                           {"repeats", "1"}};
  return text_program(R"(func "mixed" scheduled {
  param A: float32[4, 8] global at param input
  param C: float32[4] global at param inout
  body {
    for k: int64 #0 in 0..$outer serial {
      for f: int64 #1 in 0..$inner serial {
        for r: int64 #2 in 0..$repeats serial {
          block "C" #3 compute (
              spatial vi: int64 in 0 +: 4 = $row,
              reduce vk: int64 in 0 +: 8 = $term)
              reads C[vi], A[vi, vk]
              writes C[vi]
              reducer sum(float32)
            $init
            body {
              update C[vi] by sum(float32) with A[vi, vk]
            }
        }
      }
    }
  }
})",
                      parts, changes);
}

}  // namespace tilewright::testing
