import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { ClickHouseError } from '@clickhouse/client';
import { PitwallError } from '../../../../src/errors.ts';
import { type ClickHouse, connectClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import {
  explainFailure,
  isBug,
  loggedCause,
  messageOf,
} from '../../../../src/store/clickhouse/server/client-errors.ts';

/** A connection to something that answers in ClickHouse's place. */
async function connectedTo(answer: RequestListener): Promise<ClickHouse> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clickhouse = connectClickHouse({ url: `clickhouse://127.0.0.1:${port}/d` });
  after(async () => {
    await clickhouse.close();
    server.close();
    server.closeAllConnections();
  });
  return clickhouse;
}

async function drained(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

const statement = { text: 'SELECT 1', params: {} };
const unreachable = { code: 'storage_failed', message: 'ClickHouse cannot be reached' };

describe('a statement that fails', () => {
  const ways: readonly (readonly [what: string, answer: RequestListener])[] = [
    ['its connection is reset', (request) => request.socket.resetAndDestroy()],
    ['its connection ends without an answer', (request) => request.socket.end()],
    ['something else answers', (_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>')],
    ['something else answers nothing', (_, response) => response.writeHead(503).end()],
    ['what answers speaks no HTTP', (request) => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    [
      'its answer is cut',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('[1', () => request.socket.destroy());
      },
    ],
  ];
  for (const [what, answer] of ways) {
    it(`says that ClickHouse cannot be reached when ${what}`, async () => {
      const clickhouse = await connectedTo(answer);
      await assert.rejects(clickhouse.rows(statement), unreachable);
      await assert.rejects(drained(clickhouse.stream(statement)), unreachable);
      await assert.rejects(clickhouse.insert(statement, [new Uint8Array(10)]), unreachable);
    });
  }

  it('says so when nobody listens, or the name is none', async () => {
    for (const url of ['clickhouse://127.0.0.1:1/d', 'clickhouse://nobody.invalid/d']) {
      const clickhouse = connectClickHouse({ url });
      await assert.rejects(clickhouse.rows(statement), unreachable);
      await clickhouse.close();
    }
  });

  it('is a bug where it cannot even be sent, and keeps its stack', async () => {
    const clickhouse = await connectedTo((_, response) => response.end());
    const wrong = { text: 'SELECT {p:String}', params: { p: Symbol('no parameter') } } as never;
    const isTold = (error: unknown) => {
      assert.ok(!(error instanceof PitwallError));
      assert.ok(isBug(error));
      assert.match(loggedCause(error), /\n +at .*client/);
      return true;
    };
    await assert.rejects(clickhouse.rows(wrong), isTold);
    await assert.rejects(drained(clickhouse.stream(wrong)), isTold);
  });
});

describe('the explanation of a failure', () => {
  const withCode = (code: string, error = new Error(code)) => Object.assign(error, { code });

  it('blames the connection for nothing but a failed connection', () => {
    for (const code of ['ECONNREFUSED', 'EPIPE', 'ENOTFOUND', 'HPE_INVALID_CONSTANT', 'CERT_HAS_EXPIRED'])
      assert.equal(explainFailure(withCode(code)).code, 'storage_failed', code);
    for (const code of ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_TLS_CERT_ALTNAME_INVALID'])
      assert.equal(explainFailure(withCode(code)).code, 'storage_failed', code);
    const bugs = [
      new TypeError("Cannot read properties of undefined (reading 'rows')"),
      new RangeError('Invalid typed array length: -1'),
      new SyntaxError('Unexpected token'),
      withCode('ERR_INVALID_ARG_TYPE', new TypeError('The "chunk" argument must be of type string')),
      withCode('ERR_OUT_OF_RANGE', new RangeError('The value is out of range')),
      'not even an error',
    ];
    for (const bug of bugs) {
      const { code, status, cause } = explainFailure(bug);
      assert.deepEqual([code, status, cause], ['internal', 500, bug]);
      assert.ok(isBug(explainFailure(bug)));
    }
  });

  it('tells what takes too much from what takes too long', () => {
    for (const [code, meaning] of [
      ['158', 'query_too_large'],
      ['241', 'query_too_large'],
      ['159', 'query_too_slow'],
      ['160', 'query_too_slow'],
    ] as const) {
      const refused = new ClickHouseError({ code, type: 'ITS_NAME', message: 'its words' });
      assert.equal(explainFailure(refused).code, meaning, code);
    }
  });

  it('is logged with its stack where it is a bug, and else in a line', () => {
    const bug = new TypeError('x is not a function');
    assert.equal(loggedCause(explainFailure(bug)), bug.stack);
    assert.equal(messageOf(explainFailure(bug)), 'x is not a function');
    const refused = new ClickHouseError({ code: '60', type: 'UNKNOWN_TABLE', message: 'no such table' });
    for (const error of [refused, explainFailure(refused)]) {
      assert.equal(isBug(error), false);
      assert.equal(loggedCause(error), 'no such table');
    }
    assert.equal(loggedCause(withCode('ECONNREFUSED')), 'ECONNREFUSED');
  });
});
