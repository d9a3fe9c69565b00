// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Everything a program needs to recognise places. Measuring and training are in revisit/lab/.
#pragma once

#include "revisit/budget.h"
#include "revisit/decision.h"
#include "revisit/embedded.h"
#include "revisit/error.h"
#include "revisit/export.h"
#include "revisit/extractor.h"
#include "revisit/geo.h"
#include "revisit/image.h"
#include "revisit/index.h"
#include "revisit/ingest.h"
#include "revisit/local.h"
#include "revisit/model.h"
#include "revisit/photos.h"
#include "revisit/recognizer.h"
#include "revisit/sequence.h"
#include "revisit/spec.h"
#include "revisit/whitening.h"
