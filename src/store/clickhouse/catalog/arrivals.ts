import { type Sql, sql } from '../server/sql.ts';
import { leadOf, type Stamp } from '../server/version-clock.ts';
import type { TableRow } from './table-rows.ts';

interface Owner {
  readonly workspace: string;
  /** Folded to lower case. */
  readonly topic: string;
  readonly stream: string;
}

/** That something which is told of a stream came at a time. */
export interface Arrival extends Owner {
  /** A write; a change or an end; a removal for good. */
  readonly what: 'write' | 'change' | 'removal';
  /** The first version that says so, and the last. */
  readonly first: bigint;
  readonly last: bigint;
  /** In ns since the Unix epoch. */
  readonly at: bigint;
}

export function removalOf(stream: Owner, { version, at }: Stamp): Arrival {
  return { ...stream, what: 'removal', first: version, last: version, at };
}

/** Larger than every version. */
const never = String(2n ** 64n - 1n);
/** As `first_at`: says nothing. */
export const noFirst = sql`(18446744073709551615, 0)`;
const nothing = { version: '0', at: '0' };

/** Rows of `arrivals` for what came at another time than its versions say. */
export function arrivalRows(arrivals: readonly Arrival[]): TableRow[] {
  return arrivals.filter(({ last, at }) => leadOf(last, at) > 0n).map(arrivalRow);
}

function arrivalRow({ workspace, topic, stream, what, first, last, at: ns }: Arrival): TableRow {
  const at = String(ns);
  const told = { version: String(last), at };
  return {
    table: 'arrivals',
    values: [
      workspace,
      topic,
      stream,
      what === 'write' ? { version: String(first), at } : { version: never, at: '0' },
      what === 'write' ? told : nothing,
      what === 'change' ? told : nothing,
      what === 'removal' ? told : nothing,
    ],
  };
}

/**
 * When came what a version of a row of `streams` says, in ns since the Unix epoch. `told` is the column of `arrivals`
 * that tells it of one version.
 */
export function arrivalOf(version: Sql, told: Sql): Sql {
  return sql`if(tupleElement(${told}, 'version') = ${version}, tupleElement(${told}, 'at'), ${version})`;
}
