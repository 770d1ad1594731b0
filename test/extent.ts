/**
 * How much is asked for: `short` by `npm test`, `long` by `npm run test:long`, `chosen` by `npm test -- WORDS`; nothing where a
 * file is run by itself.
 */
const extent = process.env['TEST_EXTENT'];

/** Whether there is time for more: random tests try more cases. A file that imports this runs in `npm run test:long` too. */
export const isLong = extent === 'long';

/** For the `skip` of what takes minutes. */
export const takesLong: string | false = !isLong && 'it takes long: npm run test:long runs it';

/** For the `skip` of what needs the engine of ClickHouse. */
export const needsEngine: string | false =
  extent === 'short' && 'npm run test:long runs what needs the engine of ClickHouse';
