// play_simgrid.cc -- schedules played by SimGrid (S4U): an Exec per task, a Comm per version and
// hop, a successor per dependency and per neighbour on a processor.
#include "play_simgrid.h"

#include <map>
#include <set>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace
{
// SimGrid compares amounts with an absolute precision of 1e-5 and counts whole bytes
const double scale = 1e9;

struct Machine {
    std::vector<sg4::Host *> memory, proc;
};

Machine make_machine(const play_case &c, const sg4::NetZone *root, const std::string &name)
{
    const tgs_platform_view *p = c.v->p;
    const auto policy =
        c.fair ? sg4::Link::SharingPolicy::SHARED : sg4::Link::SharingPolicy::FATPIPE;
    sg4::NetZone *zone = sg4::create_full_zone(name)->set_parent(root);
    std::vector<sg4::Link *> bus;
    Machine m;

    for (int i = 0; i < p->memories; i++)
        m.memory.push_back(zone->create_host(name + ".m" + std::to_string(i), scale)->seal());
    for (int i = 0; i < p->procs; i++)
        m.proc.push_back(zone->create_host(name + ".p" + std::to_string(i), scale)->seal());
    for (int i = 0; i < p->buses; i++)
        bus.push_back(
            zone->create_link(name + ".b" + std::to_string(i), p->bus[i].bandwidth * scale)
                ->set_latency(0)
                ->set_sharing_policy(policy)
                ->seal());
    for (int i = 0; i < p->links; i++) {
        const tgs_link &l = p->link[i];
        std::vector<sg4::LinkInRoute> route;

        route.emplace_back(zone->create_link(name + ".l" + std::to_string(i), l.bandwidth * scale)
                               ->set_latency(l.latency)
                               ->set_sharing_policy(policy)
                               ->seal());
        if (l.bus >= 0)
            route.emplace_back(bus[static_cast<size_t>(l.bus)]);
        zone->add_route(m.memory[static_cast<size_t>(l.from)]->get_netpoint(),
                        m.memory[static_cast<size_t>(l.to)]->get_netpoint(), nullptr, nullptr,
                        route, false);
    }
    zone->seal();
    return m;
}

class Player
{
  public:
    Player(const play_case &c, const Machine &m) : c_(c), m_(m)
    {
    }

    void build()
    {
        const tgs_graph_view *g = c_.v->g;
        std::vector<int> writer(static_cast<size_t>(g->accesses), -1);

        for (int t = 0; t < g->tasks; t++) {
            exec_.push_back(
                sg4::Exec::init()->set_flops_amount(tgs_w(c_.v, t, c_.s->place[t].proc) * scale));
            for (int i = g->access_at[t]; i < g->access_at[t + 1]; i++)
                writer[static_cast<size_t>(i)] = t;
        }
        for (int q = 0; q < c_.s->procs; q++)
            for (int i = c_.s->order_at[q] + 1; i < c_.s->order_at[q + 1]; i++)
                precede(exec(c_.s->order[i - 1]), exec(c_.s->order[i]));
        for (int t = 0; t < g->tasks; t++) {
            for (int e = g->pred_at[t]; e < g->pred_at[t + 1]; e++)
                if (g->pred_datum[e] < 0)
                    precede(exec(g->pred[e]), exec(t));
            for (int i = g->access_at[t]; i < g->access_at[t + 1]; i++)
                if (g->access[i].mode & TGS_R)
                    read(t, i, writer);
        }
    }

    void start() // hosts only now: what has one and waits for nothing starts at once
    {
        for (auto &h : hop_) {
            h.comm->set_source(m_.memory[static_cast<size_t>(h.from)]);
            h.comm->set_destination(m_.memory[static_cast<size_t>(h.to)]);
            h.comm->vetoable_start();
        }
        for (size_t t = 0; t < exec_.size(); t++) {
            exec_[t]->set_host(m_.proc[static_cast<size_t>(c_.s->place[t].proc)]);
            exec_[t]->vetoable_start();
        }
        begin_->set_host(m_.proc[0]);
        begin_->vetoable_start();
    }

    void tell() const
    {
        for (size_t t = 0; t < exec_.size(); t++)
            c_.end[t] = exec_[t]->get_finish_time();
    }

  private:
    struct Hop {
        sg4::CommPtr comm;
        int from, to;
    };

    sg4::ExecPtr &exec(int t)
    {
        return exec_[static_cast<size_t>(t)];
    }

    // SimGrid refuses an edge given twice
    template <class Before> void precede(const Before &a, const sg4::ActivityPtr &b)
    {
        if (edge_.insert({a.get(), b.get()}).second)
            a->add_successor(b);
    }

    void read(int t, int access, const std::vector<int> &writer)
    {
        const tgs_graph_view *g = c_.v->g;
        const tgs_platform_view *p = c_.v->p;
        const int datum = static_cast<int>(g->access[access].datum);
        const int version = g->access[access].version;
        const int made = version < 0 ? -1 : writer[static_cast<size_t>(version)];
        const int from = made < 0 ? c_.v->home[datum] : memory(made), to = memory(t);
        sg4::CommPtr before; // the hop so far; none: it is made or at home here

        for (int i = p->route_at[from * p->memories + to];
             i < p->route_at[from * p->memories + to + 1]; i++) {
            const tgs_link &l = p->link[p->route[i]];
            sg4::CommPtr &comm = sent_[{made < 0 ? -1 - datum : version, l.to}];

            if (!comm) {
                comm = sg4::Comm::sendto_init();
                comm->set_payload_size(static_cast<uint64_t>(g->datum[datum].bytes * scale + 0.5));
                hop_.push_back({comm, l.from, l.to});
                if (before)
                    precede(before, comm);
                else
                    precede(made < 0 ? begin_ : exec(made), comm);
            }
            before = comm;
        }
        if (before)
            precede(before, exec(t));
        else if (made >= 0)
            precede(exec(made), exec(t));
    }

    int memory(int task) const
    {
        return c_.v->p->proc[c_.s->place[task].proc].memory;
    }

    const play_case &c_;
    const Machine &m_;
    // nothing, at time 0: a transfer that is started from outside the simulation never leaves its
    // link
    sg4::ExecPtr begin_ = sg4::Exec::init()->set_flops_amount(0);
    std::vector<sg4::ExecPtr> exec_;
    std::vector<Hop> hop_;
    std::map<std::pair<int, int>, sg4::CommPtr> sent_; // (version, memory)
    std::set<std::pair<sg4::Activity *, sg4::Activity *>> edge_;
};

void play(const play_case *cases, int count)
{
    int argc = 1;
    char name[] = "play", *argv[] = {name, nullptr};
    sg4::Engine engine(&argc, argv);
    std::vector<Machine> machine;
    std::vector<Player> player;

    for (const char *option :
         {"network/model:CM02", "network/latency-factor:1", "network/bandwidth-factor:1",
          "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0",
          "surf/precision:1e-12"})
        sg4::Engine::set_config(option);
    auto *root = sg4::create_full_zone("root");
    for (int i = 0; i < count; i++)
        machine.push_back(make_machine(cases[i], root, "c" + std::to_string(i)));
    root->seal();
    for (int i = 0; i < count; i++)
        player.emplace_back(cases[i], machine[static_cast<size_t>(i)]);
    for (auto &p : player)
        p.build();
    for (auto &p : player)
        p.start();
    engine.run();
    for (const auto &p : player)
        p.tell();
}
} // namespace

const char *play_simgrid(const play_case *cases, int count)
{
    static std::string failure;

    try {
        play(cases, count);
    } catch (const std::exception &e) {
        failure = e.what();
        return failure.c_str();
    }
    return nullptr;
}
