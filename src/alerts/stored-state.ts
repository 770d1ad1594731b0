import { Firing, type RuleState } from './rule-state.ts';

/**
 * The state of a rule and a stream, as it is kept: kind `alertState`, the rule's topic, the id
 * `<rule>\n<stream>`, and as its body the JSON array
 *
 *   made       when the rule was made (ms), which tells it from an earlier one of its name
 *   revision   the wording of the rule that it is a state of
 *   evaluated  ns, as a string of digits; null where no row was evaluated yet
 *   since      ns, as a string of digits; null where no run of true rows goes on
 *   firing     0 no, 1 for what rows say, 2 for silence
 *   changedAt  ns, as a string of digits; null where nothing ever changed
 *   heardAt    ms
 *   told       1 where the stream has the definition of the rule's events, of this revision; 0 else
 *   memory     of functions along rows (rule-memory.ts); null, or left out, where there is none
 *   ahead      of the last row that was too far ahead of the clock its time (ns, as a string of digits), when it came
 *              and when an event told of it (ms each); left out where there was none
 */
export interface StoredState extends RuleState {
  readonly made: number;
  readonly revision: number;
  readonly told: boolean;
}

/**
 * Makes a kept state as a literal: with a spread each would be a table of names, of a kilobyte, and there is one for
 * each write.
 */
export function storedState(
  { evaluated, since, firing, changedAt, heardAt, ahead, memory }: RuleState,
  { made, revision, told }: Pick<StoredState, 'made' | 'revision' | 'told'>,
): StoredState {
  return { evaluated, since, firing, changedAt, heardAt, ahead, memory, made, revision, told };
}

export function stateId(rule: string, streamId: string): string {
  return `${rule}\n${streamId}`;
}

/** The names of rules have no control characters. */
export function namedByStateId(id: string): { readonly rule: string; readonly streamId: string } {
  const at = id.indexOf('\n');
  return { rule: id.slice(0, at), streamId: id.slice(at + 1) };
}

export function stateBody(state: StoredState): string {
  const { made, revision, evaluated, since, firing, changedAt, heardAt, told, memory, ahead } = state;
  const last = ahead && `,["${ahead.time}",${ahead.cameAt},${ahead.toldAt}]`;
  const rest =
    memory === undefined && last === undefined ? '' : `,${JSON.stringify(memory ?? null)}${last ?? ''}`;
  return `[${made},${revision},${digits(evaluated)},${digits(since)},${firing},${digits(changedAt)},${heardAt},${told ? 1 : 0}${rest}]`;
}

function digits(time: bigint | undefined): string {
  return time === undefined ? 'null' : `"${time}"`;
}

/** When the rule of a state was made (ms), without a look at the rest of its body; NaN where it is none. */
export function madeOfBody(body: string): number {
  return Number(/^\[(\d+),/.exec(body)?.[1]);
}

/** Undefined where it is none: of a version to come, for one. */
export function stateOfBody(body: string): StoredState | undefined {
  try {
    const [made, revision, evaluated, since, firing, changedAt, heardAt, told, memory, ahead] = JSON.parse(
      body,
    ) as Body;
    return {
      evaluated: timeOf(evaluated),
      since: timeOf(since),
      firing: firing === Firing.Rows || firing === Firing.Silence ? firing : Firing.No,
      changedAt: timeOf(changedAt),
      heardAt,
      ahead: ahead && { time: BigInt(ahead[0]), cameAt: ahead[1], toldAt: ahead[2] },
      memory: memory ?? undefined,
      made,
      revision,
      told: told === 1,
    };
  } catch {
    return undefined;
  }
}

function timeOf(digits: string | null): bigint | undefined {
  return digits === null ? undefined : BigInt(digits);
}

type Body = readonly [
  made: number,
  revision: number,
  evaluated: string | null,
  since: string | null,
  firing: Firing,
  changedAt: string | null,
  heardAt: number,
  told: number,
  memory?: string | null,
  ahead?: readonly [time: string, cameAt: number, toldAt: number],
];
