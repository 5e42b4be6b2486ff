# Prints the time, the disk of the container's root, and the memory and load of the node.

date +%s && df -Pk / && cat /proc/meminfo /proc/loadavg
