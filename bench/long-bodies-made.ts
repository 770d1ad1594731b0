/** A kind of body that is as large as it may be, or has as many parts. */
export interface LongBody {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  /** POST where absent. */
  readonly method?: 'PUT';
  /** Another body for each number. */
  readonly make: (number: number) => Buffer;
  /** A request that comes before: method, path, body. */
  readonly before?: readonly [string, string, string];
}

const rows = 1_000_000;
const columns = 13;

/** So many texts with commas between them, by their places. */
function list(count: number, text: (place: number) => string): string {
  return Array.from({ length: count }, (_, place) => text(place)).join(',');
}

/** 28 MiB of `1,`: 13 columns of a million rows, with one time for all. */
function doubles(time: string): Buffer {
  const ones = `[${'1,'.repeat(rows - 1)}1]`;
  const values = list(columns, (column) => `"p${column}":${ones}`);
  return Buffer.from(`{"epoch":${time},"timestamps":${ones},"numericValues":{${values}}}`);
}

const json = 'application/json';
const now = (): string => `${Date.now()}000000`;

function batch(count: number, streamOf: (place: number) => string): Buffer {
  const time = now();
  const payload = (place: number): string =>
    `{"streamId":"${streamOf(place)}","timestamps":[${time}],"numericValues":{"a":[1]}}`;
  return Buffer.from(`[${list(count, payload)}]`);
}

export const longBodies: readonly LongBody[] = [
  {
    name: 'doubles',
    path: '/topics/large/streams/one/parameters/data',
    type: json,
    make: () => doubles(now()),
  },
  {
    name: 'expired',
    path: '/topics/brief/streams/one/parameters/data',
    type: json,
    before: ['PUT', '/topics/brief', '{"retention":"1h"}'],
    make() {
      const columns = 8;
      const times = list(rows, (row) => (row % 2 === 0 ? '1' : '-7200000000000'));
      const ones = `[${'1,'.repeat(rows - 1)}1]`;
      const values = list(columns, (column) => `"p${column}":${ones}`);
      return Buffer.from(`{"epoch":${now()},"timestamps":[${times}],"numericValues":{${values}}}`);
    },
  },
  {
    name: 'streams',
    path: '/topics/large/parameters/data',
    type: json,
    make: (number) => batch(100_000, (place) => `s${number}-${place}`),
  },
  {
    name: 'payloads',
    path: '/topics/large/parameters/data',
    type: json,
    make: () => batch(100_000, () => 'one'),
  },
  {
    name: 'tags',
    path: '/topics/large/streams/one/parameters/data',
    type: json,
    make: (number) =>
      Buffer.from(
        `{"timestamps":[${'1,'.repeat(rows - 1)}1],"numericValues":{"a":[${'1,'.repeat(rows - 1)}1]},` +
          `"tagValues":{"t":[${list(rows, (row) => `"${number}-${row % 300_000}"`)}]}}`,
      ),
  },
  {
    name: 'strings',
    path: '/topics/large/streams/one/parameters/data',
    type: json,
    make: () =>
      Buffer.from(
        `{"timestamps":[${'1,'.repeat(rows - 1)}1],"stringValues":{"a":[${list(rows, (row) => `"text ${row}"`)}],` +
          `"b":[${list(rows, () => `"the same"`)}]}}`,
      ),
  },
  {
    name: 'events',
    path: '/topics/large/streams/one/events/data',
    type: json,
    make: () =>
      Buffer.from(
        `[${list(400_000, (place) => `{"id":"e${place % 100}","timestamp":${place},"value":"v"}`)}]`,
      ),
  },
  {
    name: 'definitions',
    path: '/topics/large/streams/one/parameters',
    method: 'PUT',
    type: json,
    make: () => Buffer.from(`[${list(100_000, (place) => `{"id":"p${place}","name":"a name"}`)}]`),
  },
];
