import type { ParameterData } from '../../../src/client/client.ts';
import type { Trace, TraceLoad } from '../look/traces.ts';
import type { StreamRef } from '../state/view-text.ts';

/** Rows of the last while, of several streams and parameters, in order of time. */
export interface Rolling {
  /** Rows of one stream; those that are there already are put in the place of the old ones. */
  add(stream: StreamRef, data: ParameterData): void;
  /** Time of the newest row of all; undefined before the first. */
  readonly newest: bigint | undefined;
  /** Lets go of rows before a time. */
  trim(from: bigint): void;
  traces(origin: bigint): Trace[];
}

interface Line {
  readonly stream: StreamRef;
  readonly parameter: string;
  times: bigint[];
  values: number[];
}

export function rolling(streams: readonly StreamRef[], parameters: readonly string[]): Rolling {
  const lines: Line[] = streams.flatMap((stream) =>
    parameters.map((parameter) => ({ stream, parameter, times: [], values: [] })),
  );
  let newest: bigint | undefined;

  return {
    add(stream, data) {
      for (const line of lines) {
        if (line.stream !== stream) continue;
        const column = data.numericValues[line.parameter];
        if (column === undefined) continue;
        for (const [row, value] of column.entries())
          if (value !== null) put(line, data.timestamps[row]!, value);
      }
      const last = data.timestamps.at(-1);
      if (last !== undefined && (newest === undefined || last > newest)) newest = last;
    },
    get newest() {
      return newest;
    },
    trim(from) {
      for (const line of lines) {
        let gone = 0;
        while (gone < line.times.length && line.times[gone]! < from) gone++;
        // Moving the rest costs something, so it is done for many rows at once.
        if (gone * 4 < line.times.length) continue;
        line.times = line.times.slice(gone);
        line.values = line.values.slice(gone);
      }
    },
    traces: (origin) =>
      lines.map(({ stream, parameter, times, values }) => ({
        stream,
        parameter,
        x: Float64Array.from(times, (time) => Number(time - origin) / 1e9),
        y: [...values],
        isRaw: true,
      })),
  };
}

/** Rows come in order but for what is read twice, and for clients that write late. */
function put(line: Line, time: bigint, value: number): void {
  const { times, values } = line;
  let place = times.length;
  while (place > 0 && times[place - 1]! > time) place--;
  if (times[place - 1] === time) {
    values[place - 1] = value;
  } else if (place === times.length) {
    times.push(time);
    values.push(value);
  } else {
    times.splice(place, 0, time);
    values.splice(place, 0, value);
  }
}

/** What the plots show of the last `span` nanoseconds. */
export function windowOf(rows: Rolling, span: bigint): TraceLoad | undefined {
  const { newest } = rows;
  if (newest === undefined) return undefined;
  const from = newest - span;
  rows.trim(from);
  return { range: { from, to: newest }, origin: from, traces: rows.traces(from) };
}
