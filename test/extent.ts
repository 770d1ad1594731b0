/**
 * How much is asked for: `short` by `npm test`, `long` by `npm run test:long`, `chosen` by `npm test -- WORDS`; nothing where a
 * file is run by itself.
 */
const extent = process.env['TEST_EXTENT'];

const isShort = extent === 'short';

/** Whether there is time for more: random tests try more cases. A file that imports this runs in `npm run test:long` too. */
export const isLong = extent === 'long';

/** Processor time that a random test may go on for, ms: what it has begun, it ends. */
export const randomBudgetMs = isShort ? 500 : Infinity;

/** A budget of random cases: all of them where there is time, and where the file is run by itself. */
export const cases = (all: number): number => (isShort ? Math.ceil(all / 8) : all);

/** How far apart places are that are tried one after another: `near` where there is time, and where the file is run by itself. */
export const stride = (near: number): number => (isShort ? 7 * near : near);

/** For the `skip` of what takes minutes. */
export const takesLong: string | false = !isLong && 'it takes long: npm run test:long runs it';

/** For the `skip` of what needs the engine of ClickHouse. */
export const needsEngine: string | false =
  isShort && 'npm run test:long runs what needs the engine of ClickHouse';
