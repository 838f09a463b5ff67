# Vivado: makes the project, synthesizes, places, routes and writes the bitstream.
#   vivado -mode batch -source project.tcl
# settings.tcl, written by `warpsmith synth`, sets part, generics and jobs.
set here [file dirname [file normalize [info script]]]
source [file join $here settings.tcl]
create_project -force warpsmith [file join $here vivado] -part $part
add_files -norecurse [file join $here rtl/warpsmith.v]
add_files -norecurse [file join $here warpsmith_uart.v]
add_files -norecurse [file join $here power_on_reset.v]
add_files -norecurse [file join $here top.v]
add_files -fileset constrs_1 -norecurse [file join $here arty_a7.xdc]
set_property top top [current_fileset]
set_property generic $generics [current_fileset]
update_compile_order -fileset sources_1
launch_runs impl_1 -to_step write_bitstream -jobs $jobs
wait_on_run impl_1
if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
    puts stderr "warpsmith: impl_1 failed: [get_property STATUS [get_runs impl_1]]"
    exit 1
}
open_run impl_1
report_utilization -file [file join $here utilization.txt]
report_timing_summary -file [file join $here timing.txt]
file copy -force [file join $here vivado/warpsmith.runs/impl_1/top.bit] [file join $here bitstream.bit]
