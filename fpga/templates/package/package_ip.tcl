# SPDX-License-Identifier: MIT OR Apache-2.0
# vivado -mode batch -source package_ip.tcl
# Packages the sources as an IP in ip/, beside this file. Never run: no Vivado was at hand.
set here [file dirname [file normalize [info script]]]
create_project -force package_ip $here/vivado
add_files [list{% for f in rtl %} $here/rtl/{{ f }}{% endfor %}]
set_property top {{ top }} [current_fileset]
update_compile_order -fileset sources_1
ipx::package_project -root_dir $here/ip -vendor warpsmith -library gpu -taxonomy /UserIP -import_files -force
set core [ipx::current_core]
set_property name {{ top }}_{{ slug }} $core
set_property version {{ version }} $core
set_property display_name {Warpsmith GPU {{ slug }}} $core
foreach port {s_axi m_axi} {
    ipx::associate_bus_interfaces -busif $port -clock aclk $core
}
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
