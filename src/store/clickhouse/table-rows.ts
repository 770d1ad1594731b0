/**
 * Rows of the small tables as they are sent: one JSON array a row (JSONCompactEachRow), integers of 64 bits as strings
 * of digits. The table names the columns that its rows have.
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
    'changed',
    'removed',
    'closed',
    'hidden',
    'properties',
  ],
  definitions: ['workspace', 'topic', 'stream', 'kind', 'id', 'field', 'value', 'version'],
  topics: ['workspace', 'topic', 'name', 'retention', 'removed'],
  tokens: ['id', 'hash', 'workspace', 'scopes', 'name', 'created', 'expires', 'removed', 'version'],
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
  readonly changed?: bigint;
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
const never = 2n ** 64n - 1n;

export function streamRow(row: StreamRow): TableRow {
  const { closed, hidden, properties } = row;
  return {
    table: 'streams',
    values: [
      row.workspace,
      row.topic,
      row.stream,
      String(row.touched ?? never),
      String(row.touched ?? 0n),
      String(row.changed ?? 0n),
      String(row.removed ?? 0n),
      { version: String(closed?.version ?? 0n), end_type: closed?.endType ?? '' },
      { version: String(hidden?.version ?? 0n), hidden: hidden?.hidden === true ? 1 : 0 },
      {
        version: String(properties?.version ?? 0n),
        name: properties?.name ?? null,
        location: properties?.location ?? null,
        metadata: properties?.metadata ?? [],
        parents: properties?.parents ?? [],
        time_of_recording: properties?.timeOfRecording ?? null,
      },
    ],
  };
}

/** The bytes of rows of one table. */
export function encodeRows(rows: readonly TableRow[]): Uint8Array {
  return Buffer.from(`${rows.map(({ values }) => JSON.stringify(values)).join('\n')}\n`);
}
