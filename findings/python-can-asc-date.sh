#!/bin/sh
# Debian python3-can 4.1.0, whose ASCWriter writes logs in Vector's form (.asc).
#
# The line 'date' at the head of the file, which is the start of the measurement in logs of Vector, is the moment at which the file was
# opened. A log that is converted in 2026 from one of 2024 says 2026 there. The start of its first frame stands in 'Begin Triggerblock', and
# times count from that. Without this line they would be years off.
#
# Seen, of a frame of 2024-03-04 (the date is that of the day on which it runs):
#   date Sat Nov 28 03:07:51.399 PM 2026
#   Begin Triggerblock Mon Mar 04 05:06:07.123 AM 2024
set -eu
/usr/bin/python3 -c 'import can' 2>/dev/null || {
  echo "it needs python3-can of Debian: apt-get install python3-can"
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TZ=UTC /usr/bin/python3 - "$folder/x.asc" <<'PY'
import can, sys
print('python-can', can.__version__)
writer = can.Logger(sys.argv[1])
writer(can.Message(timestamp=1709528767.123, arbitration_id=100, is_extended_id=False, data=b'\0', channel=0))
writer.stop()
PY
grep -iE '^(date|begin)' "$folder/x.asc"
grep -q '^date .* '"$(date +%Y)"'$' "$folder/x.asc"
grep -q '^Begin Triggerblock Mon Mar 04 05:06:07.123 AM 2024$' "$folder/x.asc"
