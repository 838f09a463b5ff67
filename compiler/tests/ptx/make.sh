#!/bin/sh
# Writes the fixtures anew, with each clang that is installed. Run it in this folder.
set -e
for v in 14 16 19 22; do
  command -v clang-$v >/dev/null || continue
  common="-S -fno-unroll-loops -mllvm -nvptx-prec-divf32=0 -mllvm -nvptx-prec-sqrtf32=0"
  # Version 19 is not optimised, version 16 has lines.
  level=-O2
  if [ $v = 19 ]; then level=-O0; fi
  if [ $v = 16 ]; then common="$common -gline-tables-only -fdebug-compilation-dir=. -fdebug-prefix-map=$(clang-$v -print-resource-dir)=clang"; fi
  clang-$v -x cuda -m32 --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_20 $level $common \
    -fgpu-flush-denormals-to-zero -Xclang -cl-single-precision-constant -Wno-unknown-cuda-version \
    features.cu -o features-clang$v.ptx
  clang-$v -x cl -cl-std=CL1.2 -target nvptx-unknown-nvcl -Xclang -target-cpu -Xclang sm_20 $level $common \
    -Xclang -fdenormal-fp-math-f32=preserve-sign -cl-single-precision-constant \
    features.cl -o spaces-clang$v.ptx
done
