import { compressSync } from 'snappy';
import { PitwallError } from '../../src/errors.ts';
import { unsnappy } from '../../src/http/unsnappy.ts';
import { whole } from '../../src/turns/steps.ts';
import { KnownSeries } from '../../src/wire/series/known-series.ts';
import { remoteWriteSteps } from '../../src/wire/series/remote-write.ts';
import { defaultPayloadLimits } from '../payload-limits.ts';
import { write1, write2 } from '../wire/remote-write-messages.ts';
import { checkSeries, textOfSeries } from './check-series.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';

const words = [
  [0],
  [0xff],
  [0x80],
  [0x0a],
  [0x12],
  [0x22],
  [0x0b],
  [0x0c],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
].map((bytes) => Buffer.from(bytes));

const series = [
  {
    labels: { __name__: 'up', job: 'j', instance: 'i', zone: 'é' },
    samples: [
      [1, 2],
      [3, -0.5],
    ] as const,
  },
  {
    labels: { __name__: 'up', job: 'j', instance: 'i' },
    samples: [[1_700_000_000_000, Number.NaN]] as const,
  },
  { labels: { job: 'j' }, samples: [[-1, 7]] as const },
  {
    labels: { __name__: 'a', job: 'j', instance: 'i', cpu: '0' },
    samples: [
      [1_700_000_000_000, 0],
      [1_700_000_001_000, 2.5],
    ] as const,
  },
  {
    labels: { __name__: 'b', job: 'j', instance: 'i', cpu: '0' },
    samples: [
      [1_700_000_000_000, 1],
      [1_700_000_001_000, 0],
    ] as const,
  },
];
const corpus = [
  write1(series),
  write2(series),
  write1([]),
  write2([{ ...series[0]!, metadata: [2, 'h', 'u'] }]),
];

/** A request of remote write is read as no more values than it has bytes, each of them told or written, or refused with an error of ours. */
export const remoteWriteTarget: Target = {
  name: 'remote-write',
  short: 2000,
  make: (random) => mutate(random.pick(corpus), random, words, corpus),
  check(input) {
    for (const version of [1, 2] as const) {
      const rules = { streamLabels: ['instance'], limits: defaultPayloadLimits, known: new KnownSeries() };
      try {
        const first = whole(remoteWriteSteps(input, version, rules));
        checkSeries(first, input.length);
        const again = whole(remoteWriteSteps(input, version, rules));
        if (again.values !== first.values || textOfSeries(again) !== textOfSeries(first))
          throw new Error('reads other values the second time');
      } catch (error) {
        if (!(error instanceof PitwallError)) throw error;
      }
    }
  },
};

const limit = 100_000;
const blocks = [...corpus, Buffer.alloc(5000), Buffer.from('abcdefgh'.repeat(100))].map((bytes) =>
  compressSync(bytes),
);

/** A block of Snappy gives as many bytes as it says, which are what they were before, or is refused with an error of ours. */
export const snappyTarget: Target = {
  name: 'snappy',
  short: 2000,
  make: (random) => mutate(random.pick(blocks), random, words, blocks),
  async check(input) {
    let taken = 0;
    try {
      const made = await unsnappy(input, limit, {
        take(bytes) {
          taken += bytes;
        },
      });
      if (made.length !== taken) throw new Error(`${made.length} bytes of ${taken}`);
      const again = await unsnappy(compressSync(made), limit, { take: () => undefined });
      if (!again.equals(made)) throw new Error('is another one the second time');
    } catch (error) {
      if (!(error instanceof PitwallError)) throw error;
      if (taken > limit) throw new Error(`took ${taken} bytes`);
    }
  },
};
