#!/bin/sh
# machines.sh NAME -- prints a platform file (.tgp) of a machine to plan for:
#
#   four-kinds  4 nodes of 4 GPUs each, of four kinds: the testbed of HetPipe (Park et al., USENIX
#               ATC 2020): TITAN V, TITAN RTX, RTX 2060, Quadro P4000; PCIe 3, InfiniBand 56 Gb/s
#   unlike      2 fast GPUs (A100, NVLink) and 6 slow ones (T4, PCIe 3), 25 Gb/s Ethernet
#   cores       16 CPU cores and 2 GPUs with little memory (GTX 1650, 4 GB)
#   racks [N]   1024 GPUs (or N nodes of 8) of three generations in racks of 8 nodes: of 8 nodes 3
#               have V100, 3 A100, 2 H100; NVLink within a node, a network card for each GPU, a
#               switch for each rack and one above them
#
# Flops are single precision without matrix units, from the makers' data sheets; power is the
# board's; links are what a direction has, from the same sheets and the standards: PCIe 3 x16 12
# GB/s of 15.8, PCIe 4 24 of 31.5, PCIe 5 48 of 63, NVLink 2/3/4 in all 150, 300, 450.  A message is
# relayed in full by each switch.
machine=${1-} nodes=${2:-128}
case $machine in
  four-kinds|unlike|cores|racks) ;;
  *) machine= ;;
esac
case $nodes in *[!0-9]*|0*|?????*) machine= ;; esac
[ -n "$machine" ] || { echo 'machines.sh: four-kinds, unlike, cores or racks [NODES, at most 9999]' >&2; exit 2; }
exec awk -v machine="$machine" -v nodes="$nodes" '
function kind(name, tflops, gbytes, idle, busy) {
    printf "kind %s arch=cuda flops=%ge12 bandwidth=%ge9 overhead=5e-6 power_idle=%d power_busy=%d\n",
        name, tflops, gbytes, idle, busy
}
function link(a, b, latency, gbytes) {
    printf "link %s %s latency=%g bandwidth=%ge9 energy=3e-11\n", a, b, latency, gbytes
    printf "link %s %s latency=%g bandwidth=%ge9 energy=3e-11\n", b, a, latency, gbytes
}
# a node: its memory, n GPUs of gbytes each, by PCIe, and among themselves
function node(i, what, n, gbytes, pcie, peer, k, j) {
    printf "memory ram%d node=%d\n", i, i
    for (k = 0; k < n; k++)
        printf "memory %s%d.%d capacity=%ge9 node=%d\n", what, i, k, gbytes, i
    for (k = 0; k < n; k++)
        printf "processor %s%d.%d kind=%s memory=%s%d.%d\n", toupper(what), i, k, what, what, i, k
    for (k = 0; k < n; k++)
        link("ram" i, what i "." k, 1e-5, pcie)
    for (k = 0; k < n; k++)
        for (j = 0; j < k; j++)
            link(what i "." j, what i "." k, 5e-6, peer)
}
function four_kinds(i, j) {
    kind("titanv", 14.9, 653, 25, 250); kind("titanrtx", 16.3, 672, 15, 280)
    kind("rtx2060", 6.5, 336, 10, 160); kind("p4000", 5.3, 243, 5, 105)
    node(0, "titanv", 4, 12, 12, 10); node(1, "titanrtx", 4, 24, 12, 10)
    node(2, "rtx2060", 4, 6, 12, 10); node(3, "p4000", 4, 8, 12, 10)
    for (i = 0; i < 4; i++)
        for (j = 0; j < i; j++)
            link("ram" j, "ram" i, 2e-6, 7)
}
function unlike() {
    kind("a100", 19.5, 1555, 55, 400); kind("t4", 8.1, 320, 10, 70)
    node(0, "a100", 2, 40, 24, 300); node(1, "t4", 6, 16, 12, 10)
    link("ram0", "ram1", 2e-5, 3.1)
}
function cores(i) {
    print "kind core arch=cpu flops=9.6e10 bandwidth=1.2e10 power_idle=2 power_busy=9"
    kind("gtx1650", 3, 128, 8, 75)
    print "memory ram capacity=64e9"
    print "memory gpu0 capacity=4e9\nmemory gpu1 capacity=4e9"
    for (i = 0; i < 16; i++)
        printf "processor C%d kind=core memory=ram\n", i
    print "processor G0 kind=gtx1650 memory=gpu0\nprocessor G1 kind=gtx1650 memory=gpu1"
    link("ram", "gpu0", 1e-5, 12); link("ram", "gpu1", 1e-5, 12); link("gpu0", "gpu1", 1.5e-5, 6)
}
function racks(i, k, r, g, what) {
    kind("v100", 15.7, 900, 40, 300); kind("a100", 19.5, 1555, 55, 400)
    kind("h100", 66.9, 3350, 70, 700)
    for (i = 0; i < nodes; i++) {
        g = i % 8 < 3 ? 1 : i % 8 < 6 ? 2 : 3
        if (g == 1) node(i, "v100", 8, 32, 12, 25)
        else if (g == 2) node(i, "a100", 8, 40, 24, 300)
        else node(i, "h100", 8, 80, 48, 450)
    }
    for (r = 0; r * 8 < nodes; r++)
        printf "memory rack%d node=%d\n", r, nodes + r
    if (nodes > 8)
        printf "memory spine node=%d\n", nodes + r
    for (i = 0; i < nodes; i++) {
        g = i % 8 < 3 ? 1 : i % 8 < 6 ? 2 : 3
        what = g == 1 ? "v100" : g == 2 ? "a100" : "h100"
        for (k = 0; k < 8; k++)
            link(what i "." k, "rack" int(i / 8), 2e-6, g == 1 ? 12.5 : g == 2 ? 25 : 50)
    }
    for (r = 0; r * 8 < nodes && nodes > 8; r++)
        link("rack" r, "spine", 1e-6, 800)
}
BEGIN {
    print "tgsched.platform/1"
    if (machine == "four-kinds") four_kinds()
    else if (machine == "unlike") unlike()
    else if (machine == "cores") cores()
    else racks()
}'
