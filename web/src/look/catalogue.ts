import type { Client, ParameterInfo, StreamInfo } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { streams } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';
import { isStream } from './same-stream.ts';

/** The streams that are looked at, as they are now. */
export const openStreams = loaded<StreamInfo[]>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0) return undefined;
  return async (signal) => {
    const found = await service.streams({ streamIds: open.map(({ streamId }) => streamId) }, { signal });
    return found.filter((stream) => open.some((wanted) => isStream(stream, wanted)));
  };
});

/** From the first row of the streams to their last one. */
export function extentOf(streams: readonly StreamInfo[]): TimeRange | undefined {
  const starts = streams.flatMap(({ dataStart }) => dataStart ?? []);
  const ends = streams.flatMap(({ dataEnd }) => dataEnd ?? []);
  if (starts.length === 0) return undefined;
  return {
    from: starts.reduce((a, b) => (a < b ? a : b)),
    to: ends.reduce((a, b) => (a > b ? a : b)),
  };
}

/** A parameter of the open streams, whatever its kind; definitions of several streams made one. */
export interface ParameterEntry {
  readonly id: string;
  readonly type: ParameterInfo['type'];
  readonly location: string;
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
}

export const openParameters = loaded<ParameterEntry[]>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0) return undefined;
  return (signal) => loadParameters(service, open, signal);
});

async function loadParameters(
  service: Client,
  streams: readonly StreamRef[],
  signal: AbortSignal,
): Promise<ParameterEntry[]> {
  const topics = [...new Set(streams.map(({ topic }) => topic))];
  const streamIds = streams.map(({ streamId }) => streamId);
  const found = await service.parameters({ topics, streamIds }, { signal });
  const entries = new Map<string, ParameterEntry>();
  for (const info of found) {
    const key = `${info.type} ${info.parameterId}`;
    if (entries.has(key)) continue;
    entries.set(key, {
      id: info.parameterId,
      type: info.type,
      location: info.location ?? '/',
      name: info.name ?? info.parameterId,
      unit: info.unit ?? '',
      description: info.description ?? '',
      minimum: info.minimumValue,
      maximum: info.maximumValue,
    });
  }
  return [...entries.values()].sort((a, b) => (a.location + a.id < b.location + b.id ? -1 : 1));
}
