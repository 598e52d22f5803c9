// What a key transform may be called, so that its name survives option strings.
#pragma once

#include <string>

namespace sstfilter {

bool IsKeyTransformName(const std::string& name);

}  // namespace sstfilter
