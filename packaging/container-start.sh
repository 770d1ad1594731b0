#!/bin/sh
# Starts Pitwall in a container whose memory may be limited. Half of the limit is for the heap of Node.js; the rest is for
# what stands outside of it: rows in slabs, blocks of parts, bodies and answers, the threads. Node.js by itself takes a
# share that is made for programs with nothing beside their heap. Who sets the heap in NODE_OPTIONS is left alone.
set -eu

limit=max
for file in "${MEMORY_LIMIT_FILE:-/sys/fs/cgroup/memory.max}" /sys/fs/cgroup/memory/memory.limit_in_bytes; do
  if [ -r "$file" ]; then
    limit=$(cat "$file")
    break
  fi
done

heap=
case "$limit" in
  '' | *[!0-9]*) ;; # no limit: "max"
  *)
    megabytes=$((limit / 1048576 / 2))
    # Without a limit older kernels name a number that is larger than any memory.
    if [ "$megabytes" -ge 64 ] && [ "$megabytes" -lt 1048576 ]; then heap="--max-old-space-size=$megabytes"; fi
    ;;
esac
case "${NODE_OPTIONS:-}" in
  *max-old-space-size* | *max_old_space_size*) heap= ;;
esac

# In the place of this shell, so that signals reach it.
exec node ${heap:+"$heap"} "$(dirname "$0")/../dist/cli/pitwall.js" "$@"
