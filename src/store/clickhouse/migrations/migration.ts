import type { Topology } from '../schema.ts';

/**
 * A step of the schema, run once on a database, in the order of the numbers. Several nodes may run it at the same
 * time, and a node may stop in the middle: each of its statements changes nothing when it is run again.
 */
export interface Migration {
  /** 1, 2, 3 …: the number of the schema that it leads to. Never used twice, never changed once released. */
  readonly number: number;
  readonly name: string;
  statements(topology: Topology): readonly string[];
}
