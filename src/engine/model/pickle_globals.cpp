// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Tables behind pickle_globals.h.
#include "engine/model/pickle_globals.h"

#include <algorithm>
#include <array>
#include <utility>

namespace revisit::model {
namespace {

using namespace std::string_view_literals;

constexpr std::array kOpcodeNames = {
    std::pair{'(', "MARK"sv},
    std::pair{'.', "STOP"sv},
    std::pair{'0', "POP"sv},
    std::pair{'1', "POP_MARK"sv},
    std::pair{'2', "DUP"sv},
    std::pair{'F', "FLOAT"sv},
    std::pair{'I', "INT"sv},
    std::pair{'J', "BININT"sv},
    std::pair{'K', "BININT1"sv},
    std::pair{'L', "LONG"sv},
    std::pair{'M', "BININT2"sv},
    std::pair{'N', "NONE"sv},
    std::pair{'P', "PERSID"sv},
    std::pair{'Q', "BINPERSID"sv},
    std::pair{'R', "REDUCE"sv},
    std::pair{'S', "STRING"sv},
    std::pair{'T', "BINSTRING"sv},
    std::pair{'U', "SHORT_BINSTRING"sv},
    std::pair{'V', "UNICODE"sv},
    std::pair{'X', "BINUNICODE"sv},
    std::pair{'a', "APPEND"sv},
    std::pair{'b', "BUILD"sv},
    std::pair{'c', "GLOBAL"sv},
    std::pair{'d', "DICT"sv},
    std::pair{'}', "EMPTY_DICT"sv},
    std::pair{'e', "APPENDS"sv},
    std::pair{'g', "GET"sv},
    std::pair{'h', "BINGET"sv},
    std::pair{'i', "INST"sv},
    std::pair{'j', "LONG_BINGET"sv},
    std::pair{'l', "LIST"sv},
    std::pair{']', "EMPTY_LIST"sv},
    std::pair{'o', "OBJ"sv},
    std::pair{'p', "PUT"sv},
    std::pair{'q', "BINPUT"sv},
    std::pair{'r', "LONG_BINPUT"sv},
    std::pair{'s', "SETITEM"sv},
    std::pair{'t', "TUPLE"sv},
    std::pair{')', "EMPTY_TUPLE"sv},
    std::pair{'u', "SETITEMS"sv},
    std::pair{'G', "BINFLOAT"sv},
    std::pair{'B', "BINBYTES"sv},
    std::pair{'C', "SHORT_BINBYTES"sv},
};

// Opcodes 0x80 to 0x98 without a gap.
constexpr std::array kHighOpcodeNames = {
    "PROTO"sv,
    "NEWOBJ"sv,
    "EXT1"sv,
    "EXT2"sv,
    "EXT4"sv,
    "TUPLE1"sv,
    "TUPLE2"sv,
    "TUPLE3"sv,
    "NEWTRUE"sv,
    "NEWFALSE"sv,
    "LONG1"sv,
    "LONG4"sv,
    "SHORT_BINUNICODE"sv,
    "BINUNICODE8"sv,
    "BINBYTES8"sv,
    "EMPTY_SET"sv,
    "ADDITEMS"sv,
    "FROZENSET"sv,
    "NEWOBJ_EX"sv,
    "STACK_GLOBAL"sv,
    "MEMOIZE"sv,
    "FRAME"sv,
    "BYTEARRAY8"sv,
    "NEXT_BUFFER"sv,
    "READONLY_BUFFER"sv,
};

constexpr std::array kStorages = {
    std::pair{"torch.DoubleStorage"sv, DType::kF64}, std::pair{"torch.FloatStorage"sv, DType::kF32},
    std::pair{"torch.HalfStorage"sv, DType::kF16},   std::pair{"torch.BFloat16Storage"sv, DType::kBF16},
    std::pair{"torch.LongStorage"sv, DType::kI64},   std::pair{"torch.IntStorage"sv, DType::kI32},
    std::pair{"torch.ShortStorage"sv, DType::kI16},  std::pair{"torch.CharStorage"sv, DType::kI8},
    std::pair{"torch.ByteStorage"sv, DType::kU8},    std::pair{"torch.BoolStorage"sv, DType::kBool},
};

constexpr std::array kOpaquePackages = {"torch"sv,   "numpy"sv,     "collections"sv,      "argparse"sv,
                                        "pathlib"sv, "omegaconf"sv, "pytorch_lightning"sv};
constexpr std::array kForbiddenPackages = {"torch.hub"sv, "torch.jit"sv, "torch.package"sv};
constexpr std::array kOpaqueNames = {"_codecs.encode"sv, "__builtin__.set"sv, "builtins.set"sv};

constexpr std::array kNumpyNames = {"numpy.core.multiarray._reconstruct"sv,
                                    "numpy._core.multiarray._reconstruct"sv,
                                    "numpy.core.multiarray.scalar"sv,
                                    "numpy._core.multiarray.scalar"sv,
                                    "numpy.ndarray"sv,
                                    "numpy.dtype"sv,
                                    "_codecs.encode"sv,
                                    "__builtin__.bytes"sv,
                                    "builtins.bytes"sv};  // the last two stand for no bytes at all in protocol 2

bool is_in_package(std::string_view full_name, std::string_view package) {
  return full_name == package || (full_name.starts_with(package) && full_name[package.size()] == '.');
}

bool is_identifier_path(std::string_view text) {
  const auto ok = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return !text.empty() && std::ranges::all_of(text, ok);
}

}  // namespace

std::string_view opcode_name(std::uint8_t opcode) {
  if (opcode >= 0x80) {
    const std::size_t index = opcode - 0x80U;
    return index < kHighOpcodeNames.size() ? kHighOpcodeNames[index] : std::string_view();
  }
  const auto* found = std::ranges::find(kOpcodeNames, static_cast<char>(opcode), &std::pair<char, std::string_view>::first);
  return found == kOpcodeNames.end() ? std::string_view() : found->second;
}

std::optional<DType> storage_dtype(std::string_view full_name) {
  for (const auto& [name, dtype] : kStorages) {
    if (name == full_name) return dtype;
  }
  return std::nullopt;
}

GlobalRole role_of_global(std::string_view module, std::string_view name, PickleRules rules) {
  // A dot in the name is an attribute chain ("torch", "hub.load"): it could reach anything.
  if (!is_identifier_path(module) || !is_identifier_path(name) || name.find('.') != std::string_view::npos)
    return GlobalRole::kForbidden;
  const std::string full = std::string(module) + "." + std::string(name);
  if (rules == PickleRules::kNumpy)
    return std::ranges::find(kNumpyNames, full) != kNumpyNames.end() ? GlobalRole::kKept : GlobalRole::kForbidden;
  if (full == "collections.OrderedDict") return GlobalRole::kOrderedDict;
  if (full == "torch._utils._rebuild_tensor_v2") return GlobalRole::kRebuildTensor;
  if (full == "torch._utils._rebuild_parameter") return GlobalRole::kRebuildParameter;
  if (storage_dtype(full)) return GlobalRole::kStorageType;
  const auto inside = [&](std::string_view package) { return is_in_package(full, package); };
  if (std::ranges::any_of(kForbiddenPackages, inside)) return GlobalRole::kForbidden;
  if (std::ranges::find(kOpaqueNames, full) != kOpaqueNames.end() || std::ranges::any_of(kOpaquePackages, inside))
    return GlobalRole::kOpaque;
  return GlobalRole::kForbidden;
}

}  // namespace revisit::model
