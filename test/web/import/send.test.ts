import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NewParameterData } from '../../../src/client/models.ts';
import { inspect } from '../../../web/src/import/inspect.ts';
import { guessMapping, type Mapping, mappingProblem } from '../../../web/src/import/mapping.ts';
import { type ImportStopped, send } from '../../../web/src/import/send.ts';
import { survey } from '../../../web/src/import/survey.ts';

const ignore = () => undefined;
const never = new AbortController().signal;

async function mappingOf(file: Blob): Promise<Mapping> {
  return guessMapping(await inspect(file, ignore), 'run 7.csv', 'cars');
}

describe('importing a CSV file', () => {
  const file = new Blob([
    'Time (s),Speed,lap,Mode\n',
    '0.5,100,1,dry\n0.5,101,1,dry\n1,,2,\n1.5,103,2,wet\n',
  ]);

  it('guesses what the columns mean', async () => {
    const mapping = await mappingOf(file);
    assert.equal(mapping.timeForm, 's');
    assert.equal(mapping.streamId, 'run 7');
    assert.deepEqual(
      mapping.columns.map(({ role }) => role),
      ['time', 'number', 'tag', 'text'],
    );
    assert.equal(mappingProblem(mapping), undefined);
  });

  it('takes what the service itself gives as CSV', async () => {
    const mapping = await mappingOf(new Blob(['Timestamp,Speed,TAG__driver\n1591733989000000001,1,a b\n']));
    assert.equal(mapping.timeForm, 'ns');
    assert.deepEqual(mapping.columns[2], { header: 'TAG__driver', name: 'driver', role: 'tag' });
  });

  it('writes every row, empty cells as no value', async () => {
    const written: NewParameterData[] = [];
    const mapping = await mappingOf(file);
    const write = async (topic: string, streamId: string, data: NewParameterData) => {
      assert.deepEqual([topic, streamId], ['cars', 'run 7']);
      written.push(data);
    };
    assert.equal(await send(file, mapping, write, never, ignore), 4);
    assert.deepEqual(written, [
      {
        timestamps: [500_000_000n, 500_000_000n, 1_000_000_000n, 1_500_000_000n],
        numericValues: { Speed: [100, 101, null, 103] },
        stringValues: { Mode: ['dry', 'dry', null, 'wet'] },
        tagValues: { lap: ['1', '1', '2', '2'] },
      },
    ]);
    assert.deepEqual(await survey(file, mapping, ignore), {
      rows: 4,
      faults: 0,
      firstFaults: [],
      from: 500_000_000n,
      to: 1_500_000_000n,
      repeated: 1,
    });
  });

  it('sees past a few cells that do not fit, and names them', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => `${i},${i === 7 ? 'oops' : i}\n`);
    const nearly = new Blob(['t,v\n', ...rows]);
    const mapping = await mappingOf(nearly);
    assert.deepEqual(
      mapping.columns.map(({ role }) => role),
      ['time', 'number'],
    );
    const { firstFaults } = await survey(nearly, mapping, ignore);
    assert.deepEqual(firstFaults, [{ line: 9, message: "v: 'oops' is not a number" }]);
  });

  it('names the line of every fault before anything is written', async () => {
    const bad = new Blob([
      'time,v\n2026-01-01 00:00:00,1\n2026-01-01 00:00:01\nyesterday,3\n\n2026-01-01 00:00:02,x\n',
    ]);
    const guessed = await mappingOf(bad);
    const columns = guessed.columns.map((column, i) => ({
      ...column,
      role: (['time', 'number'] as const)[i]!,
    }));
    const found = await survey(bad, { ...guessed, columns }, ignore);
    assert.equal(found.rows, 1);
    assert.deepEqual(
      found.firstFaults.map(({ line, message }) => `${line} ${message}`),
      [
        '3 1 cell; the header has 2',
        '4 time: \'yesterday\' is no time in the form "date and time (ISO 8601)"',
        "6 v: 'x' is not a number",
      ],
    );
  });

  it('refuses headers that name nothing or the same twice', async () => {
    await assert.rejects(inspect(new Blob(['a,,b\n1,2,3\n']), ignore), /line 1: column 2 has no name/);
    await assert.rejects(inspect(new Blob(['a,a\n1,2\n']), ignore), /line 1: two columns are named a/);
    await assert.rejects(inspect(new Blob([]), ignore), /empty/);
    await assert.rejects(inspect(new Blob(['a\n1\n', new Uint8Array([0xff, 0xfe])]), ignore), /not UTF-8/);
  });

  it('says how far it came when it is stopped', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => `${i},${i}\n`);
    const long = new Blob(['time_ms,v\n', ...rows]);
    let calls = 0;
    const write = async () => {
      if (++calls === 2) throw new Error('The disk is full.');
    };
    await assert.rejects(send(long, await mappingOf(long), write, never, ignore), (error: ImportStopped) => {
      assert.equal(error.rows, 20_000);
      assert.match(error.message, /The disk is full\. 20000 rows, up to line 20001, were written/);
      return true;
    });
  });
});
