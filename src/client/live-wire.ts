import type { WireParameterData } from './parameter-data.ts';

interface WirePlace {
  readonly topicName: string;
  readonly streamId: string;
}

export type WireLiveData = WireParameterData & WirePlace;

export interface WireLiveEvent extends WirePlace {
  readonly id: string;
  readonly timestamp: string;
  readonly value: string;
  readonly tags: Readonly<Record<string, string>>;
}

export function idsOf(id: string | readonly string[]): ReadonlySet<string> {
  return new Set(typeof id === 'string' ? [id] : id);
}

export function callsOf(topic: string, streamId: string, ids: ReadonlySet<string>): string[][] {
  return [...ids].map((id) => [topic, streamId, id]);
}

/** Topics have no case. */
export function isTopic({ topicName }: { readonly topicName: string }, topic: string): boolean {
  return topic === '*' || topicName.toLowerCase() === topic.toLowerCase();
}

export function isAt(place: WirePlace, topic: string, streamId: string): boolean {
  return isTopic(place, topic) && (streamId === '*' || place.streamId === streamId);
}

/** The package with these parameters alone, before it is decoded; undefined where it has no value of them. */
export function onlyParameters(wire: WireLiveData, ids: ReadonlySet<string>): WireParameterData | undefined {
  if (ids.has('*')) return wire;
  let isAny = false;
  const only = <Column>(columns: Readonly<Record<string, Column>> | null | undefined) => {
    const own = Object.entries(columns ?? {}).filter(([id]) => ids.has(id));
    isAny ||= own.length > 0;
    return Object.fromEntries(own);
  };
  const { timestamps, numericValues, stringValues, binaryValues, tagValues } = wire;
  const found = {
    timestamps,
    numericValues: only(numericValues),
    stringValues: only(stringValues),
    binaryValues: only(binaryValues),
    tagValues: tagValues ?? null,
  };
  return isAny ? found : undefined;
}
