// CUDA C on the host, for the comparison of kernels that `tests/suites.py host` makes.
//
// The threads of a block are coroutines of one thread of the host: a barrier, a shuffle or a vote goes on to the next one. The first launch of each
// kernel is recorded: its parameters, and the contents of device memory before and after it. Device memory lies at fixed low addresses, and
// everything is compiled for a target of 32 bits, as the kernels of the compiler are; so the record is a launch of the model as it stands, with
// pointers in structs and in buffers.
//
// `rewrite.py` changes what is not C++: launches, `extern __shared__` arrays, and the places where a kernel is entered and a variable of
// device memory is defined.
#pragma once
#include "fibre/language.h"
#include "fibre/threads.h"
#include "fibre/memory.h"
#include "fibre/launch.h"
#include "fibre/device.h"
#include "fibre/math.h"
#include "fibre/warp.h"
#include "fibre/half.h"
#include "fibre/runtime.h"
#include "fibre/groups.h"
