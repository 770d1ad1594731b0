#!/bin/sh
# npm mqtt 5.16.0 (MQTT.js): a message of QoS 1 whose PUBACK did not come is sent again after the client has connected anew, with the
# packet identifier that it had, but with the flag DUP 0, where the specification says that it must be 1 (MQTT 3.1.1, section 3.3.1.1). That
# holds with `clean: true` as well, where both sides have agreed that there is no session.
#
# Seen on 2026-11-29 with Node.js 20:
#   connection 1: clean true, publish, same id true, dup false
#   connection 2: clean true, publish, same id true, dup false
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts --no-audit --no-fund mqtt@5.16.0 mqtt-packet@9.0.2 >/dev/null
cat >try.mjs <<'JS'
import { createServer } from 'node:net';
import mqtt from 'mqtt';
import packets from 'mqtt-packet';
let connections = 0;
let id;
const server = createServer((socket) => {
  const number = ++connections;
  let clean;
  const parser = packets.parser();
  parser.on('packet', (packet) => {
    if (packet.cmd === 'connect') {
      clean = packet.clean;
      packets.writeToStream({ cmd: 'connack', returnCode: 0, sessionPresent: false }, socket);
    }
    if (packet.cmd !== 'publish') return;
    id ??= packet.messageId;
    console.log(`connection ${number}: clean ${clean}, publish, same id ${packet.messageId === id}, dup ${packet.dup}`);
    if (number === 2) process.exit();
    // No PUBACK: the connection breaks.
    socket.destroy();
  });
  socket.on('data', (chunk) => parser.parse(chunk)).on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => {
  const client = mqtt.connect(`mqtt://127.0.0.1:${server.address().port}`, { reconnectPeriod: 50 });
  client.on('error', () => undefined);
  client.publish('a/b', '21.5', { qos: 1 });
});
JS
node try.mjs | tee out
grep -q '^connection 1: clean true, publish, same id true, dup false$' out
grep -q '^connection 2: clean true, publish, same id true, dup false$' out
