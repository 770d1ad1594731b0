/**
 * Rows of the small tables as they are sent: one JSON array a row (JSONCompactEachRow), integers of 64 bits as strings
 * of digits. The table names the columns that its rows have. Versions of what a row says are bigints until it is sent,
 * and nothing else is one.
 */
export interface TableRow {
  readonly table: SmallTable;
  readonly values: readonly unknown[];
}

export type SmallTable = keyof typeof tableColumns;

export const tableColumns = {
  streams: [
    'workspace',
    'topic',
    'stream',
    'created',
    'touched',
    'removed',
    'closed',
    'hidden',
    'properties',
  ],
  arrivals: ['workspace', 'topic', 'stream', 'first_at', 'last_at', 'change_at', 'removal_at'],
  definitions: ['workspace', 'topic', 'stream', 'kind', 'id', 'field', 'value', 'version'],
  topics: ['workspace', 'topic', 'name', 'retention'],
  tokens: ['id', 'hash', 'workspace', 'scopes', 'name', 'created', 'expires', 'removed', 'version'],
  kept: ['workspace', 'kind', 'topic', 'id', 'topic_name', 'body', 'updated', 'removed', 'version'],
  workspaces: ['name', 'created', 'retention', 'max_streams', 'max_bytes', 'removed', 'version'],
} as const;

/** What a row of `streams` says; all that is left out says nothing. Versions as in the schema. */
export interface StreamRow {
  readonly workspace: string;
  /** Folded to lower case. */
  readonly topic: string;
  readonly stream: string;
  /** A write: the stream is there and open. */
  readonly touched?: bigint;
  readonly removed?: bigint;
  readonly closed?: { readonly version: bigint; readonly endType: string };
  readonly hidden?: { readonly version: bigint; readonly hidden: boolean };
  readonly properties?: StreamRowProperties;
}

export interface StreamRowProperties {
  readonly version: bigint;
  readonly name: string | null;
  readonly location: string | null;
  readonly metadata: readonly (readonly [string, string])[];
  readonly parents: readonly string[];
  readonly timeOfRecording: number | null;
}

/** Larger than every version: it never was created. */
const never = String(2n ** 64n - 1n);
const nothing = '0';

export function streamRow(row: StreamRow): TableRow {
  const { closed, hidden, properties } = row;
  return {
    table: 'streams',
    values: [
      row.workspace,
      row.topic,
      row.stream,
      row.touched ?? never,
      row.touched ?? nothing,
      row.removed ?? nothing,
      { version: closed?.version ?? nothing, end_type: closed?.endType ?? '' },
      { version: hidden?.version ?? nothing, hidden: hidden?.hidden === true ? 1 : 0 },
      {
        version: properties?.version ?? nothing,
        name: properties?.name ?? null,
        location: properties?.location ?? null,
        metadata: properties?.metadata ?? [],
        parents: properties?.parents ?? [],
        time_of_recording: properties?.timeOfRecording ?? null,
      },
    ],
  };
}

/** The row with versions that are larger by so much. */
export function raisedRow({ table, values }: TableRow, by: bigint): TableRow {
  const raised = (value: unknown): unknown => {
    if (typeof value === 'bigint') return value + by;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, raised(one)]));
  };
  return { table, values: values.map(raised) };
}

/** The bytes of rows of one table. */
export function encodeRows(rows: readonly TableRow[]): Uint8Array {
  const printed = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return Buffer.from(`${rows.map(({ values }) => JSON.stringify(values, printed)).join('\n')}\n`);
}
