import { type TagSet, tagSet } from '../../domain/tags.ts';
import type { Steps } from '../../turns/steps.ts';
import { excerpt, nameFlaw } from '../base/name.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import type { PayloadLimits } from '../rows/payload-limits.ts';
import { createTagMemory, type TagMemory } from '../rows/tag-memory.ts';
import { definitionOf, type SeriesDefinition } from '../series/metric-family.ts';
import { Refused, type RefusesStream } from '../series/refused.ts';
import type { SampleTime } from '../series/sample-time.ts';
import type { SeriesRead } from '../series/series-read.ts';
import { maxMs, SeriesRows } from '../series/series-rows.ts';

export interface CollectdRules {
  /** Where all values go. */
  readonly topic: string;
  readonly limits: PayloadLimits;
  /** For commands that say that something is now. */
  readonly now: () => SampleTime;
  readonly refuses?: RefusesStream | undefined;
}

/** Values of one time (collectd's documentation, "Value list"). */
export interface ValueList {
  readonly host: string;
  readonly plugin: string;
  readonly pluginInstance: string;
  readonly type: string;
  readonly typeInstance: string;
  /** Aligned with the values. */
  readonly names: readonly string[];
  /** Their kinds: `gauge`, `counter`, `derive`, `absolute`; undefined where they are not told. */
  readonly kinds: readonly string[] | undefined;
  /** Undefined where what stands for the time is none. */
  readonly time: SampleTime | undefined;
  /** Undefined where there is none. */
  readonly values: readonly (number | undefined)[];
}

/**
 * Value lists to rows. The host is the stream; each value is the parameter `plugin.type`, or `plugin.type.name` where there are
 * several or it has another name than `value`; the instances of plugin and type are tags.
 */
export class CollectdValues {
  readonly refused = new Refused();
  readonly rules: CollectdRules;
  readonly #rows: SeriesRows;
  readonly #tagMemory: TagMemory;
  readonly #share: MemoryShare | undefined;
  readonly #definitions: SeriesDefinition[] = [];
  #values = 0;
  #now: SampleTime | undefined;

  constructor(rules: CollectdRules, share: MemoryShare | undefined) {
    this.rules = rules;
    this.#share = share;
    this.#rows = new SeriesRows(rules.limits.maxParameters, share);
    this.#tagMemory = createTagMemory(share);
  }

  /** The same for all that are now: so they share their rows. */
  now(): SampleTime {
    this.#now ??= this.rules.now();
    return this.#now;
  }

  take(list: ValueList): void {
    const { host, plugin, type, values, time } = list;
    const flaw = this.#flawOf(list);
    if (flaw !== undefined) {
      this.refused.add('bad_series', Math.max(1, values.length), flaw);
      return;
    }
    if (time === undefined || time.ms > maxMs) {
      this.refused.add(
        'bad_time',
        values.length,
        `a value of ${excerpt(`${host}/${plugin}/${type}`)} has no time`,
      );
      return;
    }
    const full = this.rules.refuses?.(this.rules.topic, host);
    if (full !== undefined) {
      this.refused.add('too_many_streams', values.length, full);
      return;
    }
    const tags = this.#tagsOf(list);
    for (let i = 0; i < values.length; i++) this.#put(list, i, time, tags);
  }

  /** A number as it was written that a double does not hold. */
  noteRounded(text: string): void {
    this.refused.leaveOut('rounded', 1, `${text} was rounded, for no double holds it`);
  }

  *read(): Steps<SeriesRead> {
    return {
      streams: yield* this.#rows.rowSteps(this.refused),
      definitions: this.#definitions,
      families: new Map(),
      metadata: [],
      refused: this.refused,
      values: this.#values,
    };
  }

  #put(list: ValueList, i: number, { ms, ns }: SampleTime, tags: TagSet): void {
    const { host, plugin, type, values, names, kinds } = list;
    const value = values[i];
    const name = names[i]!;
    if (value === undefined) {
      this.refused.leaveOut('no_value', 1);
      return;
    }
    const { topic } = this.rules;
    const id = values.length === 1 && name === 'value' ? `${plugin}.${type}` : `${plugin}.${type}.${name}`;
    this.#rows.add(ms, ns, value);
    this.#rows.put({ topic, streamId: host, name: id, tags });
    this.#values++;
    const said = kinds === undefined ? undefined : definitions[kinds[i] ?? ''];
    const definition = said && definitionOf(id, said);
    if (definition === undefined) return;
    this.#share?.take(definitionBytes);
    this.#definitions.push({ topic, streamId: host, definition });
  }

  #tagsOf({ pluginInstance, typeInstance }: ValueList): TagSet {
    const pairs = [
      ['plugin_instance', pluginInstance],
      ['type_instance', typeInstance],
    ] as const;
    const given = pairs.filter(([, value]) => value !== '');
    this.#tagMemory.sets(1, given.length);
    return tagSet(given);
  }

  /** What is wrong with the names of a list. */
  #flawOf({
    host,
    plugin,
    type,
    names,
    values,
    pluginInstance,
    typeInstance,
  }: ValueList): string | undefined {
    const { maxNameBytes, maxStringBytes, maxParameters } = this.rules.limits;
    for (const [what, text] of Object.entries({ host, plugin, type })) {
      const flaw = nameFlaw(text, maxNameBytes);
      if (flaw !== undefined) return `the ${what} of a value ${flaw}`;
    }
    if (names.length !== values.length || values.length === 0)
      return `${excerpt(`${host}/${plugin}/${type}`)} has ${values.length} values and ${names.length} names`;
    if (values.length > maxParameters) return `a list has more than ${maxParameters} values`;
    for (const [i, name] of names.entries()) {
      if (names.indexOf(name) < i)
        return `${excerpt(`${host}/${plugin}/${type}`)} has two values that are called ${excerpt(name)}`;
      const flaw = nameFlaw(`${plugin}.${type}.${name}`, maxNameBytes);
      if (flaw !== undefined) return `the parameter of a value ${flaw}`;
    }
    const isLong = [pluginInstance, typeInstance].some((text) => Buffer.byteLength(text) > maxStringBytes);
    return isLong ? `an instance has more than ${maxStringBytes} bytes` : undefined;
  }
}

/** Of a definition, as the engine has it. */
const definitionBytes = 256;

/** In the words of other doors; an absolute value is the increase since the last one. */
const definitions: Readonly<Record<string, { readonly type: string; readonly temporality?: string }>> = {
  gauge: { type: 'gauge' },
  counter: { type: 'counter' },
  derive: { type: 'counter' },
  absolute: { type: 'gauge', temporality: 'delta' },
};

/** Seconds with decimals, exactly; undefined for another text. */
export function collectdTime(text: string): SampleTime | undefined {
  const match = /^(\d{1,10})(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const decimals = (match[2] ?? '').slice(0, 9).padEnd(9, '0');
  return { ms: Number(match[1]) * 1000 + Number(decimals.slice(0, 3)), ns: Number(decimals.slice(3)) };
}
