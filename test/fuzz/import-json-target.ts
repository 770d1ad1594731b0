import { jsonCorpus, jsonWords } from './corpus.ts';
import { makeJson } from './json-target.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { openBytes, readTable } from './table-file.ts';
import type { Target } from './target.ts';

/** A JSON file is loaded as rows whose cells are JSON, or refused. */
export const importJsonTarget: Target = {
  name: 'import-json',
  short: 300,
  make(random) {
    const corpus = jsonCorpus();
    const text = random.once(3) ? random.pick(corpus) : Buffer.from(rowsText(random));
    return random.once(3) ? Buffer.from(text) : mutate(text, random, jsonWords, corpus);
  },
  async check(input) {
    // Parameter data say themselves what their times are.
    await readTable(openBytes(input, 'json', input.includes('timestamps') ? undefined : 0n));
  },
};

function rowsText(random: Random): string {
  const rows = Array.from({ length: random.below(4) }, (_, row) => {
    const cells = ['a', 'b', 'TAG__c', 'é'].slice(random.below(4)).map((name) => {
      const value = random.once(4)
        ? makeJson(random).toString()
        : random.pick(['1', '-0.5', '"x"', 'null', '"NaN"', 'true']);
      return `"${name}":${value}`;
    });
    return `{${[`"Timestamp":${random.pick(times)}${row}`, ...cells].join(',')}}`;
  });
  return `[${rows.join(',')}]`;
}

const times = ['1', '-', '159173398900000000', '9.0e1', '92233720368547758'];
