import { isPresent, Kind, type ParameterKey } from '../domain/parameter-data.ts';
import type { StreamKey } from '../domain/stream.ts';
import type { RowBlock } from '../store/store.ts';
import { seriesEnds } from '../wire/series-rows.ts';
import { choose } from './choose-rows.ts';
import type { Labels } from './labels.ts';
import { type CompiledMatcher, compileMatcher, type Matcher, matchesAll } from './matchers.ts';
import type { NeededSamples } from './needed-samples.ts';
import type { ReadsFrom } from './reads-from.ts';
import { named, pairsOf } from './series-labels.ts';
import type { Samples } from './values.ts';

/** The parameters that are read at once. */
const namesAtOnce = 200;

/** The series that a selector finds, with their samples. */
export async function readSeries(
  matchers: readonly Matcher[],
  { from, to, wantsEnds }: NeededSamples,
  source: ReadsFrom,
): Promise<Samples[]> {
  const compiled = matchers.map((matcher) => compileMatcher(matcher));
  const { names, selection, metadata } = await choose(compiled, { from, to }, source);
  const all: Samples[] = [];
  for (let at = 0; at < names.length; at += namesAtOnce) {
    const some = names.slice(at, at + namesAtOnce);
    const numbers = some.map((name): ParameterKey => ({ kind: Kind.Numeric, name }));
    const events = wantsEnds ? some.map((name): ParameterKey => ({ kind: Kind.Event, name })) : [];
    const gathered = new Gathered(some, compiled, metadata, source);
    const plan = {
      ...selection,
      parameters: [...numbers, ...events],
      order: 'Asc' as const,
      limit: undefined,
      after: undefined,
      streamsApart: true as const,
    };
    for await (const block of source.store.run(plan, source.signal, source.countRows)) {
      gathered.add(block);
      const turn = source.budget.work(block.count);
      if (turn !== undefined) await turn;
    }
    all.push(...gathered.series());
  }
  return all.sort((a, b) => (a.labels.key < b.labels.key ? -1 : 1));
}

interface Growing {
  readonly labels: Labels;
  times: Float64Array;
  values: Float64Array;
  count: number;
  readonly ends: number[];
}

/** Rows of one stream and one set of tags, by parameter. */
type Columns = (Growing | null | undefined)[];

class Gathered {
  readonly #names: readonly string[];
  readonly #matchers: readonly CompiledMatcher[];
  readonly #metadata: (key: StreamKey) => Readonly<Record<string, string>>;
  readonly #source: ReadsFrom;
  readonly #found = new Map<string, Columns>();
  readonly #pairs = new Map<Columns, ReturnType<typeof pairsOf>>();

  constructor(
    names: readonly string[],
    matchers: readonly CompiledMatcher[],
    metadata: (key: StreamKey) => Readonly<Record<string, string>>,
    source: ReadsFrom,
  ) {
    this.#names = names;
    this.#matchers = matchers;
    this.#metadata = metadata;
    this.#source = source;
  }

  series(): Samples[] {
    const all: Samples[] = [];
    for (const columns of this.#found.values()) {
      for (const one of columns) {
        if (!one || one.count + one.ends.length === 0) continue;
        const { labels, times, values, count, ends } = one;
        all.push({
          labels,
          times: times.subarray(0, count),
          values: values.subarray(0, count),
          ends: Float64Array.from(ends),
        });
      }
    }
    return all;
  }

  add(block: RowBlock): void {
    const { count, offsets, columns } = block;
    const restNs = Number(block.base % 1_000_000n);
    const baseMs = Number(block.base / 1_000_000n);
    const times = new Float64Array(count);
    for (let row = 0; row < count; row++) times[row] = baseMs + (restNs + offsets[row]!) / 1e6;
    const isOfOne = block.streamIndex === undefined && block.tagIndex === undefined;
    const one = isOfOne ? this.#place(block.streams[0]!, block.tagSets[0]!) : undefined;
    const places = one === undefined ? this.#placesOf(block) : undefined;
    columns.forEach((column, i) => {
      if (column === undefined) return;
      const parameter = i % this.#names.length;
      if (one !== undefined && column.kind === Kind.Numeric && column.present === undefined) {
        const series = this.#seriesAt(one, parameter);
        if (series !== null) this.#append(series, times, column.values.subarray(0, count));
        return;
      }
      for (let row = 0; row < count; row++) {
        if (!isPresent(column.present, row)) continue;
        const series = this.#seriesAt(one ?? places![row]!, parameter);
        if (series === null) continue;
        if (column.kind === Kind.Numeric) this.#push(series, times[row]!, column.values[row]!);
        else if (isEnd(column.bytes, row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!)) {
          this.#source.budget.take(16);
          series.ends.push(times[row]!);
        }
      }
    });
  }

  /** For each row the columns of its stream and tags. */
  #placesOf(block: RowBlock): Columns[] {
    const { streams, tagSets, streamIndex, tagIndex } = block;
    const known = new Map<number, Columns>();
    const places: Columns[] = new Array(block.count);
    for (let row = 0; row < block.count; row++) {
      const [stream, tags] = [streamIndex?.[row] ?? 0, tagIndex?.[row] ?? 0];
      const pair = stream * tagSets.length + tags;
      let place = known.get(pair);
      if (place === undefined) {
        place = this.#place(streams[stream]!, tagSets[tags]!);
        known.set(pair, place);
      }
      places[row] = place;
    }
    return places;
  }

  #place(stream: StreamKey, tags: RowBlock['tagSets'][number]): Columns {
    const key = JSON.stringify([stream.topic, stream.streamId, tags.key]);
    let place = this.#found.get(key);
    if (place === undefined) {
      this.#source.budget.take(512 + 8 * this.#names.length);
      place = new Array<Growing | undefined>(this.#names.length);
      this.#found.set(key, place);
      this.#pairs.set(place, pairsOf(stream, tags, this.#source.view, this.#metadata(stream)));
    }
    return place;
  }

  /** null where the matchers do not want it. */
  #seriesAt(place: Columns, parameter: number): Growing | null {
    const known = place[parameter];
    if (known !== undefined) return known;
    const labels = named(this.#pairs.get(place)!, this.#names[parameter]!);
    let series: Growing | null = null;
    if (matchesAll(this.#matchers, labels)) {
      this.#source.budget.take(512);
      series = { labels, times: new Float64Array(0), values: new Float64Array(0), count: 0, ends: [] };
    }
    place[parameter] = series;
    return series;
  }

  #push(series: Growing, time: number, value: number): void {
    this.#makeRoom(series, 1);
    series.times[series.count] = time;
    series.values[series.count] = value;
    series.count++;
  }

  #append(series: Growing, times: Float64Array, values: Float64Array): void {
    this.#makeRoom(series, values.length);
    series.times.set(times, series.count);
    series.values.set(values, series.count);
    series.count += values.length;
  }

  #makeRoom(series: Growing, more: number): void {
    const { count, times } = series;
    if (count + more <= times.length) return;
    const length = Math.max(16, 2 * count, count + more);
    this.#source.budget.takeSamples(length - times.length);
    series.times = grown(times, length);
    series.values = grown(series.values, length);
  }
}

function grown(values: Float64Array, length: number): Float64Array {
  const larger = new Float64Array(length);
  larger.set(values);
  return larger;
}

const endBytes = Buffer.from(seriesEnds);

function isEnd(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from === endBytes.length && endBytes.equals(bytes.subarray(from, to));
}
