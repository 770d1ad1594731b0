import type { ParameterInfo } from '../../../src/client/models.ts';

/** A parameter of the open streams, whatever its kind; definitions of several streams made one. */
export interface ParameterEntry {
  readonly id: string;
  readonly type: ParameterInfo['type'];
  readonly location: string;
  readonly name: string;
  /** In which it is shown; what has a unit is in it. */
  readonly unit: string;
  /** In which it was written. */
  readonly ownUnit: string;
  readonly description: string;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** What its numbers are called; undefined where nobody said. */
  readonly names: Readonly<Record<string, string>> | undefined;
  /** Of a calculated one; empty of one that is written. */
  readonly expression: string;
  /** Calculated for this view alone; no topic keeps it. */
  readonly isOfView: boolean;
}

/** Whether it has numbers: what is plotted and calculated with. */
export function hasNumbers({ type }: Pick<ParameterEntry, 'type'>): boolean {
  return type === 'Numeric' || type === 'Calculated';
}
