/** The kinds of values as the tables spell them, each at the place of its number (domain/parameter-data.ts). */
export const kindNames = ['numeric', 'string', 'binary', 'event'] as const;

/** The type of the column `kind`. */
export const kindType = `Enum8(${kindNames.map((name, kind) => `'${name}' = ${kind}`).join(', ')})`;
