#!/bin/sh
# npm @microsoft/signalr-protocol-msgpack 10.0.11 (with @microsoft/signalr 10.0.11): the double -0 is written as the whole number 0, one
# byte, so that the server reads 0 though MessagePack has a double that could carry the sign. NaN and the infinities are written as doubles
# and keep their bits. In JSON, the other protocol of the client, -0 is the text 0, and NaN is null.
#
# Seen on 2026-12-01 with Node.js 20:
#   messagepack: -0 => 0, NaN => NaN, -Infinity => -Infinity
#   json: [0,null,null]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts --no-audit --no-fund \
  @microsoft/signalr@10.0.11 @microsoft/signalr-protocol-msgpack@10.0.11 >/dev/null
cat >try.mjs <<'JS'
import { JsonHubProtocol, MessageType } from '@microsoft/signalr';
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack';
const call = { type: MessageType.Invocation, target: 'Send', arguments: [-0, NaN, -Infinity], streamIds: [] };
const logger = { log: () => undefined };
const told = (value) => (Object.is(value, -0) ? '-0' : String(value));
const messagePack = new MessagePackHubProtocol();
const bytes = messagePack.writeMessage(call);
const [read] = messagePack.parseMessages(bytes, logger);
const [zero, nan, infinity] = read.arguments.map(told);
console.log(`messagepack: -0 => ${zero}, NaN => ${nan}, -Infinity => ${infinity}`);
const json = new JsonHubProtocol();
console.log(`json: ${JSON.stringify(json.parseMessages(json.writeMessage(call), logger)[0].arguments)}`);
JS
node try.mjs | tee out
grep -q '^messagepack: -0 => 0, NaN => NaN, -Infinity => -Infinity$' out
grep -q '^json: \[0,null,null\]$' out
