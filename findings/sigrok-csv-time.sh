#!/bin/sh
# sigrok-cli's CSV has times that drift: the step is cut to whole units, and added up; the first sample is not at 0.
#
# Seen with sigrok-cli 0.7.2-1+b1, libsigrok4 0.5.2-4 (Debian 12), output format `csv:time=true`.
# At a sample rate of 3 kHz the times are 333, 666, 999, 1332 microseconds. The samples are 333.33 µs apart, so the fourth
# is at 1333.33 (or 1000, counted from 0): after 3 s of samples the column is 3 ms behind.
# With `label=channel` the column is called `Time`, and the file does not say in which unit it is.
#
# Output seen:
#   microseconds,logic
#   333 666 999 1332
#   Time,D0
set -eu
command -v sigrok-cli >/dev/null || { echo "needs the Debian package sigrok-cli"; exit 77; }

csv() { sigrok-cli -d demo --config samplerate=3k --samples 4 -C D0 -O "csv:time=true$1" | grep -v '^;'; }

header=$(csv '' | head -n 1)
times=$(csv '' | tail -n 4 | cut -d, -f1 | tr '\n' ' ')
bare=$(csv ':label=channel' | head -n 1)
printf '%s\n%s\n%s\n' "$header" "$times" "$bare"
[ "$header" = 'microseconds,logic' ] && [ "$times" = '333 666 999 1332 ' ] && [ "$bare" = 'Time,D0' ]
