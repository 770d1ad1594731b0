import { PitwallError } from '../../src/errors.ts';
import { parseQuery } from '../../src/promql/parse.ts';
import { inOneLine, printed } from '../../src/promql/print.ts';
import { randomQuery } from '../promql/random-query.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const corpus = [
  'sum by (job, "a b") (rate(http_total{code=~"5..", "x y"!="z"}[5m] offset -1m @ 123.5))',
  '{"Engine RPM", lap!~"1|2"}[1h:5m] offset 3m',
  'a + on (x) group_left (y) b * -2 ^ 2 atan2 c or d unless ignoring () e',
  'histogram_quantile(0.9, sum without (i) (increase(b_bucket[1d12h] @ end())))',
  `label_replace(up, "x", '$1', \`y\`, "(.*)\\u00e9") # comment`,
  'holt_winters(a:b[5m], .5, 1e-1) > bool -Inf == bool NaN',
].map((text) => Buffer.from(text));
const words = [
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '`',
  ',',
  '-',
  '^',
  ' offset ',
  ' @ ',
  'bool ',
  '=~',
  '5m',
  'é',
  '\\',
  '#',
].map((word) => Buffer.from(word));

/**
 * Reading a query never throws anything but an error of ours. What is read, written in one form, is read as the same, in one line and
 * on several.
 */
export const promqlTarget: Target = {
  name: 'promql',
  short: 1500,
  make: (random: Random) =>
    random.once(3) ? Buffer.from(randomQuery(random, 4)) : mutate(random.pick(corpus), random, words, corpus),
  check(input) {
    const expression = read(input.toString());
    if (expression === undefined) return;
    const line = inOneLine(expression);
    for (const text of [line, printed(expression)]) {
      const again = parseQuery(text);
      if (inOneLine(again) !== line) throw new Error(`is another one the second time: ${text}`);
    }
  },
};

function read(text: string) {
  try {
    return parseQuery(text);
  } catch (error) {
    if (!(error instanceof PitwallError)) throw error;
    return undefined;
  }
}
