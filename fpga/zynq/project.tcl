# Vivado: makes the project with its block design, and writes the bitstream and the hardware handoff.
#   vivado -mode batch -source project.tcl
# The board file of the PYNQ-Z2 has to be installed: it knows the DDR and the fixed pins.
# settings.tcl, written by `warpsmith synth`, sets part, board_part, clock_mhz and jobs.
set here [file dirname [file normalize [info script]]]
source [file join $here settings.tcl]
create_project -force warpsmith [file join $here vivado] -part $part
set_property board_part $board_part [current_project]
add_files -norecurse [file join $here rtl/warpsmith.v]
add_files -norecurse [file join $here warpsmith_axi.v]
update_compile_order -fileset sources_1

create_bd_design system
set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7:5.5 ps]
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
    -config {make_external "FIXED_IO, DDR" apply_board_preset "1"} $ps
set_property -dict [list \
    CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ $clock_mhz \
    CONFIG.PCW_USE_M_AXI_GP0 1 \
    CONFIG.PCW_USE_S_AXI_HP0 1 \
    CONFIG.PCW_USE_FABRIC_INTERRUPT 1 \
    CONFIG.PCW_IRQ_F2P_INTR 1] $ps
set chip [create_bd_cell -type module -reference warpsmith_axi chip]
set reset [create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset:5.0 reset]
# The processor's 32-bit AXI3 to the registers; the chip's wide AXI4 to the memory's 64-bit AXI3.
set control [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect:1.0 control]
set memory [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect:1.0 memory]
set_property CONFIG.NUM_SI 1 $control
set_property CONFIG.NUM_SI 1 $memory

set clock [get_bd_pins ps/FCLK_CLK0]
foreach pin {ps/M_AXI_GP0_ACLK ps/S_AXI_HP0_ACLK chip/aclk control/aclk memory/aclk reset/slowest_sync_clk} {
    connect_bd_net $clock [get_bd_pins $pin]
}
connect_bd_net [get_bd_pins ps/FCLK_RESET0_N] [get_bd_pins reset/ext_reset_in]
foreach pin {chip/aresetn control/aresetn memory/aresetn} {
    connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins $pin]
}
connect_bd_intf_net [get_bd_intf_pins ps/M_AXI_GP0] [get_bd_intf_pins control/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins control/M00_AXI] [get_bd_intf_pins chip/s_axi]
connect_bd_intf_net [get_bd_intf_pins chip/m_axi] [get_bd_intf_pins memory/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins memory/M00_AXI] [get_bd_intf_pins ps/S_AXI_HP0]
connect_bd_net [get_bd_pins chip/irq] [get_bd_pins ps/IRQ_F2P]
# 1 MiB of registers, program and constants at 0x43C0_0000; the lower 512 MiB of DDR, at its own address.
assign_bd_address -target_address_space /ps/Data -offset 0x43C00000 -range 1M [get_bd_addr_segs chip/s_axi/reg0]
assign_bd_address -target_address_space /chip/m_axi -offset 0x00000000 -range 512M [get_bd_addr_segs ps/S_AXI_HP0/HP0_DDR_LOWOCM]
validate_bd_design
save_bd_design
add_files -norecurse [make_wrapper -files [get_files system.bd] -top]
set_property top system_wrapper [current_fileset]
launch_runs impl_1 -to_step write_bitstream -jobs $jobs
wait_on_run impl_1
if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
    puts stderr "warpsmith: impl_1 failed: [get_property STATUS [get_runs impl_1]]"
    exit 1
}
open_run impl_1
report_utilization -file [file join $here utilization.txt]
report_timing_summary -file [file join $here timing.txt]
write_hw_platform -fixed -include_bit -force [file join $here warpsmith.xsa]
