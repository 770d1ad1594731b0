import type { Page } from 'playwright-core';
import { drive, type Sample } from '../../src/demo/drive.ts';
import { seededRandom } from '../../src/demo/random.ts';
import { makeTrack } from '../../src/demo/track.ts';

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
  const rows = await page.locator('.lap-table tbody tr').all();
  return Promise.all(
    rows.map(async (row) => {
      const [, lap = '', time = '', toBest = '', top = ''] = await row.locator('td, th').allTextContents();
      return { lap, time, toBest, top };
    }),
  );
}
