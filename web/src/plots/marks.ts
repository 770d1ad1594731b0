/** What is drawn behind the traces of every plot. */
export interface Marks {
  readonly events: readonly EventMark[];
  readonly bands: readonly Band[];
  /** Whether a tag has too many values in the range to be shown as bands. */
  readonly isCrowded: boolean;
}

export interface EventMark {
  readonly time: bigint;
  /** How many events it stands for. */
  readonly count: number;
  readonly label: string;
  readonly colour: string;
}

/** A tag has one value from a time to another. */
export interface Band {
  readonly from: bigint;
  readonly to: bigint;
  readonly label: string;
  readonly colour: string;
}

export const noMarks: Marks = { events: [], bands: [], isCrowded: false };
