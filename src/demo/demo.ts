#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../client/client.ts';
import { ConfigError, loadConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { startService } from '../main.ts';
import { drive, type Sample } from './drive.ts';
import { seededRandom } from './random.ts';
import { announce, eventsOf, writeSamples } from './record.ts';
import { makeTrack } from './track.ts';

const help = `npm run demo [-- SETTINGS]

Starts the service on a temporary folder with cars that drive laps, two sessions recorded and one car that is still
driving, and prints the address of a view: the live car over the best lap of a session. SETTINGS are those of "pitwall serve", such as --listen 127.0.0.1:9000.
Everything is gone when it ends.`;

const topic = 'cars';
const recordedLaps = 6;
const recordedHertz = 50;
const liveHertz = 25;
/** A channel that the topic keeps: what the speed says of braking. */
const acceleration = {
  id: 'Acceleration',
  expression: "lowpass(derivative(Speed) / 3.6, '0.2s')",
  unit: 'm/s²',
  location: '/Chassis',
  description: 'Of the speed, smoothed',
};
/** The samples that the live car sends at a time. */
const liveBatch = 5;

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) {
    console.log(help);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-demo-'));
  try {
    await runOn(folder, argv);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOn(folder: string, argv: readonly string[]): Promise<void> {
  const token = `demo-${randomBytes(12).toString('base64url')}`;
  // An empty variable says nothing.
  const env = {
    PITWALL_LOG_LEVEL: 'warn',
    ...process.env,
    PITWALL_TOKEN: process.env['PITWALL_TOKEN'] || token,
  };
  const config = loadConfig({ argv: ['--data-dir', folder, ...argv], env });
  const service = await startService(config, createLog(config.logLevel));
  const asked = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => asked.abort());
  try {
    const { url } = service.addresses[0]!;
    const client = createClient({ url, token: config.token ?? token });
    await client.defineCalculated(topic, [acceleration]);
    const best = await recordSession(
      client,
      'session-1',
      'Friday practice, car 7',
      { driver: 'A. Okafor', car: '7' },
      7,
      3,
    );
    await recordSession(
      client,
      'session-2',
      'Saturday practice, car 23',
      { driver: 'M. Lindqvist', car: '23' },
      23,
      2,
    );
    console.log(`pitwall listening on ${url}
look at it in a browser: ${url}/${firstScreen(best)}
and sign in with the token  ${config.token ?? token}
topic ${topic}: two recorded sessions, and session-3, which is being driven now; Ctrl+C ends it and removes all`);
    await keepDriving(client, asked.signal);
  } finally {
    await service.stop();
  }
}

/** What of the explorer is opened: the live car over the best lap of a session, with laps, Δt and the way of both. */
function firstScreen(bestLap: number): string {
  const fields = [
    `topic=${topic}`,
    `s=${topic}/session-3`,
    `s=${topic}/session-1`,
    ...['Speed', 'Throttle', 'Brake'].map((name) => `p=${name}`),
    'mode=overlay',
    'tag=lap',
    `pick=${topic}/session-1/${bestLap}`,
    'by=Distance',
    'beside=xy',
    'xy=X,Y,Speed',
    'live=1',
  ];
  return `#${fields.join('&')}`;
}

/** Writes a whole session that ended some hours ago. Gives the number of its fastest lap. */
async function recordSession(
  client: Client,
  streamId: string,
  name: string,
  metadata: Readonly<Record<string, string>>,
  seed: number,
  hoursAgo: number,
): Promise<number> {
  const start = (BigInt(Date.now()) - BigInt(hoursAgo * 3_600_000)) * 1_000_000n;
  await announce(client, topic, streamId, name, { ...metadata, session: 'practice' });
  const begins: number[] = [];
  let samples: Sample[] = [];
  for (const sample of drive(makeTrack(), recordedHertz, seededRandom(seed))) {
    const isOver = sample.lap > recordedLaps;
    begins[sample.lap] ??= sample.seconds;
    samples.push(sample);
    if (samples.length < 2000 && !isOver) continue;
    await writeSamples(client, topic, streamId, samples, start);
    await noteLockUps(client, streamId, samples, start);
    samples = [];
    if (isOver) break;
  }
  await client.closeStream(topic, streamId);
  const laps = Array.from({ length: recordedLaps }, (_, i) => i + 1);
  const timeOf = (lap: number) => begins[lap + 1]! - begins[lap]!;
  return laps.reduce((best, lap) => (timeOf(lap) < timeOf(best) ? lap : best));
}

/** Writes what somebody would have noted where a wheel stood still. */
async function noteLockUps(
  client: Client,
  streamId: string,
  samples: readonly Sample[],
  start: bigint,
): Promise<void> {
  const lockUps = eventsOf(samples, start).filter(({ id }) => id === 'BrakeLockUp');
  if (lockUps.length === 0) return;
  const value = 'Late on the brake';
  await client.writeEvents(
    topic,
    streamId,
    lockUps.map(({ timestamp }) => ({ id: 'note', timestamp, value })),
  );
}

/** One car drives in real time until the signal aborts. */
async function keepDriving(client: Client, signal: AbortSignal): Promise<void> {
  const streamId = 'session-3';
  await announce(client, topic, streamId, 'Qualifying, car 41 (live)', {
    driver: 'J. Moreau',
    car: '41',
    session: 'qualifying',
  });
  const begun = Date.now();
  const start = BigInt(begun) * 1_000_000n;
  const car = drive(makeTrack(), liveHertz, seededRandom(41));
  while (!signal.aborted) {
    const samples = Array.from({ length: liveBatch }, () => car.next().value as Sample);
    const due = begun + samples.at(-1)!.seconds * 1000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now())));
    if (!signal.aborted) await writeSamples(client, topic, streamId, samples, start);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`the demo cannot run: ${(error as Error).message}`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
});
