#!/bin/sh
# GPSBabel puts every year of NMEA 0183 into this century: the sentence RMC of 23 March 1994, which most descriptions of the
# format have as their example, becomes 2094.
#
# Seen with gpsbabel 1.8.0+ds-5 (Debian 12), NMEA to GPX. The year has two digits in RMC. GPSBabel adds 2000 to all of them;
# others take those from 70 or 80 on for 19xx. Nothing is said, and the track sorts behind all others.
#
# Output seen:
#   2094-03-23T12:35:19Z
set -eu
command -v gpsbabel >/dev/null || { echo "needs the Debian package gpsbabel"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%s\r\n' '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A' >"$folder/log.nmea"
time=$(gpsbabel -t -i nmea -f "$folder/log.nmea" -o gpx -F - | grep -A 3 '<trkpt' | sed -n 's|.*<time>\(.*\)</time>.*|\1|p')
echo "$time"
[ "$time" = '2094-03-23T12:35:19Z' ]
