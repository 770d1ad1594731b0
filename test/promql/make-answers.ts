import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { type Answered, ask } from './ask.ts';
import { type Asked, allQueries } from './queries.ts';
import { startReal } from './real-prometheus.ts';

// Makes test/promql/answers.json anew, with what Prometheus itself answers:
//
//   npx tsc -b && node build/test/promql/make-answers.js

const prometheus = await startReal();
try {
  const lines: string[] = [];
  for (const asked of allQueries()) {
    const answered = await ask(prometheus.url, asked);
    lines.push(JSON.stringify([asked, shortened(answered)] satisfies [Asked, Answered]));
  }
  writeFileSync(join(root, 'test/promql/answers.json'), `[\n${lines.join(',\n')}\n]\n`);
} finally {
  prometheus.stop();
}

/** Words of errors are not compared, and not kept. */
function shortened({ error: _, ...answered }: Answered): Answered {
  return answered;
}
