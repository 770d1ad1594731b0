import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { backupCommand } from '../../src/cli/backup.ts';
import { clockCommand } from '../../src/cli/clock.ts';
import { type Command, CommandError } from '../../src/cli/command.ts';
import { doorsCommand } from '../../src/cli/doors.ts';
import { exportCommand } from '../../src/cli/export.ts';
import { importCommand } from '../../src/cli/import.ts';
import { queriesCommand } from '../../src/cli/queries.ts';
import { replayCommand } from '../../src/cli/replay.ts';
import { tokenCommand } from '../../src/cli/token.ts';
import { workspaceCommand } from '../../src/cli/workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const rows = join(folder, 'rows.csv');
writeFileSync(rows, 'Timestamp,Speed\n1,2\n');
const given = readdirSync(folder);

type Respond = (response: ServerResponse, path: string) => void;

const send = (response: ServerResponse, type: string, body: string): void =>
  void response.writeHead(200, { 'Content-Type': type }).end(body);
const cut = (response: ServerResponse, head: Record<string, string>, body: string): void => {
  response.writeHead(200, head);
  response.write(body, () => response.destroy());
};

/** The answers of servers that are not Pitwall, and of one that breaks off, each with what is told of it. */
const answers: Readonly<Record<string, readonly [answer: Respond, told: RegExp]>> = {
  'a page': [
    (response) => send(response, 'text/html', '<!DOCTYPE html>\n<h1>It works</h1>\n'),
    /is not Pitwall: it says <!DOCTYPE html> <h1>It works<\/h1>$/,
  ],
  'an object': [
    (response) => send(response, 'application/json', '{"hello":"world"}'),
    /is not Pitwall: it says {"hello":"world"}$/,
  ],
  'a list': [(response) => send(response, 'application/json', '[1, 2]'), /is not Pitwall: it says \[1, 2\]$/],
  nothing: [(response) => send(response, 'text/plain', ''), /is not Pitwall: it says nothing$/],
  'a part of its chunks': [
    (response) => cut(response, { 'Content-Type': 'application/json' }, '[{"'),
    /broke off: |cannot be reached: aborted/,
  ],
  'a part of its length': [
    (response) => cut(response, { 'Content-Type': 'application/json', 'Content-Length': '99' }, '[{"'),
    /broke off: |cannot be reached: aborted/,
  ],
};

const commands: readonly [Command, ...string[]][] = [
  [tokenCommand, 'create'],
  [tokenCommand, 'list'],
  [tokenCommand, 'revoke', 'x'],
  [workspaceCommand, 'create', 'x'],
  [workspaceCommand, 'list'],
  [queriesCommand],
  [doorsCommand],
  [queriesCommand, 'end', 'x'],
  [clockCommand],
  [clockCommand, 'confirm'],
  [backupCommand, join(folder, 'backup.tar')],
  [backupCommand, '-'],
  [exportCommand, '--out', join(folder, 'out.csv')],
  [exportCommand, '--out', join(folder, 'out.json'), '--parameters', 'Speed'],
  [exportCommand, '--out', '-', '--format', 'parquet'],
  [importCommand, rows, '--topic', 'cars', '--stream', 'lap'],
  [replayCommand, '--topic', 'cars', '--stream', 'lap', '--to-topic', 'replay'],
];

/** What a command says of a server, and that it leaves nothing behind. */
async function refusalOf(command: Command, args: readonly string[], answer: Respond): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    answer(response, request.url!.split('?', 1)[0]!);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  let said = '';
  try {
    await assert.rejects(
      command.run([...args, '--url', `http://127.0.0.1:${port}`, '--token', 'x']),
      (error: unknown) => {
        assert.ok(error instanceof CommandError, String(error));
        said = error.message;
        return true;
      },
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
  assert.deepEqual(readdirSync(folder), given);
  assert.doesNotMatch(said, /\n/);
  return said;
}

describe('commands at a server that is not Pitwall', () => {
  for (const [what, [answer, told]] of Object.entries(answers)) {
    it(`which answers ${what}`, async () => {
      for (const [command, ...args] of commands) {
        assert.match(await refusalOf(command, args, answer), told, `${command.name} ${args.join(' ')}`);
      }
    });
  }

  /** A service that lists a stream and a parameter, and what else a command asks for. */
  const withStream =
    (answer: Respond): Respond =>
    (response, path) => {
      const stream = { streamId: 'lap', topic: 'cars', dataStart: '1', dataEnd: '2' };
      const parameter = { parameterId: 'Speed', type: 'Numeric' };
      if (path === '/streams') send(response, 'application/json', JSON.stringify([stream]));
      else if (path === '/parameters') send(response, 'application/json', JSON.stringify([parameter]));
      else answer(response, path);
    };

  it('and has streams, but no rows in the form that is asked for', async () => {
    for (const form of ['csv', 'parquet', 'arrow', 'json']) {
      const args = ['--out', join(folder, `out.${form}`), '--format', form];
      for (const what of ['a page', 'nothing']) {
        const [answer, told] = answers[what]!;
        assert.match(await refusalOf(exportCommand, args, withStream(answer)), told, `${form} ${what}`);
      }
    }
  });

  it('and ends rows before their end', async () => {
    const types = ['text/csv; charset=utf-8', 'application/vnd.apache.parquet', 'application/json'];
    for (const type of types) {
      const form = type.replace(/;.*|.*[/.]/g, '');
      const args = ['--out', join(folder, `out.${form}`)];
      const cutRows = withStream((response) => cut(response, { 'Content-Type': type }, '{"timestamps":[1'));
      assert.match(await refusalOf(exportCommand, args, cutRows), /^the export broke off: /);
      // Nothing tells the end of such an answer from the end of its connection.
      const endless = withStream((response) => {
        response.useChunkedEncodingByDefault = false;
        response.shouldKeepAlive = false;
        send(response, type, 'Timestamp,Speed\n1,2\n');
      });
      assert.match(await refusalOf(exportCommand, args, endless), /does not say where it ends$/);
    }
  });

  it('and sends another archive', async () => {
    const tar = 'application/x-tar';
    const block = Buffer.alloc(512);
    block.write('other.txt');
    block.write('ustar', 257);
    for (const body of [block.toString('latin1').repeat(3), 'x', ''])
      assert.match(
        await refusalOf(backupCommand, [join(folder, 'b.tar')], (response) => send(response, tar, body)),
        /is not Pitwall: it sent an archive that is no backup of the service$/,
      );
    block.fill(0, 0, 100).write('backup.json');
    assert.match(
      await refusalOf(backupCommand, [join(folder, 'b.tar')], (response) =>
        send(response, tar, String(block)),
      ),
      /^the backup failed: it breaks off before its end$/,
    );
    for (const length of [{}, { 'Content-Length': '99999' }]) {
      const half: Respond = (response) => cut(response, { 'Content-Type': tar, ...length }, String(block));
      assert.match(
        await refusalOf(backupCommand, [join(folder, 'b.tar')], half),
        /^the backup failed: aborted$/,
      );
    }
  });

  it('keeps the file that was there', async () => {
    const file = join(folder, 'rows.csv');
    await refusalOf(backupCommand, [file], answers['a page']![0]);
    await refusalOf(exportCommand, ['--out', file], answers['a page']![0]);
    assert.match(readFileSync(file, 'utf8'), /^Timestamp,/);
  });
});
