// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A bounded reader of TIFF directories and the rules that make a field valid. Offsets come from the file, so every
// read is checked and directories are visited once; the chain of further pictures (thumbnails) is never followed.
#include "core/image/exif.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/base/limits.h"

namespace revisit {
namespace {

enum Tag : std::uint16_t {
  kOrientation = 0x0112,
  kDateTime = 0x0132,
  kExifDirectory = 0x8769,
  kGpsDirectory = 0x8825,
  kDateTimeOriginal = 0x9003,
  kGpsLatitudeRef = 1,
  kGpsLatitude = 2,
  kGpsLongitudeRef = 3,
  kGpsLongitude = 4,
  kGpsAltitudeRef = 5,
  kGpsAltitude = 6,
  kGpsImgDirectionRef = 16,
  kGpsImgDirection = 17,
};

enum Type : std::uint16_t { kByte = 1, kAscii = 2, kShort = 3, kLong = 4, kRational = 5, kSignedRational = 10 };

constexpr std::array<std::uint64_t, 13> kTypeBytes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
constexpr std::uint64_t kEntryBytes = 12;
constexpr double kMaxAltitudeM = 100'000;

struct Entry {
  std::uint16_t type = 0;
  std::uint32_t count = 0;
  std::uint64_t offset = 0;  // of its values
};
using Directory = std::map<std::uint16_t, Entry>;

class ExifReader {
 public:
  ExifReader(std::span<const std::byte> bytes, PhotoInfo& info) : bytes_(bytes), info_(info) {}

  void read() {
    if (bytes_.size() < 8) return note("EXIF ignored: {} bytes are too few for its header", bytes_.size());
    const auto order = std::pair(bytes_[0], bytes_[1]);
    if (order != std::pair(std::byte{'I'}, std::byte{'I'}) && order != std::pair(std::byte{'M'}, std::byte{'M'})) {
      return note("EXIF ignored: it starts with neither II nor MM");
    }
    big_endian_ = order.first == std::byte{'M'};
    if (u16(2) != 42) return note("EXIF ignored: its header holds {} instead of 42", u16(2));

    const Directory main = directory(u32(4), "IFD0");
    const Directory exif = child(main, kExifDirectory, "ExifIFD");
    const Directory gps = child(main, kGpsDirectory, "GPSIFD");
    read_orientation(main);
    read_position(gps);
    read_altitude(gps);
    read_heading(gps);
    info_.time = time(exif, kDateTimeOriginal, "DateTimeOriginal");
    if (!info_.time) info_.time = time(main, kDateTime, "DateTime");
  }

 private:
  template <typename... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    info_.notes.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  bool holds(std::uint64_t offset, std::uint64_t count) const {
    return offset <= bytes_.size() && count <= bytes_.size() - offset;
  }

  // The three readers below are only called where holds() has said yes.
  std::uint8_t u8(std::uint64_t at) const { return std::to_integer<std::uint8_t>(bytes_[at]); }
  std::uint16_t u16(std::uint64_t at) const {
    const unsigned a = u8(at);
    const unsigned b = u8(at + 1);
    return static_cast<std::uint16_t>(big_endian_ ? a << 8 | b : b << 8 | a);
  }
  std::uint32_t u32(std::uint64_t at) const {
    const std::uint32_t a = u16(at);
    const std::uint32_t b = u16(at + 2);
    return big_endian_ ? a << 16 | b : b << 16 | a;
  }

  Directory directory(std::uint64_t offset, const char* name) {
    Directory out;
    for (std::size_t i = 0; i < num_visited_; ++i) {
      if (visited_[i] == offset) {
        note("EXIF {} ignored: its offset {} loops back to a directory already read", name, offset);
        return out;
      }
    }
    visited_[num_visited_++] = offset;  // at most three calls are made
    if (!holds(offset, 2)) {
      note("EXIF {} ignored: its offset {} lies past the end of {} bytes", name, offset, bytes_.size());
      return out;
    }
    std::uint64_t count = u16(offset);
    if (count > limits::kMaxExifEntries) {
      note("EXIF {} ignored: it has {} entries, the limit is {}", name, count, limits::kMaxExifEntries);
      return out;
    }
    const std::uint64_t there = (bytes_.size() - offset - 2) / kEntryBytes;
    if (count > there) {
      note("EXIF {} is cut short: {} of {} entries are there", name, there, count);
      count = there;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = offset + 2 + i * kEntryBytes;
      Entry entry{.type = u16(at + 2), .count = u32(at + 4), .offset = at + 8};
      if (bytes_of(entry) > 4) entry.offset = u32(at + 8);
      out.emplace(u16(at), entry);  // the first of two equal tags counts
    }
    return out;
  }

  static std::uint64_t bytes_of(const Entry& entry) {
    return entry.type < kTypeBytes.size() ? kTypeBytes[entry.type] * entry.count : 0;
  }

  Directory child(const Directory& main, Tag tag, const char* name) {
    const auto offset = integer(main, tag, name);
    return offset ? directory(*offset, name) : Directory{};
  }

  // The entry, if it is there, of a type that fits and with its values inside the data.
  const Entry* find(const Directory& from, Tag tag, const char* name, bool (*type_fits)(std::uint16_t), std::uint32_t min_count) {
    const auto found = from.find(tag);
    if (found == from.end()) return nullptr;
    const Entry& entry = found->second;
    if (!type_fits(entry.type) || entry.count < min_count) {
      note("EXIF {} ignored: type {} with {} values is not what it should hold", name, entry.type, entry.count);
      return nullptr;
    }
    if (!holds(entry.offset, bytes_of(entry))) {
      note("EXIF {} ignored: its value at byte {} lies past the end of {} bytes", name, entry.offset, bytes_.size());
      return nullptr;
    }
    return &entry;
  }

  std::optional<std::uint32_t> integer(const Directory& from, Tag tag, const char* name) {
    const Entry* entry = find(
        from, tag, name, [](std::uint16_t t) { return t == kByte || t == kShort || t == kLong; }, 1);
    if (entry == nullptr) return std::nullopt;
    if (entry->type == kByte) return u8(entry->offset);
    return entry->type == kShort ? u16(entry->offset) : u32(entry->offset);
  }

  std::optional<std::string> text(const Directory& from, Tag tag, const char* name) {
    const Entry* entry = find(
        from, tag, name, [](std::uint16_t t) { return t == kAscii; }, 1);
    if (entry == nullptr) return std::nullopt;
    constexpr std::uint32_t kLongest = 32;  // no field read here is longer
    std::string out;
    for (std::uint32_t i = 0; i < entry->count && i < kLongest && u8(entry->offset + i) != 0; ++i) {
      out.push_back(static_cast<char>(u8(entry->offset + i)));
    }
    return out;
  }

  // The first `count` rationals; a zero denominator makes the field invalid.
  template <std::size_t count>
  std::optional<std::array<double, count>> rationals(const Directory& from, Tag tag, const char* name) {
    const Entry* entry = find(
        from, tag, name, [](std::uint16_t t) { return t == kRational || t == kSignedRational; }, count);
    if (entry == nullptr) return std::nullopt;
    std::array<double, count> out{};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t above = u32(entry->offset + 8 * i);
      const std::uint32_t below = u32(entry->offset + 8 * i + 4);
      if (below == 0) {
        note("EXIF {} ignored: denominator 0", name);
        return std::nullopt;
      }
      out[i] = entry->type == kRational
                   ? static_cast<double>(above) / static_cast<double>(below)
                   : static_cast<double>(static_cast<std::int32_t>(above)) / static_cast<std::int32_t>(below);
    }
    return out;
  }

  void read_orientation(const Directory& main) {
    const auto value = integer(main, kOrientation, "Orientation");
    if (!value) return;
    if (*value < 1 || *value > 8) return note("EXIF Orientation ignored: {} is not in 1..8", *value);
    info_.orientation = static_cast<int>(*value);
  }

  // Degrees, minutes and seconds with their hemisphere, as signed degrees.
  std::optional<double> angle(const Directory& gps, Tag tag, Tag ref_tag, const char* name, std::string_view hemispheres,
                              double limit) {
    const auto parts = rationals<3>(gps, tag, name);
    if (!parts) return std::nullopt;
    const auto ref = text(gps, ref_tag, name);
    const auto side = ref && ref->size() == 1 ? hemispheres.find((*ref)[0]) : std::string_view::npos;
    if (side == std::string_view::npos) {
      note("EXIF {} ignored: its reference is '{}' instead of {} or {}", name, ref ? printable(*ref) : "missing", hemispheres[0],
           hemispheres[1]);
      return std::nullopt;
    }
    const auto [degrees, minutes, seconds] = *parts;
    const double value = degrees + minutes / 60 + seconds / 3600;
    const bool valid = degrees >= 0 && minutes >= 0 && minutes <= 60 && seconds >= 0 && seconds <= 60 && value <= limit;
    if (!valid) {
      note("EXIF {} ignored: {} degrees {} minutes {} seconds is not in 0..{}", name, degrees, minutes, seconds, limit);
      return std::nullopt;
    }
    return side == 0 ? value : -value;
  }

  void read_position(const Directory& gps) {
    const auto lat = angle(gps, kGpsLatitude, kGpsLatitudeRef, "GPSLatitude", "NS", 90);
    const auto lon = angle(gps, kGpsLongitude, kGpsLongitudeRef, "GPSLongitude", "EW", 180);
    if (lat && lon) {
      info_.lat_deg = lat;
      info_.lon_deg = lon;
    } else if (lat || lon) {
      note("EXIF {} ignored: there is no valid {}", lat ? "GPSLatitude" : "GPSLongitude", lat ? "GPSLongitude" : "GPSLatitude");
    }
  }

  void read_altitude(const Directory& gps) {
    const auto height = rationals<1>(gps, kGpsAltitude, "GPSAltitude");
    if (!height) return;
    const auto below_sea = integer(gps, kGpsAltitudeRef, "GPSAltitudeRef");
    if (below_sea && *below_sea > 1) return note("EXIF GPSAltitude ignored: its reference is {} instead of 0 or 1", *below_sea);
    const double value = below_sea == 1u ? -(*height)[0] : (*height)[0];
    if (!(value >= -kMaxAltitudeM && value <= kMaxAltitudeM)) {
      return note("EXIF GPSAltitude ignored: {} m is not within {} m", value, kMaxAltitudeM);
    }
    info_.altitude_m = value;
  }

  void read_heading(const Directory& gps) {
    const auto direction = rationals<1>(gps, kGpsImgDirection, "GPSImgDirection");
    if (!direction) return;
    const double value = (*direction)[0];
    if (!(value >= 0 && value <= 360)) return note("EXIF GPSImgDirection ignored: {} is not in 0..360", value);
    info_.heading_deg = value;
    if (text(gps, kGpsImgDirectionRef, "GPSImgDirectionRef") == "M") note("EXIF GPSImgDirection is relative to magnetic north");
  }

  // "YYYY:MM:DD HH:MM:SS" to "YYYY-MM-DDTHH:MM:SS". Cameras write blanks for "unknown": no note for them.
  std::optional<std::string> time(const Directory& from, Tag tag, const char* name) {
    const auto value = text(from, tag, name);
    if (!value || value->find_first_not_of(" :") == std::string::npos) return std::nullopt;
    static constexpr std::string_view kPattern = "dddd:dd:dd dd:dd:dd";
    bool valid = value->size() >= kPattern.size();
    for (std::size_t i = 0; valid && i < kPattern.size(); ++i) {
      const char c = (*value)[i];
      const bool digit = c >= '0' && c <= '9';
      valid = kPattern[i] == 'd' ? digit : kPattern[i] == ':' ? c == ':' || c == '-' : c == ' ' || c == 'T';
    }
    const auto number = [&](std::size_t at) { return ((*value)[at] - '0') * 10 + ((*value)[at + 1] - '0'); };
    valid = valid && number(5) >= 1 && number(5) <= 12 && number(8) >= 1 && number(8) <= 31 && number(11) <= 23 &&
            number(14) <= 59 && number(17) <= 60;
    if (!valid) {
      note("EXIF {} ignored: '{}' is not a date and time", name, printable(*value));
      return std::nullopt;
    }
    const std::string_view v = *value;
    return fmt::format("{}-{}-{}T{}:{}:{}", v.substr(0, 4), v.substr(5, 2), v.substr(8, 2), v.substr(11, 2), v.substr(14, 2),
                       v.substr(17, 2));
  }

  // Notes reach terminals and JSON: nothing but printable ASCII leaves this file.
  static std::string printable(std::string text) {
    for (char& c : text) {
      if (c < 0x20 || c > 0x7e) c = '?';
    }
    return text;
  }

  std::span<const std::byte> bytes_;
  PhotoInfo& info_;
  bool big_endian_ = false;
  std::array<std::uint64_t, 3> visited_{};
  std::size_t num_visited_ = 0;
};

}  // namespace

void read_exif(std::span<const std::byte> tiff, PhotoInfo& info) { ExifReader(tiff, info).read(); }

}  // namespace revisit
