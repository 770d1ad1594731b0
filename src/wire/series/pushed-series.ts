import type { TagPair } from '../../domain/tags.ts';
import type { Steps } from '../../turns/steps.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { createTagMemory } from '../rows/tag-memory.ts';
import { type LabelRules, seriesOfLabels } from './labelled-series.ts';
import type { MetricFamily } from './metric-family.ts';
import { Refused } from './refused.ts';
import type { SampleTime } from './sample-time.ts';
import type { SeriesRead } from './series-read.ts';
import { SeriesRows } from './series-rows.ts';

export interface PushRules extends LabelRules {
  /** Labels that all series have, in the place of their own. */
  readonly labels: readonly TagPair[];
  /** The time of series without one. */
  readonly now: SampleTime;
}

/** What is kept of a series, or of a family, takes besides its letters. */
const keptBytes = 200;

/** The series of a push, each of which may stand in it once for each time. */
export class PushedSeries {
  readonly refused = new Refused();
  readonly #rules: PushRules;
  readonly #share: MemoryShare | undefined;
  readonly #rows: SeriesRows;
  readonly #tagMemory: ReturnType<typeof createTagMemory>;
  readonly #families = new Map<string, MetricFamily>();
  readonly #seen = new Set<string>();
  readonly #own: ReadonlySet<string>;

  constructor(rules: PushRules, share: MemoryShare | undefined) {
    this.#rules = rules;
    this.#share = share;
    this.#rows = new SeriesRows(rules.limits.maxParameters, share);
    this.#tagMemory = createTagMemory(share);
    this.#own = new Set(rules.labels.map(([name]) => name));
  }

  /** @param length of the text that says it */
  learn(name: string, said: MetricFamily, length: number): void {
    const family = this.#families.get(name);
    if (family === undefined) this.#share?.take(keptBytes + length);
    this.#families.set(name, { ...family, ...said });
  }

  /** Adds a value; gives what is wrong where its labels make no series, or one that was there before. */
  add(labels: readonly TagPair[], value: number, ms: number, ns: number): string | undefined {
    const { labels: given } = this.#rules;
    const series = seriesOfLabels(
      [...labels.filter(([name]) => !this.#own.has(name)), ...given],
      this.#rules,
    );
    if (typeof series === 'string') return series;
    this.#tagMemory.sets(1, series.tags.pairs.length);
    const key = JSON.stringify([series.topic, series.streamId, series.name, series.tags.key, ms, ns]);
    if (this.#seen.has(key)) return 'is of a series that stands there before';
    this.#share?.take(keptBytes + key.length);
    this.#seen.add(key);
    this.#rows.add(ms, ns, value);
    this.#rows.put(series);
    return undefined;
  }

  *read(): Steps<SeriesRead> {
    const values = this.#rows.count;
    const streams = yield* this.#rows.rowSteps(this.refused);
    return {
      streams,
      definitions: [],
      families: this.#families,
      metadata: [],
      refused: this.refused,
      values,
    };
  }
}
