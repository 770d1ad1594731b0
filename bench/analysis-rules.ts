import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { payloads, streamName, type Workload } from './data.ts';
import { load } from './driver.ts';
import { printTable, show } from './figures.ts';
import { pitwallPut, pitwallWrite, startPitwall } from './pitwall.ts';
import { median } from './random.ts';

const topic = 'bench';
const ruleCount = 1000;

interface Load {
  readonly name: string;
  readonly workload: Workload;
  readonly connections: number;
}

/** Which streams the rules are for. */
const rulesOf = {
  'no rules': undefined,
  'a rule for each stream': (index: number) => streamName(index),
  'rules for no stream': (index: number) => `nobody-${index}`,
} as const;

/** The rates of writes beside rules, on a fresh store each, in turns. */
export async function benchRules(directory: string, scale: number, runs: number): Promise<void> {
  const shape = { shape: 'decimals', streams: ruleCount } as const;
  const loads: readonly Load[] = [
    {
      name: '1000 rows × 10',
      workload: {
        ...shape,
        payloadsPerStream: Math.max(1, Math.round(3 * scale)),
        rowsPerPayload: 1000,
        parameters: 10,
      },
      connections: 4,
    },
    {
      name: '10 rows × 10',
      workload: {
        ...shape,
        payloadsPerStream: Math.max(5, Math.round(60 * scale)),
        rowsPerPayload: 10,
        parameters: 10,
      },
      connections: 32,
    },
  ];
  const table = [
    [
      'requests of',
      'requests/s, no rules',
      'a rule for each stream',
      'rules for no stream',
      'wanted at most',
    ],
  ];
  for (const { name, workload, connections } of loads) {
    const requests = [...payloads(workload)].map((payload) => pitwallWrite(payload, topic));
    const seconds = new Map<string, number[]>();
    for (let run = 0; run < runs; run++) {
      for (const [kind, streamOf] of Object.entries(rulesOf)) {
        const folder = join(directory, `${connections}-${run}-${kind.replaceAll(' ', '-')}`);
        mkdirSync(folder);
        const system = await startPitwall(folder);
        try {
          if (streamOf !== undefined) await load(system.port, rules(streamOf), 8);
          const loaded = await load(system.port, requests, connections);
          seconds.set(kind, [...(seconds.get(kind) ?? []), loaded.seconds]);
        } finally {
          await system.stop();
        }
      }
    }
    const without = seconds.get('no rules')!;
    const ratio = (kind: keyof typeof rulesOf) =>
      show(median(seconds.get(kind)!.map((taken, run) => taken / without[run]!)));
    const rate = requests.length / median(without);
    table.push([name, show(rate), ratio('a rule for each stream'), ratio('rules for no stream'), '1.25 / 1']);
  }
  printTable(table);
}

/** True in some rows of some streams: values walk from 0 to 100. */
function rules(streamOf: (index: number) => string): Buffer[] {
  return Array.from({ length: ruleCount }, (_, index) =>
    pitwallPut(`/topics/${topic}/alerts/rule-${index}`, {
      expression: 'p0 > 95',
      streams: { streamIds: [streamOf(index)] },
    }),
  );
}
