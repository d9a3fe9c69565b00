// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names the kind of a file from its first bytes. The extension never matters.
#include <array>
#include <cstring>
#include <string_view>

#include "core/image/codec.h"

namespace revisit {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view start;
  std::string_view what;
};

constexpr std::array kOthers = {
    Magic{"BM"sv, "a BMP file"},
    Magic{"GIF8"sv, "a GIF file"},
    Magic{"II*\0"sv, "a TIFF file"},
    Magic{"MM\0*"sv, "a TIFF file"},
    Magic{"II+\0"sv, "a BigTIFF file"},
    Magic{"MM\0+"sv, "a BigTIFF file"},
    Magic{"\0\0\0\x0cjP  "sv, "a JPEG 2000 file"},
    Magic{"\xff\x4f\xff\x51"sv, "a JPEG 2000 file"},
    Magic{"\0\0\0\x0cJXL "sv, "a JPEG XL file"},
    Magic{"\xff\x0a"sv, "a JPEG XL file"},
    Magic{"\x8aMNG"sv, "an MNG file"},
    Magic{"\x8bJNG"sv, "a JNG file"},
    Magic{"\0\0\1\0"sv, "an ICO file"},
    Magic{"8BPS"sv, "a Photoshop file"},
    Magic{"\x76\x2f\x31\x01"sv, "an OpenEXR file"},
    Magic{"#?RADIANCE"sv, "a Radiance HDR file"},
    Magic{"qoif"sv, "a QOI file"},
    Magic{"DDS "sv, "a DDS file"},
    Magic{"%PDF"sv, "a PDF file"},
    Magic{"PK\3\4"sv, "a ZIP archive"},
    Magic{"\x1f\x8b"sv, "a gzip file"},
    Magic{"RIFF"sv, "a RIFF file other than WebP"},
    Magic{"\x1a\x45\xdf\xa3"sv, "a Matroska or WebM video"},
};

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// ISO media files: a length, "ftyp", then the brand.
std::string_view name_of_brand(std::string_view brand) {
  if (brand == "avif" || brand == "avis") return "an AVIF file";
  for (const std::string_view heif : {"heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"}) {
    if (brand == heif) return "a HEIC file";
  }
  if (brand == "crx ") return "a Canon raw file";
  return "a video (MP4 or QuickTime)";
}

bool looks_like_text(std::string_view text) {
  for (const char c : text.substr(0, 64)) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 && c != '\n' && c != '\r' && c != '\t') return false;
  }
  return true;
}

std::string_view name_of_other(std::string_view head) {
  if (head.empty()) return "empty";
  if (head.size() >= 12 && head.substr(4, 4) == "ftyp") return name_of_brand(head.substr(8, 4));
  for (const Magic& magic : kOthers) {
    if (starts_with(head, magic.start)) return magic.what;
  }
  if (head.size() >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' && (head[2] == '\n' || head[2] == ' ')) {
    return "a PNM file";
  }
  if (looks_like_text(head)) return head[0] == '<' ? "an HTML, XML or SVG file" : "a text file";
  return "of an unknown kind";
}

}  // namespace

Sniffed sniff(std::span<const std::byte> bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 256));
  if (starts_with(head, "\xff\xd8\xff"sv)) return {FileKind::kJpeg, "a JPEG file"};
  if (starts_with(head, "\x89PNG\r\n\x1a\n"sv)) return {FileKind::kPng, "a PNG file"};
  if (head.size() >= 12 && starts_with(head, "RIFF"sv) && head.substr(8, 4) == "WEBP"sv) return {FileKind::kWebp, "a WebP file"};
  return {FileKind::kOther, std::string(name_of_other(head))};
}

}  // namespace revisit
