import { request } from './driver.ts';
import { token } from './pitwall.ts';
import { seededRandom } from './random.ts';

/** What one scenario writes, request by request. */
export interface CapacityLoad {
  readonly name: string;
  readonly values: number;
  /** Settings of the service that it needs. */
  readonly args: readonly string[];
  readonly requests: Iterable<Buffer>;
  /** A stream and a parameter of it, to be read. */
  readonly stream: string;
  readonly parameter: string;
}

const auth = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
const firstMs = 1767225600000;

function post(path: string, body: string): Buffer {
  return request('POST', `/topics/capacity${path}`, auth, Buffer.from(body));
}

/** Rows of so many milliseconds' distance. */
function times(count: number, stepMs: number, fromMs = firstMs): string {
  return Array.from({ length: count }, (_, row) => `${fromMs + row * stepMs}000000`).join(',');
}

/** Random walks with three decimals, one for each channel. */
function walks(channels: number): (channel: number) => string {
  const random = seededRandom(7);
  const at = new Float64Array(channels).fill(100);
  return (channel) => {
    at[channel] = Math.round((at[channel]! + random() - 0.5) * 1000) / 1000;
    return String(at[channel]);
  };
}

function column(name: string, rows: number, next: () => string): string {
  return `"${name}":[${Array.from({ length: rows }, next).join(',')}]`;
}

/** A million streams of two rows with one parameter, 1000 of them in a request. */
export function manyStreams(streams: number): CapacityLoad {
  const inRequest = 1000;
  function* requests(): Generator<Buffer> {
    const next = walks(1);
    for (let from = 0; from < streams; from += inRequest) {
      const payloads = Array.from({ length: Math.min(inRequest, streams - from) }, (_, i) => {
        const value = () => next(0);
        return `{"streamId":"device-${from + i}","timestamps":[${times(2, 1000)}],"numericValues":{${column('p', 2, value)}}}`;
      });
      yield post('/parameters/data', `[${payloads.join(',')}]`);
    }
  }
  const name = `${streams} streams × 2 rows`;
  return { name, values: 2 * streams, args: [], requests: requests(), stream: 'device-0', parameter: 'p' };
}

/** One stream with so many channels, at the same times or each at its own. */
export function manyChannels(channels: number, rows: number, shareTimes: boolean): CapacityLoad {
  const inRequest = shareTimes ? Math.min(channels, 100) : 1;
  function* requests(): Generator<Buffer> {
    const next = walks(channels);
    for (let from = 0; from < channels; from += inRequest) {
      const fromMs = shareTimes ? firstMs : firstMs + from;
      const columns = Array.from({ length: Math.min(inRequest, channels - from) }, (_, i) =>
        column(`channel-${from + i}`, rows, () => next(from + i)),
      );
      // Steps of so many ms as there are channels: no two channels of their own share a time.
      const stamps = times(rows, shareTimes ? 10 : channels, fromMs);
      yield post(
        '/streams/wide/parameters/data',
        `{"timestamps":[${stamps}],"numericValues":{${columns.join(',')}}}`,
      );
    }
  }
  const name = `1 stream × ${channels} channels × ${rows} rows, ${shareTimes ? 'at the same times' : 'each at times of its own'}`;
  const values = channels * rows;
  return { name, values, args: [], requests: requests(), stream: 'wide', parameter: 'channel-0' };
}

/** So many streams of so many channels at 100 Hz, ten seconds in a request. */
export function steadyLoad(streams: number, channels: number, seconds: number): CapacityLoad {
  const rows = 1000;
  function* requests(): Generator<Buffer> {
    const next = walks(channels);
    for (let second = 0; second < seconds; second += rows / 100) {
      const stamps = times(rows, 10, firstMs + second * 1000);
      for (let stream = 0; stream < streams; stream++) {
        const columns = Array.from({ length: channels }, (_, i) =>
          column(`channel-${i}`, rows, () => next(i)),
        );
        yield post(
          `/streams/car-${stream}/parameters/data`,
          `{"timestamps":[${stamps}],"numericValues":{${columns.join(',')}}}`,
        );
      }
    }
  }
  const name = `${streams} streams × ${channels} channels at 100 Hz, ${seconds} s`;
  const values = streams * channels * seconds * 100;
  return { name, values, args: [], requests: requests(), stream: 'car-0', parameter: 'channel-0' };
}

/** One stream that has a value of so many parameters. */
export function manyNames(names: number): CapacityLoad {
  const inRequest = 1000;
  function* requests(): Generator<Buffer> {
    for (let from = 0; from < names; from += inRequest) {
      const columns = Array.from(
        { length: Math.min(inRequest, names - from) },
        (_, i) => `"parameter-${from + i}":[1]`,
      );
      yield post(
        '/streams/named/parameters/data',
        `{"timestamps":[${firstMs}000000],"numericValues":{${columns.join(',')}}}`,
      );
    }
  }
  const name = `${names} names of parameters in one stream`;
  return { name, values: names, args: [], requests: requests(), stream: 'named', parameter: 'parameter-0' };
}
