// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How VGG networks are recognised in a foreign checkpoint.
#pragma once

#include "engine/model/conv_family.h"

namespace revisit::model {

const BackboneImporter& vgg_importer();

}  // namespace revisit::model
