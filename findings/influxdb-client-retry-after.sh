#!/bin/sh
# @influxdata/influxdb-client 1.35.0 (npm) takes the number in Retry-After for milliseconds.
#
# RFC 9110, section 10.2.3: the number is seconds. A server that answers 503 with `Retry-After: 1` for two seconds, and takes what comes
# then, gets the first try and all five repeats within some milliseconds; the client drops the lines with its next try. Without the header,
# or with a date in it, the client waits by its own rule (5 s and more), and the lines arrive.
#
# Seen:
#   with seconds: 6 tries within less than a second, 0 lines taken
#   without: 2 tries, 3 lines taken
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund @influxdata/influxdb-client@1.35.0 >/dev/null
cat > try.mjs <<'JS'
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { InfluxDB, setLogger } from '@influxdata/influxdb-client';

setLogger({ error() {}, warn() {} });

async function run(retryAfter) {
  const tries = [];
  let taken = 0;
  const start = performance.now();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    tries.push(performance.now() - start);
    if (performance.now() - start < 2000) {
      response.writeHead(503, retryAfter === undefined ? {} : { 'Retry-After': retryAfter }).end();
      return;
    }
    taken += text.split('\n').length;
    response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api = new InfluxDB({ url: `http://127.0.0.1:${server.address().port}`, token: 't' }).getWriteApi('o', 'b', 'ns');
  api.writeRecords(['m v=1 1', 'm v=2 2', 'm v=3 3']);
  await api.flush().catch(() => {});
  await wait(9000);
  await api.close().catch(() => {});
  server.closeAllConnections();
  server.close();
  return { tries, taken };
}

const [seconds, without] = await Promise.all([run('1'), run(undefined)]);
console.log(`with seconds: ${seconds.tries.length} tries within ${Math.ceil(seconds.tries.at(-1))} ms, ${seconds.taken} lines taken`);
console.log(`without: ${without.tries.length} tries, ${without.taken} lines taken`);
const isAsSeen = seconds.tries.length === 6 && seconds.tries.at(-1) < 1000 && seconds.taken === 0 && without.taken === 3;
process.exit(isAsSeen ? 0 : 1);
JS
node try.mjs
