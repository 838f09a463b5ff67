# SPDX-License-Identifier: MIT OR Apache-2.0
# Yosys without a vendor's cells; memories stay arrays, or they would be half a million flip-flops.
# edalize_yosys_procs.tcl, which Edalize writes, names files and top.
yosys -import
source edalize_yosys_procs.tcl
verilog_defaults -push
verilog_defaults -add -defer
set_defines
set_incdirs
read_files
set_params
verilog_defaults -pop
yosys synth -flatten -top $top -run begin:fine
yosys opt -fast -full
yosys opt -undriven -fine
yosys techmap
yosys dffunmap
yosys opt -fast
yosys abc -g AND,OR,XOR,NAND,NOR,XNOR,MUX
yosys opt -fast
yosys opt_clean -purge
yosys check -assert
yosys select -assert-none {t:$_DLATCH_*} {t:$_DLATCHSR_*} {t:$_SR_*}
yosys tee -o stat.txt stat
write_json $name.json
