import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { adminToken, pitwall, send, startService, temporaryFolder } from '../e2e/service.ts';
import { endWithTests } from '../end-with-tests.ts';
import { root } from '../root.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A place in which the blocks of one page run: a folder with a reader's files, and a service with a few rows. */
export interface Workshop {
  readonly url: string;
  readonly folder: string;
  /** The text of a block with the service's address in the place of `127.0.0.1:8480`. */
  placed(text: string): string;
  run(command: string, args: readonly string[]): Promise<Ended>;
}

export async function openWorkshop(): Promise<Workshop> {
  const { url } = await startService();
  const folder = temporaryFolder();
  const commands = join(folder, '.commands');
  mkdirSync(commands);
  for (const [name, text] of Object.entries(stubs)) {
    writeFileSync(join(commands, name), text);
    chmodSync(join(commands, name), 0o755);
  }
  mkdirSync(join(folder, 'node_modules/@microsoft'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules/pitwall'));
  mkdirSync(join(folder, 'node_modules/@influxdata'));
  for (const name of ['@microsoft/signalr', '@influxdata/influxdb-client']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'laps.csv'), laps);
  await seed(url);
  const created = await send(url, '/admin/tokens', { body: '{"scopes":["read"]}' });
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PITWALL_'))),
    PATH: `${commands}:${process.env['PATH']}`,
    NODE: process.execPath,
    COMMAND: pitwall,
    PITWALL_URL: url,
    PITWALL_TOKEN: adminToken,
    TOKEN_ID: created.json<{ id: string }>().id,
  };
  return {
    url,
    folder,
    // Python's clients take host and port apart.
    placed: (text) => text.replaceAll(/127\.0\.0\.1(:|", )8480/g, `127.0.0.1$1${new URL(url).port}`),
    async run(command, args) {
      const child = endWithTests(
        spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
      );
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, stdout, stderr };
    },
  };
}

const laps = `Timestamp,Speed,LapNumber
1612191099000000000,213.4,7
1612191100000000000,215.1,7
1612191185000000000,198.2,8
`;

/** What the pages speak of: laps with speeds. */
async function seed(url: string): Promise<void> {
  const rows = {
    timestamps: [1612191099000000000, 1612191100000000000],
    numericValues: { Speed: [213.4, 215.1], Gear: [6, 7] },
    tagValues: { LapNumber: ['7', '7'] },
  };
  await write(url, 'lap-7', rows);
  await write(url, 'bahrain', rows);
  await write(url, 'lap-8', { ...rows, tagValues: { LapNumber: ['8', '8'] } });
  await send(url, '/admin/workspaces', { body: '{"name":"testing"}' });
  await send(url, '/topics/cars/streams/lap-7/events/data', {
    body: '[{"id":"pit","timestamp":1612191099500000000,"value":"in","tags":{"lap":"7"}}]',
  });
}

async function write(url: string, streamId: string, rows: object): Promise<void> {
  const reply = await send(url, `/topics/cars/streams/${streamId}/parameters/data`, {
    body: JSON.stringify(rows),
  });
  if (reply.status !== 200) throw new Error(reply.text);
}

/** Writes a row every 50 ms, for blocks that wait for live data; stopped after the tests of the file. */
export function keepWriting(url: string): void {
  const timer = setInterval(() => {
    const rows = { timestamps: [`${Date.now()}000000`], numericValues: { Speed: [200] } };
    write(url, 'lap-9', rows).catch(() => clearInterval(timer));
  }, 50);
  after(() => clearInterval(timer));
}

/**
 * Commands as readers have them. curl fails where the service refuses; `pitwall serve` listens on a free port and is
 * stopped when it is ready.
 */
const stubs = {
  curl: '#!/bin/sh\nexec /usr/bin/curl -sS --fail-with-body "$@"\n',
  npx: '#!/bin/sh\nexec "$@"\n',
  pitwall: `#!/bin/bash
if [ "$1" != serve ]; then exec "$NODE" "$COMMAND" "$@"; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PITWALL_URL
exec 3< <(exec "$NODE" "$COMMAND" "$@" --data-dir "$folder" --listen 127.0.0.1:0)
child=$!
while read -r line <&3; do
  case "$line" in "pitwall listening on "*) kill "$child"; cat <&3 >/dev/null; exit 0;; esac
done
exit 1
`,
};
