//! The chip as other tools take it: FuseSoC, IP-XACT, file lists, a testbench.
