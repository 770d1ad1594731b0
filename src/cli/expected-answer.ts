/** Whether a value is an answer of the service, as far as a command needs it. */
export type Expected<Answer> = (value: unknown) => value is Answer;

type Kind = 'string' | 'number' | 'list';

/** The members that a command cannot do without; there may be more. */
type Members<Answer> = { readonly [Name in keyof Answer]?: Kind };

/** No body at all, as success of a write is told. */
export const nothing: Expected<undefined> = (value) => value === undefined;

export function objectOf<Answer>(members: Members<Answer>): Expected<Answer> {
  const kinds = Object.entries(members) as [string, Kind][];
  return (value): value is Answer =>
    typeof value === 'object' &&
    value !== null &&
    kinds.every(([name, kind]) => isOf(kind, (value as Readonly<Record<string, unknown>>)[name]));
}

export function listOf<Answer>(members: Members<Answer>): Expected<Answer[]> {
  const isElement = objectOf<Answer>(members);
  return (value): value is Answer[] => Array.isArray(value) && value.every(isElement);
}

function isOf(kind: Kind, value: unknown): boolean {
  return kind === 'list' ? Array.isArray(value) : typeof value === kind;
}
