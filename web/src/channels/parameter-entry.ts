import type { ParameterInfo } from '../../../src/client/models.ts';
import type { StreamRef } from '../state/refs.ts';
import { isStream } from '../state/same-stream.ts';

/** A parameter of the open streams, whatever its kind; definitions of several streams made one. */
export interface ParameterEntry {
  readonly id: string;
  readonly type: ParameterInfo['type'];
  readonly location: string;
  readonly name: string;
  /** In which it is shown; what has a unit is in it. */
  readonly unit: string;
  /** In which it was written; where several runs have different ones, the first of them, or all if they do not convert. */
  readonly ownUnit: string;
  /** In which unit it was written in which of the open runs. */
  readonly written: readonly { readonly unit: string; readonly streams: readonly StreamRef[] }[];
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

/** Whether a run has it. */
export function isWrittenIn({ written }: ParameterEntry, run: StreamRef): boolean {
  return written.some(({ streams }) => streams.some((own) => isStream(own, run)));
}

/** Whether it has numbers: what is plotted and calculated with. */
export function hasNumbers({ type }: Pick<ParameterEntry, 'type'>): boolean {
  return type === 'Numeric' || type === 'Calculated';
}
