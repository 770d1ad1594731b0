import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import { fileOf, readText } from './read-text.ts';

/** What a program of the machine writes; undefined without it. */
function writtenBy(program: string, args: readonly string[]): Buffer | undefined {
  try {
    return execFileSync(program, args, { stdio: 'pipe' });
  } catch {
    return undefined;
  }
}

const python = (program: string) => writtenBy('/usr/bin/python3', ['-c', program]);
const ofPandas = (call: string) =>
  python(`
import sys, pandas as pd
td = pd.to_timedelta([0, 100_000_000, 93_784_500_000_000], unit='ns')
df = pd.DataFrame({'ok': [True, False, True], 'v': [1.5, float('nan'), 3.0], 'w': ['a', None, 'c']})
df.insert(0, 'time', td)
${call}`);
const sigrok = (options: string) =>
  writtenBy('sigrok-cli', [
    '-d',
    'demo',
    '--config',
    'samplerate=1m',
    '--samples',
    '4',
    '-C',
    'D0,D1',
    '-O',
    options,
  ]);

const start = 1_612_191_099_000_000_000n;
const skipped = (bytes: Buffer | undefined, name: string) =>
  bytes === undefined ? `${name} is not installed` : false;

const timedeltas = ofPandas('df.to_csv(sys.stdout, index=False)');
describe('text that pandas of Debian writes', { skip: skipped(timedeltas, 'python3-pandas') }, () => {
  it('has times that passed, booleans, and no value in empty cells', async () => {
    const { rows, columns } = await readText(timedeltas!);
    assert.deepEqual(
      rows.map(({ time }) => time),
      [0n, 100_000_000n, 93_784_500_000_000n],
    );
    assert.deepEqual(columns, {
      'ok [] number': [1, 0, 1],
      'v [] number': [1.5, null, 3],
      'w [] text': ['a', null, 'c'],
    });
  });

  it('has an index without a name, with every cell in quotes, or the times in it', async () => {
    const quoted = ofPandas('import csv\ndf.to_csv(sys.stdout, quoting=csv.QUOTE_ALL)')!;
    assert.deepEqual((await readText(quoted)).columns, {
      'Column 1 [] number': [0, 1, 2],
      'ok [] number': [1, 0, 1],
      'v [] number': [1.5, null, 3],
      'w [] text': ['a', null, 'c'],
    });
    const indexed = ofPandas(
      "df.index = pd.date_range('2021-02-01 14:51:39', periods=3, freq='100ms', tz='Europe/Berlin')\ndf.drop(columns='time').to_csv(sys.stdout)",
    )!;
    assert.deepEqual(
      (await readText(indexed)).rows.map(({ time }) => time - start + 3_600_000_000_000n),
      [0n, 100_000_000n, 200_000_000n],
    );
  });

  it('is asked about where only the index could be the time', async () => {
    const { timeDoubt } = await openText(fileOf(ofPandas("df.drop(columns='time').to_csv(sys.stdout)")!), {});
    assert.match(timeDoubt?.message ?? '', /the times of Column 1 count rows/);
  });
});

const saved = python(`
import sys, numpy as np
np.savetxt(sys.stdout.buffer, [[0.1, 1.25], [0.2, 2.5]], header='recorded today\\nt speed', footer='the end')`);
describe('text that NumPy of Debian writes', { skip: skipped(saved, 'python3-numpy') }, () => {
  it('has names in a comment, times that are exact, and a comment at its end', async () => {
    const { rows, columns, survey } = await readText(saved!);
    assert.deepEqual(
      rows.map(({ time }) => time),
      [100_000_000n, 200_000_000n],
    );
    assert.deepEqual(columns, { 'speed [] number': [1.25, 2.5] });
    assert.deepEqual([survey.comments?.count, survey.rounded], [1, undefined]);
  });
});

const units = sigrok('csv:time=true');
describe('text that sigrok-cli of Debian writes', { skip: skipped(units, 'sigrok-cli') }, () => {
  it('has the unit of its times in their name', async () => {
    const { rows, columns } = await readText(units!);
    assert.deepEqual(
      rows.map(({ time }) => time),
      [1000n, 2000n, 3000n, 4000n],
    );
    assert.deepEqual(Object.keys(columns), ['logic [] number', 'logic (2) [] number']);
  });

  it('is asked about where columns have the names of channels, and the time no unit', async () => {
    const { timeDoubt } = await openText(fileOf(sigrok('csv:time=true:label=channel')!), {});
    assert.match(timeDoubt?.message ?? '', /the times of Time have no unit, which sigrok chooses/);
  });
});
