import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { constants, gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { openRawClient } from '../http/raw-client.ts';
import { adminToken, send, startService } from './service.ts';

const rows = 6000;
const payload = JSON.stringify({
  timestamps: Array.from({ length: rows }, (_, i) => i),
  numericValues: { Speed: Array.from({ length: rows }, (_, i) => i / 8) },
});

describe('a body in very many small chunks', async () => {
  const { url } = await startService();

  const count = async (topic: string): Promise<number> => {
    const body = JSON.stringify({
      topic,
      numericParameters: [{ parameterName: 'Speed', aggregationType: 'Count' }],
    });
    const reply = await send(url, '/parameters/data', { body });
    return (
      Object.values(reply.json<{ numericValues: Record<string, number[]> }>().numericValues)[0]?.[0] ?? 0
    );
  };

  /** Each chunk has so many bytes. */
  const inChunks = async (line: string, bytes: Buffer, size: number, headers = ''): Promise<string> => {
    const client = await openRawClient(url);
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = bytes.subarray(at, at + size);
      chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
    }
    client.socket.write(
      `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\n` +
        `${headers}Transfer-Encoding: chunked\r\n\r\n`,
    );
    client.socket.write(Buffer.concat(chunks));
    client.socket.write('0\r\n\r\n');
    const answer = await client.answer();
    client.socket.destroy();
    return answer.slice(0, answer.indexOf('\r\n'));
  };

  it('is taken as Python writes it piece by piece', async (t) => {
    const program = `
import http.client, json
def send(path, pieces):
    connection = http.client.HTTPConnection('${new URL(url).host}')
    connection.request('POST', path, body=pieces, encode_chunked=True, headers={
        'Authorization': 'Bearer ${adminToken}', 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked'})
    reply = connection.getresponse()
    print(reply.status, reply.read().decode())
data = {'timestamps': list(range(6000)), 'numericValues': {name: [i / 8 for i in range(6000)] for name in ('Speed', 'Rpm', 'Gear')}}
pieces = list(json.JSONEncoder().iterencode(data))
print(len(pieces) > 24000)
send('/topics/python/streams/s/parameters/data', (piece.encode() for piece in pieces))
send('/write?db=lines', (b'm Speed=1 %d\\n' % i for i in range(20000)))
`;
    try {
      const { stdout } = await promisify(execFile)('python3', ['-c', program]);
      assert.equal(stdout, 'True\n200 \n204 \n');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      t.skip('there is no python3');
      return;
    }
    assert.deepEqual([await count('python'), await count('lines')], [rows, 20_000]);
  });

  it('is taken byte by byte, whatever it is', async () => {
    const events = JSON.stringify(
      Array.from({ length: 500 }, (_, i) => ({ id: 'Lap', timestamp: i, value: `${i}` })),
    );
    const definitions = JSON.stringify(
      Array.from({ length: 500 }, (_, i) => ({ id: `p${i}`, unit: 'km/h' })),
    );
    const lines = Array.from({ length: 2000 }, (_, i) => `m Speed=${i} ${i}`).join('\n');
    for (const [line, text] of [
      ['POST /topics/one/streams/s/parameters/data', payload],
      ['POST /topics/one/parameters/data', `[{"streamId":"t",${payload.slice(1)}]`],
      ['POST /topics/one/streams/s/events/data', events],
      ['PUT /topics/one/streams/s/parameters', definitions],
      ['POST /streams', `{"streamIds":["s"]${' '.repeat(30_000)}}`],
      ['POST /write?db=onelines', lines],
    ] as const)
      assert.match(await inChunks(line, Buffer.from(text), 1), /^HTTP\/1.1 20[04] /, line);
    assert.deepEqual([await count('one'), await count('onelines')], [2 * rows, 2000]);
  });

  it('is taken where it is compressed', async () => {
    const stored = gzipSync(payload, { level: constants.Z_NO_COMPRESSION });
    assert.ok(stored.length > 40_000);
    const headers = 'Content-Encoding: gzip\r\n';
    assert.match(
      await inChunks('POST /topics/gzip/streams/s/parameters/data', stored, 1, headers),
      /^HTTP\/1.1 200 /,
    );
    assert.equal(await count('gzip'), rows);
    const broken = Buffer.concat([stored.subarray(0, 30_000), Buffer.from('nothing of the kind')]);
    assert.match(
      await inChunks('POST /topics/gzip/streams/s/parameters/data', broken, 1, headers),
      /^HTTP\/1.1 400 /,
    );
  });

  it('is taken at the hub, as a message of very many frames', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/hub?access_token=${adminToken}`);
    await once(socket, 'open');
    socket.send('{"protocol":"json","version":1}\x1e');
    await once(socket, 'message');
    const call = Buffer.from(
      `{"type":1,"invocationId":"1","target":"SendParameterData","arguments":["hub","s",${payload}]}\x1e`,
    );
    for (let at = 0; at < call.length; at++)
      socket.send(call.subarray(at, at + 1), { fin: at === call.length - 1, binary: false });
    for (;;) {
      const [data] = (await once(socket, 'message')) as [Buffer];
      if (data.toString().includes('"type":3')) {
        assert.doesNotMatch(data.toString(), /error/);
        break;
      }
    }
    socket.close();
    assert.equal(await count('hub'), rows);
  });
});
