/** What an expression can give. */
export type ValueType = 'scalar' | 'vector' | 'matrix' | 'string';

/** As errors call them. */
export const typeNames: Readonly<Record<ValueType, string>> = {
  scalar: 'scalar',
  vector: 'instant vector',
  matrix: 'range vector',
  string: 'string',
};

export interface Signature {
  readonly args: readonly ValueType[];
  /** How many arguments may be left out, or with -1: how many more of the last type may follow, none is needed. */
  readonly optional: number;
  readonly gives: ValueType;
}

const ofVector: Signature = { args: ['vector'], optional: 0, gives: 'vector' };
const ofMatrix: Signature = { args: ['matrix'], optional: 0, gives: 'vector' };
const ofDate: Signature = { args: ['vector'], optional: 1, gives: 'vector' };
const signature = (args: readonly ValueType[], gives: ValueType = 'vector', optional = 0): Signature => ({
  args,
  optional,
  gives,
});

const names = (list: string): string[] => list.split(/\s+/).filter((name) => name !== '');
const each = (list: string, one: Signature): [string, Signature][] => names(list).map((name) => [name, one]);

/** Every function that there is. */
export const signatures: ReadonlyMap<string, Signature> = new Map([
  ...each(
    `abs absent acos acosh asin asinh atan atanh ceil cos cosh deg exp floor ln log10 log2 rad sgn sin sinh sort sort_desc
     sqrt tan tanh timestamp`,
    ofVector,
  ),
  ...each(
    `absent_over_time avg_over_time changes count_over_time delta deriv idelta increase irate last_over_time max_over_time
     min_over_time present_over_time rate resets stddev_over_time stdvar_over_time sum_over_time`,
    ofMatrix,
  ),
  ...each('day_of_month day_of_week day_of_year days_in_month hour minute month year', ofDate),
  ['clamp', signature(['vector', 'scalar', 'scalar'])],
  ['clamp_max', signature(['vector', 'scalar'])],
  ['clamp_min', signature(['vector', 'scalar'])],
  ['histogram_quantile', signature(['scalar', 'vector'])],
  ['holt_winters', signature(['matrix', 'scalar', 'scalar'])],
  ['label_join', signature(['vector', 'string', 'string', 'string'], 'vector', -1)],
  ['label_replace', signature(['vector', 'string', 'string', 'string', 'string'])],
  ['pi', signature([], 'scalar')],
  ['predict_linear', signature(['matrix', 'scalar'])],
  ['quantile_over_time', signature(['scalar', 'matrix'])],
  ['round', signature(['vector', 'scalar'], 'vector', 1)],
  ['scalar', signature(['vector'], 'scalar')],
  ['time', signature([], 'scalar')],
  ['vector', signature(['scalar'])],
]);
