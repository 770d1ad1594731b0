import { type TagPair, type TagSet, tagSet, tagValue } from '../../domain/tags.ts';
import type { Steps } from '../../turns/steps.ts';
import { excerpt, nameFlaw } from '../base/name.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { createTagMemory, type TagMemory } from '../rows/tag-memory.ts';
import { definitionOf, type SeriesDefinition } from '../series/metric-family.ts';
import { Refused, type RefusesStream } from '../series/refused.ts';
import type { SeriesRead, StreamMetadata } from '../series/series-read.ts';
import { SeriesRows } from '../series/series-rows.ts';
import { bucketsFlaw, eachBucket, eachScaledBucket, scaledFlaw } from './buckets.ts';
import type { KnownAttributes } from './known-attributes.ts';
import {
  longestPart,
  type MetricHead,
  type MetricKind,
  namesOf,
  noNames,
  noScope,
  type Part,
  parts,
  partsOf,
  type Scope,
  typeOf,
} from './metric.ts';
import { type Place, type PlaceRules, placeOf } from './place.ts';
import { OtlpPoint } from './point.ts';

export interface OtlpRules extends PlaceRules {
  /** Of earlier requests, with the same rules. */
  readonly known: KnownAttributes;
  readonly refuses?: RefusesStream | undefined;
}

/** Of a place, and of each attribute of a resource; of a metric and what is said of it, as the engine has them. */
const placeBytes = 512;
const metricBytes = 256;

/**
 * Points of metrics as they come to rows. A number is a value of the parameter of the metric's name; a histogram has
 * `name.count`, `.sum`, `.min`, `.max`, and `.bucket` with the tag `le`, which counts all that is at most so large; a summary
 * `.count`, `.sum`, and `.quantile` with the tag `quantile`. Who reads a message says what metric follows, and gives its points.
 */
export class OtlpPoints {
  readonly point = new OtlpPoint();
  readonly refused = new Refused();
  values = 0;
  readonly rules: OtlpRules;
  readonly #share: MemoryShare | undefined;
  readonly #rows: SeriesRows;
  readonly #tagMemory: TagMemory;
  readonly #definitions: SeriesDefinition[] = [];
  readonly #places = new Map<string, Place>();
  #place: Place | string = '';
  /** There is no room for its stream. */
  #isFull = false;
  #scope: Scope = noScope;
  #metric: MetricHead | undefined;
  /** Of the metric at hand: what is wrong with it, the tags of its scope, and whether it is defined. */
  #flaw: string | undefined;
  #scopeTags: readonly TagPair[] = [];
  #isDefined = false;
  #names: Readonly<Record<Part, string>> = noNames;
  #ms = 0;
  #ns = 0;

  constructor(rules: OtlpRules, share: MemoryShare | undefined) {
    this.rules = rules;
    this.#share = share;
    this.#rows = new SeriesRows(rules.limits.maxParameters, share, rules.known.lists);
    this.#tagMemory = createTagMemory(share);
  }

  resource(attributes: readonly TagPair[] | string): void {
    this.#place = typeof attributes === 'string' ? attributes : placeOf(attributes, this.rules, this.refused);
    this.#isFull = false;
    if (typeof this.#place === 'string') return;
    const full = this.rules.refuses?.(this.#place.topic, this.#place.streamId);
    if (full !== undefined) {
      this.#place = full;
      this.#isFull = true;
      return;
    }
    const key = `${this.#place.topic}\n${this.#place.streamId}`;
    const before = this.#places.get(key);
    this.#share?.take(placeBytes * (1 + Object.keys(this.#place.metadata).length));
    if (before !== undefined) this.#place = { ...this.#place, owners: before.owners, isUsed: before.isUsed };
    this.#places.set(key, this.#place);
  }

  scope(scope: Scope): void {
    this.#scope = scope;
  }

  metric(metric: MetricHead): void {
    this.#metric = metric;
    this.#isDefined = false;
    this.#scopeTags = [];
    this.#names = noNames;
    const { name, kind } = metric;
    this.#flaw =
      typeof this.#place === 'string'
        ? this.#place
        : nameFlaw(name, this.rules.limits.maxNameBytes - longestPart)?.replace(/^/, 'a metric ');
    if (this.#flaw !== undefined || typeof this.#place === 'string') return;
    if (kind !== 'gauge' && kind !== 'sum') this.#names = namesOf(name);
    this.#own(this.#place, name, kind);
  }

  /** Tells metrics apart that have the same names: those of another scope by its tags. Parts of others are refused. */
  #own({ owners }: Place, metric: string, kind: MetricKind): void {
    const scope = this.#scope;
    const ids =
      kind === 'gauge' || kind === 'sum' ? [metric] : partsOf[kind].map((part) => this.#names[part]);
    for (const id of ids) {
      const before = owners.get(id);
      if (before === undefined) {
        this.#share?.take(metricBytes);
        owners.set(id, { metric, scope: scope.key });
      } else if (before.metric !== metric) {
        this.#flaw = `${excerpt(id)} would be of two metrics, ${excerpt(before.metric)} and ${excerpt(metric)}`;
      } else if (before.scope !== scope.key) this.#scopeTags = scope.tags;
    }
  }

  /** The tags of these attributes, or what is wrong with them. */
  tagsOf(pairs: readonly TagPair[]): TagSet | string {
    const { maxNameBytes, maxStringBytes, maxTags } = this.rules.limits;
    if (pairs.length > maxTags) return `has more than ${maxTags} attributes`;
    for (const [name, value] of pairs) {
      const flaw = nameFlaw(name, maxNameBytes);
      if (flaw !== undefined) return `has an attribute that ${flaw}`;
      if (value.length > maxStringBytes || Buffer.byteLength(value) > maxStringBytes)
        return `has the attribute ${excerpt(name)} of more than ${maxStringBytes} bytes`;
    }
    const tags = tagSet(pairs);
    for (let i = 1; i < tags.pairs.length; i++) {
      const [name] = tags.pairs[i]!;
      if (name === tags.pairs[i - 1]![0]) return `has the attribute ${excerpt(name)} twice`;
    }
    this.#tagMemory.sets(1, pairs.length);
    return tags;
  }

  /** Takes the point that was filled. */
  take(): void {
    const { point } = this;
    const { kind } = this.#metric!;
    const tags = this.#flaw === undefined ? this.#tags() : '';
    const flaw = this.#flaw ?? point.flaw ?? (typeof tags === 'string' ? tags : this.#partsFlaw(kind, tags));
    if (flaw !== undefined || typeof tags === 'string') this.#refuse('bad_series', flaw!);
    else if (this.#setTime()) this.#put(kind, tags);
  }

  *read(): Steps<SeriesRead> {
    const metadata: StreamMetadata[] = [...this.#places.values()].filter(({ isUsed }) => isUsed);
    return {
      streams: yield* this.#rows.rowSteps(this.refused),
      definitions: this.#definitions,
      families: new Map(),
      metadata,
      refused: this.refused,
      values: this.values,
    };
  }

  #tags(): TagSet | string {
    const { tags } = this.point;
    if (this.#scopeTags.length === 0 || typeof tags === 'string') return tags;
    return this.tagsOf([...tags.pairs, ...this.#scopeTags]);
  }

  /** What is wrong with a point of several numbers. */
  #partsFlaw(kind: MetricKind, tags: TagSet): string | undefined {
    if (kind === 'gauge' || kind === 'sum') return undefined;
    const { maxTags } = this.rules.limits;
    if (tags.pairs.length >= maxTags) return `has more than ${maxTags - 1} attributes`;
    const own = kind === 'summary' ? 'quantile' : 'le';
    if (tagValue(tags, own) !== undefined)
      return `has the attribute ${own}, which stands for a part of it here`;
    if (kind === 'summary') return undefined;
    return kind === 'histogram' ? bucketsFlaw(this.point) : scaledFlaw(this.point);
  }

  #refuse(reason: 'bad_series' | 'bad_time', flaw: string): void {
    const about = this.#flaw === undefined ? `a point of ${excerpt(this.#metric!.name)} ${flaw}` : flaw;
    this.refused.add(this.#isFull ? 'too_many_streams' : reason, 1, about);
  }

  /** False where the point has no time that rows may have. */
  #setTime(): boolean {
    const { low, high } = this.point;
    if (high >= 2 ** 31) this.#refuse('bad_time', 'has a time beyond 64-bit nanoseconds with a sign');
    else if (low === 0 && high === 0) this.#refuse('bad_time', 'has no time');
    else {
      // 2^32 is 4294 · 10^6 + 967296.
      const rest = high * 967_296 + low;
      this.#ms = high * 4294 + Math.floor(rest / 1e6);
      this.#ns = rest % 1e6;
      return true;
    }
    return false;
  }

  #put(kind: MetricKind, tags: TagSet): void {
    const { point } = this;
    const before = this.values;
    if (kind === 'gauge' || kind === 'sum') this.#add(this.#metric!.name, tags, point.value);
    else this.#putParts(kind, tags);
    if (this.values === before) {
      this.refused.leaveOut('no_value', 1);
      return;
    }
    if (point.rounded > 0) {
      const text = `numbers of ${excerpt(this.#metric!.name)} that no double holds were rounded`;
      this.refused.leaveOut('rounded', point.rounded, text);
    }
    if (!this.#isDefined) this.#define(kind);
  }

  #putParts(kind: MetricKind, tags: TagSet): void {
    const { point } = this;
    this.#add(this.#names.count, tags, point.count);
    this.#add(this.#names.sum, tags, point.sum);
    if (kind === 'summary') {
      const { quantiles } = point;
      for (let i = 0; i + 1 < quantiles.length; i += 2)
        this.#addTagged('quantile', quantiles[i]!, tags, quantiles[i + 1]!);
      return;
    }
    if (!point.isEnd) {
      this.#add(this.#names.min, tags, point.min);
      this.#add(this.#names.max, tags, point.max);
    }
    const each = kind === 'histogram' ? eachBucket : eachScaledBucket;
    each(point, (bound, atMost) => this.#addTagged('bucket', bound, tags, atMost));
  }

  #addTagged(part: 'bucket' | 'quantile', of: number, tags: TagSet, value: number): void {
    const tag = part === 'bucket' ? 'le' : part;
    const text = of === Number.POSITIVE_INFINITY ? '+Inf' : String(of);
    const { parts: known } = this.rules.known;
    const key = `${tag} ${text} ${tags.key}`;
    let found = known.find(key);
    if (found === undefined) {
      found = tagSet([...tags.pairs, [tag, text]]);
      this.#tagMemory.sets(1, found.pairs.length);
      known.add(key, found);
    }
    this.#add(this.#names[part], found, value);
  }

  /** A value of a series, or its end. */
  #add(name: string, tags: TagSet, value: number | undefined): void {
    if (this.point.isEnd) this.#rows.end(this.#ms, this.#ns);
    else if (value === undefined) return;
    else this.#rows.add(this.#ms, this.#ns, value);
    const place = this.#place as Place;
    place.isUsed = true;
    const { topic, streamId } = place;
    this.#rows.put({ topic, streamId, name, tags });
    this.values++;
  }

  #define(kind: MetricKind): void {
    this.#isDefined = true;
    const { topic, streamId } = this.#place as Place;
    const { name, unit, description, temporality, isMonotonic } = this.#metric!;
    const { maxStringBytes } = this.rules.limits;
    const help = description.length <= maxStringBytes ? description : undefined;
    const short = unit.length <= maxStringBytes ? unit : undefined;
    const type = typeOf(kind, isMonotonic);
    const add = (id: string, hasUnit: boolean): void => {
      const definition = definitionOf(id, { type, temporality, help, unit: hasUnit ? short : undefined });
      if (definition === undefined) return;
      this.#share?.take(metricBytes);
      this.#definitions.push({ topic, streamId, definition });
    };
    if (kind === 'gauge' || kind === 'sum') add(name, true);
    else for (const part of partsOf[kind]) add(this.#names[part], parts[part]);
  }
}
