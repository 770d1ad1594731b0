import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { printTable, show } from './figures.ts';
import { type MakeFile, makeCsv, makeMcap, makeParquet } from './import-files.ts';
import { serve, token } from './pitwall.ts';
import { median } from './random.ts';
import { cpuSecondsOf, stopProcess } from './system.ts';

const help = `node build/bench/imports.js [--beside DIR] [--mb N] [--runs N] [--only NAME]

Imports a CSV, a Parquet and an MCAP file of N MB each (default 1000) with this build's command, and with that of
another checkout that was built in DIR, in turns, N rounds (default 3), each into a fresh service of this build.
Prints medians. Names: csv, parquet, mcap. Nothing else should run on the machine.`;

const kinds: readonly (readonly [name: string, make: MakeFile])[] = [
  ['csv', makeCsv],
  ['parquet', makeParquet],
  ['mcap', makeMcap],
];

interface Run {
  readonly seconds: number;
  /** Processor time of the command and of the service. */
  readonly cpuSeconds: readonly [command: number, service: number];
}

/** Processor time of the children that ended so far. */
function childrenSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function runImport(root: string, file: string, directory: string): Promise<Run> {
  const dataDir = join(directory, 'data');
  const { child, port } = await serve(['--data-dir', dataDir]);
  const before = childrenSeconds();
  const begin = performance.now();
  const args = ['import', file, '--topic', 'bench', '--stream', 'one', '--url', `http://127.0.0.1:${port}`];
  await promisify(execFile)(process.execPath, [join(root, 'dist/cli/pitwall.js'), ...args, '--token', token]);
  const seconds = (performance.now() - begin) / 1000;
  const command = childrenSeconds() - before;
  const service = cpuSecondsOf(child);
  await stopProcess(child);
  rmSync(dataDir, { recursive: true });
  return { seconds, cpuSeconds: [command, service] };
}

const { values } = parseArgs({
  options: {
    beside: { type: 'string' },
    mb: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(help);
} else {
  const own = fileURLToPath(new URL('../..', import.meta.url));
  const roots = [own, ...(values.beside === undefined ? [] : [resolve(values.beside)])];
  for (const root of roots) if (!existsSync(join(root, 'dist'))) throw new Error(`${root} is not built`);
  const directory = mkdtempSync(join(tmpdir(), 'pitwall-imports-'));
  try {
    const rows = [['', 'MB', 'build', 's', 'MB/s', 'command, cpu s', 'service, cpu s', 'ratio of cpu, of s']];
    for (const [name, make] of kinds.filter(([name]) => values.only === undefined || name === values.only)) {
      const file = join(directory, `one.${name}`);
      await make(file, Number(values.mb) * 1e6);
      const runs: Run[][] = roots.map(() => []);
      for (let round = 0; round < Number(values.runs); round++)
        for (const [i, root] of roots.entries()) runs[i]!.push(await runImport(root, file, directory));
      const mb = statSync(file).size / 1e6;
      const of = (pick: (run: Run) => number) => runs.map((all) => median(all.map(pick)));
      const [seconds, command, service] = [
        of((run) => run.seconds),
        of((run) => run.cpuSeconds[0]),
        of((run) => run.cpuSeconds[1]),
      ];
      roots.forEach((_, i) => {
        const ratios = [command[0]! / command[i]!, seconds[0]! / seconds[i]!].map((ratio) =>
          ratio.toFixed(2),
        );
        const build = i === 0 ? 'this' : 'that';
        const figures = [seconds[i]!, mb / seconds[i]!, command[i]!, service[i]!].map(show);
        rows.push([name, show(mb), build, ...figures, i === 0 ? '' : ratios.join(', ')]);
      });
      rmSync(file);
    }
    printTable(rows);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
