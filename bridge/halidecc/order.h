// Where the lanes of a block have to wait for each other between their accesses to a warp's scratch.
#ifndef GOWARP_ORDER_H
#define GOWARP_ORDER_H

#include "place.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gowarp {

// What was read and written since the last barrier, and whose registers lie where. Statements note what they access, and then
// ask whether a barrier has to stand before it.
class Order {
public:
    explicit Order(const Places &places) : places_(places) {}

    void read(const std::string &name, int slot, bool own) { reads_.push_back({name, slot, own}); }  // own: each lane its own
    void write(const std::string &name, int slot) { writes_.push_back({name, slot, true}); }

    // Whether what was noted as read may have been written by another lane since the last barrier.
    bool wait_to_read();
    // Whether what was noted as written may still be read, or be overwritten for another.
    bool wait_to_write();

private:
    struct Access {
        std::string name;
        int slot;
        bool own;
    };
    using Bytes = std::vector<std::pair<int, int>>;

    static bool overlaps(const Bytes &all, const Place &p, int slot);
    void mark(Bytes &all, const Access &a);
    void barrier();

    const Places &places_;
    std::vector<Access> reads_, writes_;                 // noted
    Bytes read_, written_;                               // since the last barrier
    std::map<int, std::pair<std::string, int>> owners_;  // by the first byte: whose register it is
};

}  // namespace gowarp

#endif
