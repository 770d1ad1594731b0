#!/bin/sh
# protobufjs 8.8.1 (npm; 7.6.6, which @mcap/support 1.1.0 brings, does the same) looks for the type of a field inside the types that are nested in
# its message before it looks around the message. protoc never looks inward. Where race.Car has a field of type Wheel and a nested
# race.Car.In.Wheel, protobufjs takes this one in the place of race.Wheel, writes messages so, and says so in its descriptors.
# Seen (Node.js 20.20.2): .race.Car.In.Wheel
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts protobufjs@8.8.1 old-protobufjs@npm:protobufjs@7.6.6
cat >try.cjs <<'JS'
const file = `syntax = "proto3"; package race;
  message Wheel { float temp = 1; }
  message Car { Wheel wheel = 1; message In { message Wheel { double own = 1; } } }`;
const found = ['protobufjs', 'old-protobufjs'].map((name) => {
  const { Root, parse } = require(name);
  const root = new Root();
  parse(file, root);
  return root.lookupType('race.Car').fields.wheel.resolve().resolvedType.fullName;
});
console.log(found.join(' '));
process.exit(found.every((name) => name === '.race.Car.In.Wheel') ? 0 : 1);
JS
node try.cjs
