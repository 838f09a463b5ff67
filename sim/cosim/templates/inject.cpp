
// Fault injection: the chip's state and block outputs by number, in the order of sites.json.
#include "Vtop___024root.h"
#include "Vtop__Syms.h"
// Recomputes all combinational logic from state and inputs; what Verilator runs before the first edge.
void Vtop___024root___eval_settle(Vtop___024root* vlSelf);

namespace {

struct Site {
    uint8_t* at;
    uint32_t bytes, words;
    // Masks of an output's saboteur; null for state.
    uint8_t *keep, *flip;
    // Differences here do not count.
    bool ignored;
};

enum { ZERO, ONE, INVERSE, FLIP };

// Forces bits of one word while it acts: cycles [from, to), the first `active` of every `period`.
struct Force {
    uint32_t site, word, kind;
    uint64_t from, to, period, active;
    std::vector<uint8_t> mask, value;
    bool begun = false, on = false;

    bool acts(uint64_t c) const {
        return c >= from && c < to && (!period || (c - from) % period < active);
    }
};

struct Access {
    uint32_t address, old;
};

}  // namespace

struct Injection {
    std::vector<Site> sites;
    std::vector<Force> forces;
    uint64_t activated = ~0ull;
    bool journaling = false, watching = false;
    std::vector<Access> writes;
    std::vector<uint32_t> reads;
    // Bits of state, site by site as in an image, that were ever 0 and ever 1; outputs follow.
    std::vector<uint8_t> ever[2];
};

template <typename T> static Site state(T& t, uint32_t words) {
    return {reinterpret_cast<uint8_t*>(&t), static_cast<uint32_t>(sizeof(T) / words), words, nullptr, nullptr, false};
}
template <typename T> static Site output(T& raw, T& keep, T& flip) {
    return {reinterpret_cast<uint8_t*>(&raw), sizeof(T), 1, reinterpret_cast<uint8_t*>(&keep),
            reinterpret_cast<uint8_t*>(&flip), false};
}

static void inject_begin(Sim& s) {
    s.injection = new Injection;
    Vtop___024root& r = *s.top->rootp;
    s.injection->sites = {
{%- for site in sites %}
        {{ site }},
{%- endfor %}
    };
}
static void inject_end(Sim& s) {
    // The model's scopes leave the context of the thread, which is that of the simulation made last:
    // perhaps another one, perhaps freed by now.
    Verilated::threadContextp(&s.ctx);
    delete s.injection;
}

static void settle(Sim& s) { Vtop___024root___eval_settle(s.top->rootp); }

// Outputs are seen when the coming edge samples them.
static void inject_before_edge(Sim& s) {
    Injection& in = *s.injection;
    for (Force& f : in.forces) {
        const Site& site = in.sites[f.site];
        if (!f.on || !site.keep) continue;
        for (uint32_t i = 0; i < site.bytes; i++)
            if ((site.at[i] ^ f.value[i]) & f.mask[i] && s.cycle < in.activated) in.activated = s.cycle;
    }
    if (in.watching) {
        uint8_t *zero = in.ever[0].data(), *one = in.ever[1].data();
        for (const Site& site : in.sites)
            if (site.words == 1)
                for (uint32_t i = 0; i < site.bytes; i++) {
                    *zero++ |= ~site.at[i];
                    *one++ |= site.at[i];
                }
    }
}

static void inject_after_edge(Sim& s) {
    Injection& in = *s.injection;
    bool dirty = false;
    for (Force& f : in.forces) {
        const Site& site = in.sites[f.site];
        uint8_t* at = site.at + f.word * site.bytes;
        const bool acts = f.acts(s.cycle);
        if (acts && !f.begun) {
            f.begun = true;
            for (uint32_t i = 0; i < site.bytes; i++)
                f.value[i] = f.kind == ZERO ? 0 : f.kind == ONE ? 0xff : ~at[i];
        }
        if (site.keep) {
            if (acts == f.on) continue;
            for (uint32_t i = 0; i < site.bytes; i++) {
                site.keep[i] = acts ? site.keep[i] & ~f.mask[i] : site.keep[i] | f.mask[i];
                site.flip[i] = (site.flip[i] & ~f.mask[i]) | (acts ? f.value[i] & f.mask[i] : 0);
            }
            dirty = true;
        } else if (acts) {
            for (uint32_t i = 0; i < site.bytes; i++) {
                const uint8_t change = (at[i] ^ f.value[i]) & f.mask[i];
                if (!change) continue;
                at[i] ^= change;
                dirty = true;
                if (s.cycle < in.activated) in.activated = s.cycle;
            }
        }
        f.on = acts;
    }
    if (dirty) settle(s);
}

// What of the harness belongs to the state of a run.
struct Harness {
    uint64_t cycle, rng, last_due, stray, strays, count;
    Pending pending[{{ pending }}];
};

static uint32_t harness_get(Sim& s, Harness& h) {
    memset(static_cast<void*>(&h), 0, sizeof h);
    h.cycle = s.cycle, h.rng = s.rng, h.last_due = s.last_due, h.stray = s.stray, h.strays = s.strays;
    h.count = s.count;
    if (s.count > {{ pending }}) return 0;
    for (size_t i = 0; i < s.count; i++) h.pending[i] = s.ring[(s.head + i) & (s.ring.size() - 1)];
    return 1;
}

#pragma GCC visibility push(default)
extern "C" {
uint32_t ws_inject_sites(Sim* s) { return s->injection->sites.size(); }
// Bytes of a word of a site, 0 when there is none.
uint32_t ws_inject_bytes(Sim* s, uint32_t site) {
    return site < s->injection->sites.size() ? s->injection->sites[site].bytes : 0;
}
uint32_t ws_inject_words(Sim* s, uint32_t site) {
    return site < s->injection->sites.size() ? s->injection->sites[site].words : 0;
}
void ws_inject_get(Sim* s, uint32_t site, uint32_t word, uint8_t* to) {
    const Site& at = s->injection->sites[site];
    memcpy(to, at.at + word * at.bytes, at.bytes);
}
void ws_inject_put(Sim* s, uint32_t site, uint32_t word, const uint8_t* from) {
    const Site& at = s->injection->sites[site];
    memcpy(at.at + word * at.bytes, from, at.bytes);
}
void ws_inject_settle(Sim* s) { settle(*s); }
void ws_inject_ignore(Sim* s, uint32_t site) { s->injection->sites[site].ignored = true; }
// Adds a fault; kinds: 0 zero, 1 one, 2 inverse of what it was, 3 inverted once.
void ws_inject_force(Sim* s, uint32_t site, uint32_t word, uint32_t kind, const uint8_t* mask, uint64_t from,
                     uint64_t to, uint64_t period, uint64_t active) {
    Force f;
    f.site = site, f.word = word, f.kind = kind, f.from = from, f.to = to, f.period = period, f.active = active;
    if (kind == FLIP) f.to = from + 1;
    const uint32_t n = s->injection->sites[site].bytes;
    f.mask.assign(mask, mask + n);
    f.value.assign(n, 0);
    s->injection->forces.push_back(f);
    if (f.acts(s->cycle)) inject_after_edge(*s);
}
// Removes all faults and opens the saboteurs.
void ws_inject_clear(Sim* s) {
    Injection& in = *s->injection;
    for (Force& f : in.forces) {
        const Site& site = in.sites[f.site];
        if (!site.keep || !f.on) continue;
        for (uint32_t i = 0; i < site.bytes; i++) {
            site.keep[i] |= f.mask[i];
            site.flip[i] &= ~f.mask[i];
        }
    }
    in.forces.clear();
    in.activated = ~0ull;
}
uint64_t ws_inject_activated(Sim* s) { return s->injection->activated; }

// An image: the state site by site, inputs, harness.
uint64_t ws_image_bytes(Sim* s) {
    uint64_t n = sizeof(Harness){% for p in inputs %} + sizeof s->top->{{ p }}{% endfor %};
    for (const Site& site : s->injection->sites)
        if (!site.keep) n += uint64_t{site.bytes} * site.words;
    return n;
}
// 0 when more reads wait than an image holds.
uint32_t ws_image_save(Sim* s, uint8_t* to) {
    for (const Site& site : s->injection->sites)
        if (!site.keep) {
            const size_t n = size_t{site.bytes} * site.words;
            memcpy(to, site.at, n);
            to += n;
        }
{%- for p in inputs %}
    memcpy(to, &s->top->{{ p }}, sizeof s->top->{{ p }});
    to += sizeof s->top->{{ p }};
{%- endfor %}
    Harness h;
    const uint32_t fits = harness_get(*s, h);
    memcpy(to, &h, sizeof h);
    return fits;
}
void ws_image_load(Sim* s, const uint8_t* from) {
    for (const Site& site : s->injection->sites)
        if (!site.keep) {
            const size_t n = size_t{site.bytes} * site.words;
            memcpy(site.at, from, n);
            from += n;
        }
{%- for p in inputs %}
    memcpy(&s->top->{{ p }}, from, sizeof s->top->{{ p }});
    from += sizeof s->top->{{ p }};
{%- endfor %}
    Harness h;
    memcpy(&h, from, sizeof h);
    s->cycle = h.cycle, s->rng = h.rng, s->last_due = h.last_due, s->stray = h.stray, s->strays = h.strays;
    s->head = 0, s->count = h.count;
    for (size_t i = 0; i < h.count; i++) s->ring[i] = h.pending[i];
    s->used = 0;
    s->top->{{ clock }} = 1;
    settle(*s);
}
// Numbers of the sites that differ from an image, at most `most`, one word (of site `but`) left out; an
// inequality of the reads that wait counts as one more site. Returns how many were found.
uint32_t ws_image_differs(Sim* s, const uint8_t* image, uint32_t* found, uint32_t most, uint32_t but,
                          uint32_t word) {
    uint32_t n = 0, i = 0;
    for (const Site& site : s->injection->sites) {
        if (!site.keep) {
            const size_t bytes = size_t{site.bytes} * site.words;
            bool same;
            if (i == but) {
                const size_t from = size_t{site.bytes} * word, to = from + site.bytes;
                same = !memcmp(site.at, image, from) && !memcmp(site.at + to, image + to, bytes - to);
            } else {
                same = !memcmp(site.at, image, bytes);
            }
            if (!same && !site.ignored) {
                found[n++] = i;
                if (n == most) return n;
            }
            image += bytes;
        }
        i++;
    }
{%- for p in inputs %}
    image += sizeof s->top->{{ p }};
{%- endfor %}
    Harness now, then;
    memcpy(&then, image, sizeof then);
    if (!harness_get(*s, now) || now.count != then.count ||
        memcmp(now.pending, then.pending, now.count * sizeof(Pending)))
        found[n++] = i;
    return n;
}
// Whether a word of state differs from an image that has it at byte `offset`.
uint32_t ws_image_word(Sim* s, const uint8_t* image, uint64_t offset, uint32_t site, uint32_t word) {
    const Site& at = s->injection->sites[site];
    const size_t from = size_t{at.bytes} * word;
    return memcmp(at.at + from, image + offset + from, at.bytes) != 0;
}
// Byte of an image where a site of state begins.
uint64_t ws_image_offset(Sim* s, uint32_t site) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < site; i++) {
        const Site& at = s->injection->sites[i];
        if (!at.keep) n += uint64_t{at.bytes} * at.words;
    }
    return n;
}
// Accesses to the simulated memory are noted: words written with what they held, lines read.
void ws_journal(Sim* s, int on) {
    s->injection->journaling = on;
    s->injection->writes.clear();
    s->injection->reads.clear();
}
const uint32_t* ws_journal_writes(Sim* s, uint64_t* n) {
    *n = s->injection->writes.size();
    return reinterpret_cast<const uint32_t*>(s->injection->writes.data());
}
const uint32_t* ws_journal_reads(Sim* s, uint64_t* n) {
    *n = s->injection->reads.size();
    return s->injection->reads.data();
}
// Which bits of registers and outputs were ever 0 and ever 1, from now on; sites of one word, in order.
void ws_watch(Sim* s, int on) {
    Injection& in = *s->injection;
    size_t n = 0;
    for (const Site& site : in.sites)
        if (site.words == 1) n += site.bytes;
    in.watching = on;
    if (on)
        for (auto& e : in.ever) e.assign(n, 0);
}
const uint8_t* ws_watched(Sim* s, uint32_t value, uint64_t* n) {
    *n = s->injection->ever[value & 1].size();
    return s->injection->ever[value & 1].data();
}
}
#pragma GCC visibility pop
