/* perfetto_reader.h - reads a trace in Perfetto's format, by a table of field numbers of its own
 * (github.com/google/perfetto, protos/perfetto/trace). */
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

class PerfettoReader
{
  public:
    enum event_type { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };

    struct track {
        std::string name, unit;
        uint64_t parent = 0, rank = 0;
        bool counter = false;
    };
    struct event {
        uint64_t time_ns = 0, type = 0, track = 0;
        std::string name, category;
        std::map<std::string, uint64_t> number;
        std::map<std::string, std::string> text;
        std::vector<uint64_t> flows, last_flows;
        double value = 0;
        /* of phases: to the picosecond */
        uint64_t time_ps() const
        {
            return time_ns * 1000 + (number.count("ps") == 0 ? 0 : number.at("ps"));
        }
    };

    explicit PerfettoReader(const std::string &file)
    {
        for (const field &packet : fields(file)) {
            expect(packet.number == 1 && packet.type == 2, "a trace is packets");
            read_packet(packet.bytes);
        }
    }

    std::map<uint64_t, track> tracks;
    std::vector<event> events; /* in the order of the file */

    /* "board 0,0/chip 0,0/core 1 group" */
    std::string path(uint64_t number) const
    {
        const track &of = tracks.at(number);
        return of.parent == 0 ? of.name : path(of.parent) + "/" + of.name;
    }

  private:
    struct field {
        uint64_t number, type, value;
        std::string bytes;
    };

    static void expect(bool holds, const char *what)
    {
        if (!holds) {
            throw std::runtime_error(what);
        }
    }

    static uint64_t varint(const std::string &text, size_t &at)
    {
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            expect(at < text.size() && shift < 64, "a varint ends");
            const auto byte = static_cast<unsigned char>(text[at++]);
            value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) {
                return value;
            }
        }
    }

    static std::vector<field> fields(const std::string &text)
    {
        std::vector<field> list;
        for (size_t at = 0; at < text.size();) {
            const uint64_t tag = varint(text, at);
            field next = {tag >> 3, tag & 7, 0, ""};
            if (next.type == 0) {
                next.value = varint(text, at);
            } else if (next.type == 1) {
                expect(text.size() - at >= 8, "8 bytes are there");
                std::memcpy(&next.value, text.data() + at, 8);
                at += 8;
            } else {
                expect(next.type == 2, "no other type is written");
                const uint64_t length = varint(text, at);
                expect(text.size() - at >= length, "a field ends");
                next.bytes = text.substr(at, length);
                at += length;
            }
            list.push_back(next);
        }
        return list;
    }

    static void read_names(const std::string &text, std::map<uint64_t, std::string> *lists)
    {
        for (const field &list : fields(text)) {
            expect(list.number >= 1 && list.number <= 3, "a list of names that we know");
            uint64_t number = 0;
            std::string name;
            for (const field &part : fields(list.bytes)) {
                number = part.number == 1 ? part.value : number;
                name = part.number == 2 ? part.bytes : name;
            }
            expect(number != 0 && lists[list.number].emplace(number, name).second, "a new name");
        }
    }

    void read_track(const std::string &text)
    {
        track read;
        uint64_t number = 0;
        for (const field &part : fields(text)) {
            number = part.number == 1 ? part.value : number;
            read.name = part.number == 2 ? part.bytes : read.name;
            read.parent = part.number == 5 ? part.value : read.parent;
            read.rank = part.number == 12 ? part.value : read.rank;
            expect(part.number != 11 || part.value == 3, "ordered by rank");
            if (part.number == 8) {
                read.counter = true;
                for (const field &unit : fields(part.bytes)) {
                    expect(unit.number == 6, "a unit");
                    read.unit = unit.bytes;
                }
            }
        }
        expect(number != 0 && tracks.emplace(number, read).second, "a new track");
        expect(read.parent == 0 || tracks.count(read.parent) == 1, "below a known one");
    }

    void read_argument(const std::string &text, event &of)
    {
        std::string name;
        for (const field &part : fields(text)) {
            if (part.number == 1) {
                name = names_[3].at(part.value);
            } else if (part.number == 3 || part.number == 7) {
                of.number[name] = part.value;
            } else {
                expect(part.number == 6, "an argument that we know");
                of.text[name] = part.bytes;
            }
        }
    }

    void read_event(const std::string &text, uint64_t time_ns, bool has_names)
    {
        event read;
        read.time_ns = time_ns;
        for (const field &part : fields(text)) {
            switch (part.number) {
            case 3:
                read.category = names_[1].at(part.value);
                break;
            case 4:
                read_argument(part.bytes, read);
                break;
            case 9:
                read.type = part.value;
                break;
            case 10:
                read.name = names_[2].at(part.value);
                break;
            case 11:
                read.track = part.value;
                break;
            case 23:
                read.name = part.bytes;
                break;
            case 44:
                std::memcpy(&read.value, &part.value, 8);
                break;
            case 47:
                read.flows.push_back(part.value);
                break;
            case 48:
                read.last_flows.push_back(part.value);
                break;
            default:
                expect(false, "a field of an event that we know");
            }
            const bool needs = part.number == 3 || part.number == 4 || part.number == 10;
            expect(!needs || has_names, "a packet that uses names says so");
        }
        expect(tracks.count(read.track) == 1, "on a known track");
        events.push_back(read);
    }

    void read_packet(const std::string &text)
    {
        uint64_t time_ns = 0;
        uint64_t flags = 0;
        for (const field &part : fields(text)) {
            switch (part.number) {
            case 8:
                time_ns = part.value;
                break;
            case 10:
                expect(part.value == 1, "one sequence");
                break;
            case 13:
                flags = part.value;
                break;
            case 12:
                expect(flags == 1 && tracks.empty(), "names come first");
                read_names(part.bytes, names_);
                break;
            case 60:
                read_track(part.bytes);
                break;
            case 11:
                read_event(part.bytes, time_ns, flags == 2);
                break;
            default:
                expect(false, "a field of a packet that we know");
            }
        }
    }

    std::map<uint64_t, std::string> names_[4];
};
