import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchCalculations } from './analysis-calculations.ts';
import { benchRules } from './analysis-rules.ts';
import { benchTags } from './analysis-tags.ts';

const help = `npm run build && npx tsc -p tsconfig.json && node build/bench/analysis.js [--only NAME] [--scale F] [--runs N]

calculations: aggregates of calculated parameters by minutes beside the same aggregates of their operands, on 20 million samples.
              A minute has six rows, so totals of part files do not help either of them.
tags:         /tags of 1,000 streams whose rows have a tag: all rows, and a narrow range of time.
rules:        writes beside 1,000 alert rules, each for one stream, and beside 1,000 rules for streams that do not exist,
              as ratios to writes without rules.
--scale 0.1 makes the loads a tenth; --runs is how often each question or load is repeated (default 7).
Nothing else should run on the machine.`;

const benches = { calculations: benchCalculations, tags: benchTags, rules: benchRules };

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    runs: { type: 'string', default: '7' },
    help: { type: 'boolean' },
  },
});

if (values.help === true) console.log(help);
else {
  if (values.only !== undefined && !(values.only in benches)) {
    console.error(`there is no ${values.only}; there are ${Object.keys(benches).join(', ')}`);
    process.exit(1);
  }
  for (const [name, bench] of Object.entries(benches)) {
    if (values.only !== undefined && values.only !== name) continue;
    const directory = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
    try {
      console.log(`\n${name}`);
      await bench(directory, Number(values.scale), Number(values.runs));
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
}
