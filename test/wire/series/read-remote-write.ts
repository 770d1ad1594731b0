import { whole } from '../../../src/turns/steps.ts';
import { KnownSeries } from '../../../src/wire/series/known-series.ts';
import { type RemoteRules, remoteWriteSteps } from '../../../src/wire/series/remote-write.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { plainRows } from '../payloads.ts';

export const rules = (): RemoteRules => ({
  streamLabels: ['instance'],
  limits: defaultPayloadLimits,
  known: new KnownSeries(),
});

export const read = (body: Buffer, version: 1 | 2 = 1, given = rules()) =>
  whole(remoteWriteSteps(body, version, given));

/** By place: time in ms, tags and values of each row, and the ends of series. */
export const told = (body: Buffer, version: 1 | 2 = 1, given = rules()) =>
  read(body, version, given).streams.map(({ topic, streamId, rows, ends }) => ({
    place: `${topic}/${streamId}`,
    rows: plainRows(rows).map(({ time, tags, values }) => [Number(time / 1_000_000n), tags, values]),
    ends: ends.map(({ id, timestamp, tags }) => [id, Number(timestamp / 1_000_000n), tags.key]),
  }));

export const labels = { __name__: 'up', job: 'node', instance: 'a:1' };
