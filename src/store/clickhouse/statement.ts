/** One statement: its text names its parameters (`{p0:Int64}`), whose values never stand in the text. */
export interface Statement {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
}
