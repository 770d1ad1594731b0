#!/bin/sh
# Chromium (Debian, /usr/bin/chromium) reads a line of WWW-Authenticate as one challenge, not as a list of challenges.
#
# RFC 9110, section 11.6.1, lets a server name several challenges in one field line, with commas. Behind Basic in one line, another scheme
# keeps Chromium from asking for a password at all; the same challenges on two lines are understood, in either order. curl 7.88,
# wget 1.21 and urllib of Python 3.11 understand the one line. So a server that takes Basic sends each challenge on a line of its own.
#
# Seen, how often a page that is opened asks for a password:
#   Basic realm="a": 1
#   Basic realm="a", Bearer: 0
#   Bearer, Basic realm="a": 0
#   Basic realm="a" + Bearer: 1
#   Bearer + Basic realm="a": 1
set -eu
[ -x /usr/bin/chromium ] || { echo 'needs the package chromium of Debian'; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund playwright-core@1.65.1 >/dev/null
cat > try.mjs <<'JS'
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

const expected = [
  [['Basic realm="a"'], 1],
  [['Basic realm="a", Bearer'], 0],
  [['Bearer, Basic realm="a"'], 0],
  [['Basic realm="a"', 'Bearer'], 1],
  [['Bearer', 'Basic realm="a"'], 1],
];
let lines = [];
const server = createServer((request, response) => {
  if (request.url === '/open') response.end('<!doctype html>');
  else response.writeHead(401, { 'WWW-Authenticate': lines }).end('no');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
let isAsSeen = true;
for (const [challenges, times] of expected) {
  lines = challenges;
  const page = await browser.newPage();
  await page.goto(`${url}/open`);
  const session = await page.context().newCDPSession(page);
  let asked = 0;
  session.on('Fetch.requestPaused', ({ requestId }) => session.send('Fetch.continueRequest', { requestId }).catch(() => undefined));
  session.on('Fetch.authRequired', ({ requestId }) => {
    asked++;
    const authChallengeResponse = { response: 'CancelAuth' };
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined);
  });
  await session.send('Fetch.enable', { handleAuthRequests: true });
  await page.goto(`${url}/closed`).catch(() => undefined);
  console.log(`${challenges.join(' + ')}: ${asked}`);
  isAsSeen &&= asked === times;
  await page.close();
}
await browser.close();
server.closeAllConnections();
server.close();
process.exit(isAsSeen ? 0 : 1);
JS
node try.mjs
