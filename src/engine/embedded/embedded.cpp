// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The bytes of models/revisit-tiny.safetensors as part of the program. Compiler caches do not look into .incbin: the build
// passes the file's hash on the command line (REVISIT_EMBEDDED_HASH), so that a different file gives a different command.
#include "revisit/embedded.h"

#include <cstddef>
#include <memory>
#include <span>

#include "engine/model/containers.h"
#include "engine/model/model_file.h"

asm(".section .rodata\n"
    ".balign 64\n"
    ".hidden revisit_embedded_begin\n"
    ".globl revisit_embedded_begin\n"
    "revisit_embedded_begin:\n"
    ".incbin \"" REVISIT_EMBEDDED_FILE
    "\"\n"
    ".hidden revisit_embedded_end\n"
    ".globl revisit_embedded_end\n"
    "revisit_embedded_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const std::byte revisit_embedded_begin[];
extern const std::byte revisit_embedded_end[];
}

namespace revisit {

Model embedded_model() {
  static const std::shared_ptr<const model::LoadedModel> loaded = [] {
    const std::span bytes(revisit_embedded_begin, revisit_embedded_end);
    auto model = std::make_shared<model::LoadedModel>(
        *model::to_model(model::parse_checkpoint(bytes, nullptr, kEmbeddedModel), kEmbeddedModel));
    model->source = kEmbeddedModel;
    return model;
  }();
  return Model(loaded);
}

}  // namespace revisit
