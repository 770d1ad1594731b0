import { isDeepStrictEqual } from 'node:util';
import { plainRequestReader } from '../../src/http/lane/plain-request.ts';
import { echoRoutes, laneToken, serveBothWays, type TwoWays } from './lane-servers.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { exchange, type RawAnswer } from './raw-exchange.ts';
import type { Target } from './target.ts';

let ways: TwoWays;
const { read } = plainRequestReader(echoRoutes);

/**
 * A request that the lane takes gets the answer that the framework would give: status, headers, body, and whether the
 * connection stays open behind it. What the lane leaves goes the framework's way anyhow.
 */
export const laneTarget: Target = {
  name: 'lane',
  short: 200,
  async open() {
    ways = await serveBothWays();
    return ways.close;
  },
  make(random) {
    for (let tries = 0; tries < 30; tries++) {
      const request = mutatedRequest(random);
      if (read(request) !== undefined) return request;
    }
    return requestOf(random);
  },
  async check(input) {
    if (read(input) === undefined) return;
    const before = ways.laneAnswers();
    const lane = await exchange(ways.lanePort, input, probe);
    const framework = await exchange(ways.frameworkPort, input, probe);
    const taken = { hangs: lane.hangs, answers: lane.answers.map(meaningOf) };
    const given = { hangs: framework.hangs, answers: framework.answers.map(meaningOf) };
    if (!isDeepStrictEqual(taken, given))
      throw new Error(`the lane: ${JSON.stringify(taken)}\nthe framework: ${JSON.stringify(given)}`);
    if (ways.laneAnswers() > before + 1) throw new Error('the lane carries it out twice');
  },
};

/** Answered where the connection is still open. */
const probe = 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** The framework tells how long a connection may be idle, and that any origin may read: the lane spares these bytes. */
const unsaid = ['date', 'keep-alive', 'access-control-allow-origin', 'access-control-expose-headers'];

function meaningOf({ status, headers, body }: RawAnswer): unknown {
  const said = Object.entries(headers).filter(([name]) => !unsaid.includes(name));
  return { status, headers: Object.fromEntries(said), body };
}

function mutatedRequest(random: Random): Buffer {
  const request = requestOf(random);
  return random.once(2) ? request : mutate(request, random, words, [request]);
}

function requestOf(random: Random): Buffer {
  const body = random.pick(bodies);
  const extra = Array.from(
    { length: random.below(4) },
    () => `${random.pick(names)}: ${random.pick(values)}`,
  );
  const fields = [
    'Host: a',
    `Authorization: ${random.once(8) ? random.pick(values) : `Bearer ${laneToken}`}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...extra,
  ];
  const first = random.below(fields.length);
  const lines = [random.pick(firstLines), ...fields.slice(first), ...fields.slice(0, first)];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

const firstLines = [
  'POST /topics/cars/streams/lap-7/parameters/data HTTP/1.1',
  'POST /topics/a.b/streams/~_-/parameters/data HTTP/1.1',
  'POST /topics/../streams/./parameters/data HTTP/1.1',
  'POST /parameters/data HTTP/1.1',
  'POST /parameters/data HTTP/1.0',
  'POST /parameters/data?int64=string HTTP/1.1',
];
const bodies = ['{}', '{"a":1}', '[1,2]', 'null', '12', '{"timestamps":[1],"numericValues":{"x":[1]}}'];

/** Headers that some server gives a meaning, and values that mean something in one of them. */
const names = [
  ...['Connection', 'Proxy-Connection', 'Keep-Alive', 'Upgrade', 'HTTP2-Settings', 'TE', 'Trailer', 'Via'],
  ...[
    'Transfer-Encoding',
    'Content-Encoding',
    'Accept-Encoding',
    'Content-Length',
    'Content-Type',
    'Content-Range',
  ],
  ...[
    'Accept',
    'Accept-Language',
    'Accept-Charset',
    'Origin',
    'Referer',
    'Cookie',
    'Range',
    'Expect',
    'Host',
  ],
  ...[
    'If-None-Match',
    'If-Match',
    'If-Modified-Since',
    'Cache-Control',
    'Pragma',
    'Accept-Version',
    'Priority',
  ],
  ...[
    'X-HTTP-Method-Override',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'Forwarded',
    'X-Request-Id',
    'Request-Id',
  ],
  ...[
    'Access-Control-Request-Method',
    'Access-Control-Request-Headers',
    'Proxy-Authorization',
    'X-Original-URL',
  ],
  ...[
    'Sec-WebSocket-Key',
    'Sec-WebSocket-Version',
    'User-Agent',
    '__proto__',
    'constructor',
    'Http-Version',
    'Date',
  ],
];
const values = [
  ...[
    'close',
    'keep-alive',
    'Close',
    'keep-alive, close',
    'upgrade',
    'chunked',
    'identity',
    'gzip',
    '100-continue',
  ],
  ...[
    '*',
    '*/*',
    'text/csv',
    'application/json',
    'application/json; charset=utf-8',
    'bytes=0-1',
    'trailers',
    '0',
    '2',
  ],
  ...[
    'GET',
    'DELETE',
    'websocket',
    'h2c',
    'http://a',
    'a',
    'team-a',
    '"etag"',
    'no-cache',
    '1.0',
    'Bearer x',
    '',
    '\xe9',
  ],
];

const words = [
  ...[
    '\r\n',
    '\r',
    '\n',
    ' ',
    '\t',
    ':',
    ',',
    ';',
    '%2e',
    '%00',
    '/',
    '//',
    '?',
    '#',
    '\x00',
    '\x0b',
    '\x7f',
    '\xff',
  ],
  ...[
    'HTTP/1.0',
    'HTTP/1.1',
    'GET ',
    'close',
    '0',
    '00',
    '+',
    '\r\n ',
    '\r\nA: b',
    '\r\nContent-Length: 2',
    '..',
  ],
].map((word) => Buffer.from(word, 'latin1'));
