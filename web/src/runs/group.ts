import type { StreamInfo } from '../../../src/client/client.ts';
import { shortTimeText } from '../lines/time-text.ts';

/** A line of the list: the name of a group, or a stream of it. */
export type RunLine =
  | { readonly group: string; readonly count: number }
  | { readonly stream: StreamInfo; readonly group?: never };

/** Streams in groups, in the order in which the first of each comes. `by` is `day`, `=` and a key of the metadata, or empty. */
export function grouped(streams: readonly StreamInfo[], by: string): RunLine[] {
  if (by === '') return streams.map((stream) => ({ stream }));
  const groups = new Map<string, StreamInfo[]>();
  for (const stream of streams) {
    const name = by === 'day' ? dayOf(stream) : metadataOf(stream, by.slice(1));
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [stream]);
    else members.push(stream);
  }
  return [...groups].flatMap(([group, members]) => [
    { group, count: members.length },
    ...members.map((stream) => ({ stream })),
  ]);
}

function metadataOf({ metadata }: StreamInfo, key: string): string {
  // Any object has a `constructor`.
  return Object.hasOwn(metadata, key) ? metadata[key]! : `no ${key}`;
}

function dayOf({ dataEnd }: StreamInfo): string {
  return dataEnd === undefined ? 'no data' : shortTimeText(dataEnd).slice(0, 10);
}

/** Keys of metadata that several streams have, those of most first. */
export function sharedKeys(streams: readonly StreamInfo[]): string[] {
  const counts = new Map<string, number>();
  for (const { metadata } of streams)
    for (const key of Object.keys(metadata)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort((a, b) => b[1] - a[1])
    .map(([key]) => key)
    .slice(0, 20);
}

export function keyOfLine(line: RunLine): string {
  return line.group === undefined ? `${line.stream.topic}/${line.stream.streamId}` : `group ${line.group}`;
}

/** Lines as they are now in the places that they had before; behind them those that follow on the last of these. */
export function inPlaces(before: readonly RunLine[], now: readonly RunLine[]): RunLine[] {
  const current = new Map(now.map((line) => [keyOfLine(line), line]));
  const had = new Set(before.map(keyOfLine));
  const last = now.findLastIndex((line) => had.has(keyOfLine(line)));
  return [...before.map((line) => current.get(keyOfLine(line)) ?? line), ...now.slice(last + 1)];
}
