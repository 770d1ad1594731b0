#!/bin/sh
# collectd's plugin csv writes gauges with six decimals, so small ones become 0; write_http and the others write 15 digits.
#
# Seen with collectd-core 5.12.0-14 (Debian 12). A gauge of 0.00000012345 (seconds, as of a latency) is read by the plugin `table`.
# In the files of csv it is 0.000000, whatever unit would have made it larger; the plugin write_log, of the same value list, has
# 1.2345e-07. The types.db that is used is the program's own, and says of `gauge` that it has no bounds.
#
# Output seen:
#   csv: 0.000000
#   write_log: 1.2345e-07
set -eu
collectd=$(command -v collectd || echo /usr/sbin/collectd)
[ -x "$collectd" ] || { echo "needs the Debian package collectd-core"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo '0.00000012345' > "$folder/value"
cat > "$folder/conf" <<CONF
Hostname "host"
BaseDir "$folder"
PIDFile "$folder/pid"
TypesDB "/usr/share/collectd/types.db"
Interval 0.5
LoadPlugin logfile
<Plugin logfile>
  File "$folder/log"
</Plugin>
LoadPlugin table
<Plugin table>
  <Table "$folder/value">
    Plugin "latency"
    Separator " "
    <Result>
      Type gauge
      ValuesFrom 0
    </Result>
  </Table>
</Plugin>
LoadPlugin csv
<Plugin csv>
  DataDir "$folder/csv"
</Plugin>
LoadPlugin write_log
CONF
"$collectd" -f -C "$folder/conf" >/dev/null 2>&1 &
pid=$!
tries=0
until [ "$(cat "$folder"/csv/host/*/* 2>/dev/null | wc -l)" -ge 2 ] && grep -q 'write_log values' "$folder/log"; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || break
  sleep 0.2
done
kill "$pid"
wait "$pid" || true
csv=$(tail -n 1 "$folder"/csv/host/*/* | cut -d, -f2)
log=$(grep -o 'latency[^ ]* [0-9.e-]* ' "$folder/log" | head -n 1 | cut -d' ' -f2)
printf 'csv: %s\nwrite_log: %s\n' "$csv" "$log"
[ "$csv" = 0.000000 ] && [ "$log" = 1.2345e-07 ]
