// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The methods a setting may name, one line each. The room that implements a method defines what it is called here:
// engine/reduce a ReducerFamily NAME_family.
#pragma once

#define REVISIT_REDUCERS(X) \
  X(weitop)                 \
  X(random)                 \
  X(norm)                   \
  X(fastv)                  \
  X(evit)                   \
  X(tome)                   \
  X(tofu)                   \
  X(dynamicvit)
