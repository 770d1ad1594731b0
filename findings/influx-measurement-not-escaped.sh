#!/bin/sh
# influx 5.12.0 (npm, client of InfluxDB 1) does not escape the name of a measurement when it writes points, though it escapes tags.
#
# In the line protocol a space or comma of a measurement's name needs a backslash (InfluxDB's documentation, "Special characters").
# The measurement `lap times` goes out as it is, so the line is not valid: a server reads the measurement `lap`, and fails at what follows.
# With a comma, `a,b=c`, the line is valid, and says another measurement with a tag.
#
# Seen:
#   lap times,car\ no=a\ b v=1 5
#   a,b=c v=1 5
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund influx@5.12.0 >/dev/null
cat > try.cjs <<'JS'
const { createServer } = require('node:http');
const { InfluxDB } = require('influx');

const lines = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  lines.push(text);
  response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', async () => {
  const client = new InfluxDB({ host: '127.0.0.1', port: server.address().port, database: 'd' });
  await client.writePoints([{ measurement: 'lap times', tags: { 'car no': 'a b' }, fields: { v: 1 }, timestamp: 5 }], { precision: 'ms' });
  await client.writePoints([{ measurement: 'a,b=c', fields: { v: 1 }, timestamp: 5 }], { precision: 'ms' });
  console.log(lines.join('\n'));
  process.exit(lines[0] === 'lap times,car\\ no=a\\ b v=1 5' && lines[1] === 'a,b=c v=1 5' ? 0 : 1);
});
JS
node try.cjs
