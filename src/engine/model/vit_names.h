// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Foreign names of the tensors of a vision transformer.
#pragma once

#include "engine/model/key_names.h"

namespace revisit::model {

const Naming& hub_naming();           ///< torch-hub DINOv2 (blocks.0.attn.qkv.weight), which timm shares
const Naming& hugging_face_naming();  ///< Dinov2Model (encoder.layer.0.attention.attention.query.weight)

}  // namespace revisit::model
