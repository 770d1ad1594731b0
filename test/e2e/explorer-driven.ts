import type { Page } from 'playwright-core';
import type { Client } from '../../src/client/client.ts';
import { drive, type Sample } from '../../src/demo/drive.ts';
import { seededRandom } from '../../src/demo/random.ts';
import { announce, writeSamples } from '../../src/demo/record.ts';
import { makeTrack } from '../../src/demo/track.ts';
import { until } from '../until.ts';
import { cellTexts, plotted } from './explorer-page.ts';
import { peek } from './explorer-peek.ts';
import { type OwnWorkspace, ownWorkspace } from './explorer-service.ts';

/** So many laps are driven. */
export const laps = 5;

/** Laps that are driven to the line, with the first rows of one more, and how long each was. */
export function drivenLaps(hertz = 50, seed = 7): { samples: Sample[]; times: number[] } {
  const samples: Sample[] = [];
  const times: number[] = [];
  for (const sample of drive(makeTrack(), hertz, seededRandom(seed))) {
    samples.push(sample);
    for (const { id, value } of sample.events) if (id === 'LapCompleted') times.push(secondsOf(value));
    if (sample.lap > laps) break;
  }
  return { samples, times };
}

/** Time of the first sample. */
export const drivenStart = 1_800_000_000_000_000_000n;
/** Lap times are told to the millisecond: each of two may be off by half of one. Seconds. */
export const lapTolerance = 0.0015;

/** Of all files of this process. */
let usual: ReturnType<typeof drivenLaps> | undefined;

/** A service with the laps as stream `driven` of topic `cars`. */
export async function serviceWithDriven(): Promise<{
  readonly service: OwnWorkspace['service'];
  readonly client: Client;
  readonly samples: readonly Sample[];
  readonly times: readonly number[];
}> {
  const { service, client } = await ownWorkspace();
  usual ??= drivenLaps();
  const driven = usual;
  await announce(client, 'cars', 'driven', 'Five laps', {});
  await writeSamples(client, 'cars', 'driven', driven.samples, drivenStart);
  return { service, client, ...driven };
}

/** `1:23.456` in seconds. */
export function secondsOf(text: string): number {
  const [seconds = '', minutes = '0'] = text.split(':').reverse();
  return Number(minutes) * 60 + Number(seconds);
}

export interface LapLine {
  readonly lap: string;
  readonly time: string;
  readonly toBest: string;
  readonly top: string;
}

/** The lap table, line by line. */
export async function lapTable(page: Page): Promise<LapLine[]> {
  await page.locator('.lap-table').first().waitFor();
  const rows = await cellTexts(page.locator('.lap-table tbody tr'));
  return rows.map(([, lap = '', time = '', toBest = '', top = '']) => ({ lap, time, toBest, top }));
}

/** What Δt says a few decimetres before the line: the cars are as far apart there as at the line, to a tenth of a millisecond. */
export async function deltaAtLine(page: Page): Promise<number> {
  const end = makeTrack().length;
  await page.evaluate(`location.hash += '&across=${end - 3}~${end - 0.3}'`);
  await page.waitForURL(/across=/);
  await plotted(page);
  let said = Number.NaN;
  await until(async () => {
    const frame = (await page.locator('.plot .u-over').first().boundingBox())!;
    await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height / 2);
    await page.mouse.move(frame.x + frame.width - 1, frame.y + frame.height / 2);
    const { plots, cursor } = await peek(page);
    const place = Number(/^Distance (\S+) m$/.exec(cursor)?.[1]);
    said = Number((plots[0]!.readings[0] ?? '').replace('−', '-').replace(' s', ''));
    return end - place < 0.4;
  });
  return said;
}
