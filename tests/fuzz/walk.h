// Walking all that an image shows, with the properties that hold for every image, however malformed.
#pragma once

#include <clrkit/core/bytes/span.h>
#include <clrkit/core/pe/image.h>
#include <clrkit/dotnet/metadata/metadata.h>
#include <clrkit/dotnet/model/module.h>

namespace clrkit::fuzz {

/// Streams, every cell of every table with what it refers to, the heaps, searches and indexes.
void walk_metadata(const Metadata& metadata);
/// Types with their members, as handles; attributes; coverage; the strong name.
void walk_module(const Module& module);
/// Headers, sections and all parts that the data directories lead to, each read, claimed and put
/// back where it was.
void walk_image(const pe::Image& image);

}  // namespace clrkit::fuzz
