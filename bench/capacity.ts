import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type CapacityLoad, manyChannels, manyNames, manyStreams, steadyLoad } from './capacity-loads.ts';
import { measurePart } from './capacity-part.ts';
import { openConnection } from './driver.ts';
import { folderBytes, pitwallGet, pitwallQuery, serve } from './pitwall.ts';
import { cpuSecondsOf, peakMemoryOf, stopProcess } from './system.ts';

/**
 * What many streams, many channels, a steady load, an idle stream, a name and a part cost, in memory, disk, start and
 * processor: the tables of docs/capacity.md. `--scale 0.01` shows in a minute that it works; `--only streams,names` picks
 * some.
 */
const { values: options } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    only: { type: 'string', default: 'streams,shared,own,steady,names,part' },
  },
});
const scale = Number(options.scale);
const scaled = (count: number) => Math.max(1, Math.round(count * scale));

const loads: Readonly<Record<string, () => CapacityLoad>> = {
  streams: () => manyStreams(scaled(1_000_000)),
  shared: () => manyChannels(scaled(10_000), 1000, true),
  own: () => manyChannels(scaled(10_000), 1000, false),
  steady: () => steadyLoad(scaled(100), 100, 60),
  names: () => manyNames(scaled(100_000)),
};

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  readonly seconds: number;
}

async function start(dataDir: string, load: CapacityLoad): Promise<Running> {
  const begin = performance.now();
  const { child, port } = await serve(['--data-dir', dataDir, ...load.args]);
  return { child, port, seconds: (performance.now() - begin) / 1000 };
}

function residentMb({ child }: Running): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024;
}

async function metric(port: number, name: string): Promise<number> {
  const connection = await openConnection(port);
  const text = (await connection.send(pitwallGet('/metrics'))).toString();
  connection.close();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
}

/** Waits until all rows are in parts, and merging finds nothing to do. */
async function settle(dataDir: string, { port }: Running): Promise<void> {
  for (let before = -1, same = 0; same < 12; ) {
    await sleep(1000);
    const now = folderBytes(join(dataDir, 'parts')) + (await metric(port, 'pitwall_parts'));
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

async function readOne(port: number, { stream, parameter }: CapacityLoad): Promise<number> {
  const connection = await openConnection(port);
  const begin = performance.now();
  const query = { streamIds: [stream], numericParameters: [{ parameterName: parameter }] };
  const answer = JSON.parse((await connection.send(pitwallQuery(query))).toString()) as {
    timestamps: unknown[];
  };
  const took = performance.now() - begin;
  connection.close();
  if (answer.timestamps.length === 0) throw new Error(`${stream} has no rows`);
  return took;
}

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

async function measure(load: CapacityLoad): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pitwall-capacity-'));
  let service = await start(dataDir, load);
  try {
    const empty = residentMb(service);
    const begin = performance.now();
    const connection = await openConnection(service.port);
    for (const request of load.requests) await connection.send(request);
    connection.close();
    const seconds = (performance.now() - begin) / 1000;
    const peak = peakMemoryOf(service.child);
    await settle(dataDir, service);
    const processor = cpuSecondsOf(service.child);
    const atRest = residentMb(service);
    await stopProcess(service.child);
    const disk = (name: string) => folderBytes(join(dataDir, name));

    service = await start(dataDir, load);
    const startProcessor = cpuSecondsOf(service.child);
    await sleep(2000);
    const started = residentMb(service);
    const first = await readOne(service.port, load);
    const second = await readOne(service.port, load);
    const indexes = await metric(service.port, 'pitwall_part_index_bytes');
    const parts = await metric(service.port, 'pitwall_parts');
    console.log(
      [
        load.name,
        `  values: ${load.values}`,
        `  memory: ${empty.toFixed(0)} MB empty, ${mb(peak)} at most while writing, ${atRest.toFixed(0)} MB at rest,`,
        `    ${started.toFixed(0)} MB after a start, ${residentMb(service).toFixed(0)} MB after reads, of which indexes ${mb(indexes)}`,
        `  disk: parts ${mb(disk('parts'))} in ${parts} files (${(disk('parts') / load.values).toFixed(3)} bytes a value), catalogue ${mb(disk('catalog'))}, log ${mb(disk('log'))}`,
        `  time: writing ${seconds.toFixed(1)} s on one connection, with the making of requests; start ${service.seconds.toFixed(2)} s;`,
        `    one parameter of one stream: ${first.toFixed(1)} ms at first, then ${second.toFixed(1)} ms`,
        `  processor: ${processor.toFixed(1)} s to write and settle, ${startProcessor.toFixed(2)} s to start`,
      ].join('\n'),
    );
  } finally {
    await stopProcess(service.child);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

for (const name of options.only.split(',')) {
  if (name === 'part') {
    const { diskBytes, openBytes, indexBytes } = await measurePart(scaled(20_000));
    console.log(
      `a part of one row: ${diskBytes} bytes on the disk; ${openBytes.toFixed(0)} bytes of memory once it was read from, and ${indexBytes.toFixed(0)} while its index is kept`,
    );
  } else {
    await measure(loads[name]!());
  }
}
