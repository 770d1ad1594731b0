#!/bin/sh
# Node.js 26 gives the body of a request that offers another protocol (Upgrade: h2c, as Java's client and curl send it) to `request`,
# not to `head`: a server that hands such a request on by its socket loses the body.
#
# Seen with npm's package node, 24.21.0 and 26.10.0, and the event `upgrade` of http.Server for a POST of nine bytes. Up to 24 its body
# is what comes next on the socket (`head` first); from 26 on `head` is empty, and the body comes as data of the request.
#
# Output seen:
#   24 head 123456789 complete true same socket true
#   26 head  complete true same socket true body 123456789
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/look.mjs" <<'JS'
import { createServer } from 'node:http';
import { connect } from 'node:net';
const server = createServer();
server.on('upgrade', (request, socket, head) => {
  const said = `head ${head} complete ${request.complete} same socket ${request.socket === socket}`;
  let body = '';
  request.on('data', (data) => (body += data));
  setTimeout(() => {
    console.log(`${process.versions.node.split('.')[0]} ${said}${body === '' ? '' : ` body ${body}`}`);
    process.exit(0);
  }, 500);
});
server.listen(0, '127.0.0.1', () => {
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 9\r\n\r\n';
  connect(server.address().port, '127.0.0.1').write(`${head}123456789`);
});
JS
for version in 24.21.0 26.10.0; do
  mkdir "$folder/$version"
  (cd "$folder/$version" && npm init -y >/dev/null && npm install --silent --no-audit --no-fund "node@$version" >/dev/null)
  "$folder/$version/node_modules/node/bin/node" "$folder/look.mjs" >> "$folder/out"
done
cat "$folder/out"
printf '%s\n' '24 head 123456789 complete true same socket true' '26 head  complete true same socket true body 123456789' > "$folder/expected"
diff "$folder/expected" "$folder/out"
