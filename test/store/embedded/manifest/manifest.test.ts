import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type CopyableManifest,
  type Key,
  lostEntries,
  type ManifestChange,
  type ManifestReader,
  type TableName,
  tableNames,
} from '../../../../src/store/embedded/manifest/manifest.ts';
import { openManifest, readManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import { binaryText } from '../../../binary-text.ts';
import { cases, stride } from '../../../extent.ts';

let root: string;
let directory: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pitwall-manifest-'));
  directory = join(root, 'catalog');
  cpSync(mkdtempSync(join(root, 'empty-')), directory, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const stream = (id: string): unknown => ({ topic: 1, id, createdAt: 1, lastUpdate: 2, parameters: [1, 5] });

/** Everything that a manifest says, by table and key. */
function everything(manifest: ManifestReader): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const table of tableNames) {
    for (const { key, value } of manifest.entries(table)) found.set(`${table}/${key}`, plain(value));
  }
  return found;
}

/** Without fields that are undefined. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}

/** What a start says of the folder, and what it finds in it. */
async function opened() {
  const problems: string[] = [];
  const notes: string[] = [];
  const manifest = await openManifest(directory, {
    report: (problem) => problems.push(problem),
    note: (message) => notes.push(message),
  });
  return { manifest, problems, notes };
}

/** The same streams as `entries` has them, each once. */
function readStreams(manifest: ManifestReader): Map<string, unknown> {
  const found = new Map<string, unknown>();
  manifest.readStreams((number, entry) => {
    assert.equal(found.has(`streams/${number}`), false);
    found.set(`streams/${number}`, plain(entry));
  });
  return found;
}

/** A manifest with something in each table, and a commit since its snapshot. */
async function filled(): Promise<Map<string, unknown>> {
  const first = await openManifest(directory);
  await first.commit(
    tableNames.map((table): ManifestChange => {
      const key =
        table === 'meta' || table === 'workspaces' || table === 'tokens' || table === 'kept' ? 'one' : 1;
      return { table, key, value: table === 'streams' ? stream('a') : { table } };
    }),
  );
  await first.close();
  const second = await openManifest(directory);
  await second.commit([{ table: 'meta', key: 'clock', value: { proven: 7 } }]);
  await second.commit([{ table: 'meta', key: 'clock', value: { proven: 8 } }]);
  const all = everything(second);
  await second.close();
  return all;
}

/** What a killed process would leave now. A file that gets its name meanwhile has it copied once more. */
function copyFolder(copy: string): void {
  for (;;) {
    try {
      cpSync(directory, copy, { recursive: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      rmSync(copy, { recursive: true });
    }
  }
}

/** Without the stop. */
async function killed(manifest: CopyableManifest): Promise<void> {
  const copy = join(root, 'killed');
  copyFolder(copy);
  await manifest.close();
  rmSync(directory, { recursive: true });
  cpSync(copy, directory, { recursive: true });
  rmSync(copy, { recursive: true });
}

const newest = (kind: string) =>
  join(
    directory,
    readdirSync(directory)
      .filter((name) => name.startsWith(kind))
      .sort()
      .at(-1)!,
  );

describe('the manifest', () => {
  it('gives each stream once, as the last commit has it', async () => {
    await filled();
    const manifest = await openManifest(directory);
    const set = (key: number, value: unknown): ManifestChange => ({ table: 'streams', key, value });
    // Streams stand in the snapshot, in the edits, and in one frame with other entries.
    await manifest.commit([set(3, stream('c')), set(2, stream('b')), { table: 'topics', key: 2, value: {} }]);
    await manifest.commit([set(1, stream('changed')), set(2, undefined), set(300, stream('d'))]);
    const expected = new Map([
      ['streams/1', stream('changed')],
      ['streams/3', stream('c')],
      ['streams/300', stream('d')],
    ]);
    assert.deepEqual(readStreams(manifest), expected);
    await killed(manifest);
    const again = await openManifest(directory);
    assert.deepEqual(readStreams(again), expected);
    assert.deepEqual(new Map([...everything(again)].filter(([key]) => key.startsWith('streams/'))), expected);
    await again.close();
  });

  it('shows a commit when it is on disk, to a snapshot not at all', async () => {
    const manifest = await openManifest(directory);
    await manifest.commit([{ table: 'meta', key: 'lsn', value: 1 }]);
    const before = manifest.snapshot();
    const committed = manifest.commit([{ table: 'meta', key: 'lsn', value: 2 }]);
    assert.equal(manifest.read('meta', 'lsn'), 1);
    await committed;
    assert.equal(manifest.read('meta', 'lsn'), 2);
    assert.equal(before.read('meta', 'lsn'), 1);
    before.release();
    await manifest.close();
  });

  it('says what was committed, whatever stops and snapshots come between', async () => {
    const text = ['meta', 'workspaces', 'tokens', 'kept'] as const;
    const change = fc
      .record({
        table: fc.constantFrom(...tableNames),
        number: fc.nat(20),
        value: fc.option(binaryText(), { nil: undefined }),
      })
      .map(({ table, number, value }): ManifestChange => {
        const key = (text as readonly TableName[]).includes(table) ? `k${number}` : number;
        return { table, key, value: table === 'streams' && value !== undefined ? stream(value) : value };
      });
    const step = fc.oneof(
      fc.record({ type: fc.constant('commit' as const), changes: fc.array(change, { maxLength: 5 }) }),
      fc.record({ type: fc.constantFrom('stop' as const, 'kill' as const, 'snapshot' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        rmSync(directory, { recursive: true });
        cpSync(mkdtempSync(join(root, 'empty-')), directory, { recursive: true });
        let manifest = await openManifest(directory);
        const model = new Map<string, unknown>();
        for (const one of steps) {
          if (one.type === 'commit') {
            await manifest.commit(one.changes);
            for (const { table, key, value } of one.changes) {
              if (value === undefined) model.delete(`${table}/${key}`);
              else model.set(`${table}/${key}`, value);
            }
          } else if (one.type === 'snapshot') {
            // Large enough to make the manifest write a snapshot of itself.
            await manifest.commit([{ table: 'topics', key: 99, value: 'x'.repeat(1 << 20) }]);
            await manifest.commit([{ table: 'topics', key: 99, value: undefined }]);
            model.delete('topics/99');
          } else {
            if (one.type === 'stop') await manifest.close();
            else await killed(manifest);
            const again = await opened();
            assert.deepEqual([again.problems, again.notes], [[], []]);
            manifest = again.manifest;
          }
          assert.deepEqual(everything(manifest), model);
        }
        await manifest.close();
      }),
      { numRuns: cases(25) },
    );
  });

  it('takes commits while it writes a snapshot, and removes files that nothing needs', async () => {
    const manifest = await openManifest(directory);
    for (let round = 0; round < 3; round++) {
      const streams = Array.from({ length: 20_000 }, (_, i) => i + 1);
      const rounds = streams.map(
        (key): ManifestChange => ({ table: 'streams', key, value: stream(`${round}-${key}`) }),
      );
      const all = manifest.commit(rounds);
      const some = Array.from({ length: 50 }, (_, i) =>
        manifest.commit([{ table: 'streams', key: 10 * i + 1, value: stream(`late ${round}`) }]),
      );
      await Promise.all([all, ...some]);
    }
    const before = everything(manifest);
    assert.deepEqual(before.get('streams/11'), stream('late 2'));
    await manifest.close();
    const { manifest: again, problems } = await opened();
    assert.deepEqual(everything(again), before);
    assert.deepEqual(problems, []);
    assert.ok(readdirSync(directory).filter((name) => name.startsWith('snapshot-')).length <= 2);
    await again.close();
  });

  it('is whole when it is killed at any moment of writing a snapshot', async () => {
    const manifest = await openManifest(directory);
    let unfinished = 0;
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 3; i++) {
        await manifest.commit(
          Array.from(
            { length: 8000 },
            (_, key): ManifestChange => ({
              table: 'streams',
              key: key + 1,
              value: stream(`a stream of round ${round} and number ${key} with a long name`),
            }),
          ),
        );
      }
      // From here on only the snapshot is written.
      const expected = everything(manifest);
      const copies = Array.from({ length: 10 }, (_, moment) => join(root, `copy ${moment}`));
      for (const copy of copies) {
        copyFolder(copy);
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const copy of copies) {
        if (readdirSync(copy).some((name) => name.endsWith('.new'))) unfinished++;
        const problems: string[] = [];
        const again = await openManifest(copy, { report: (problem) => problems.push(problem) });
        assert.deepEqual(problems, []);
        assert.deepEqual(everything(again), expected);
        await again.close();
        rmSync(copy, { recursive: true });
      }
    }
    assert.ok(unfinished > 0);
    await manifest.close();
  });

  it('tells of every bit that is not what it was, or says the same without it', async () => {
    const all = await filled();
    let told = 0;
    let tried = 0;
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const bytes = readFileSync(path);
      for (let bit = 0; bit < 8 * bytes.length; bit += stride(7)) {
        // Of what fills pages some will do.
        if (bytes[bit >> 3] === 0x20 && bit % 501 !== 0) continue;
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        writeFileSync(path, flipped);
        const manifest = await readManifest(directory);
        tried++;
        if (manifest.damages.length > 0) told++;
        else assert.deepEqual(everything(manifest), all, `${name}, bit ${bit}`);
        manifest.close();
      }
      writeFileSync(path, bytes);
    }
    assert.ok(told > tried / 2, `${told} of ${tried}`);
  });

  it('tells of every cut after a clean stop, and says the same where another file has it', async () => {
    const all = await filled();
    const copy = join(root, 'copy');
    cpSync(directory, copy, { recursive: true });
    for (const name of readdirSync(copy)) {
      const { length } = readFileSync(join(copy, name));
      for (let size = 0; size < length; size += stride(Math.max(37, length >> 6))) {
        rmSync(directory, { recursive: true });
        cpSync(copy, directory, { recursive: true });
        truncateSync(join(directory, name), size);
        const { manifest, problems } = await opened();
        const isOld = name.endsWith('1');
        assert.equal(problems.length > 0, !isOld, `${name} cut to ${size}`);
        if (!name.startsWith('edits')) assert.deepEqual(everything(manifest), all, `${name} cut to ${size}`);
        const after = everything(manifest);
        await manifest.close();
        const again = await opened();
        assert.deepEqual(everything(again.manifest), after);
        assert.equal(again.problems.length > 0, lostEntries(again.manifest) !== undefined);
        await again.manifest.close();
      }
    }
  });

  it('cuts what a killed commit left', async () => {
    const first = await openManifest(directory);
    await first.commit([{ table: 'topics', key: 1, value: 'one' }]);
    await first.commit([{ table: 'topics', key: 2, value: 'two' }]);
    await killed(first);
    const { length } = readFileSync(newest('edits-'));
    truncateSync(newest('edits-'), length - 5);
    const { manifest, notes, problems } = await opened();
    assert.deepEqual([problems, notes.length], [[], 1]);
    assert.match(notes[0]!, /^cut \d+ bytes at the end of .*edits-\d+: an interrupted commit left them$/);
    assert.deepEqual([...everything(manifest).keys()], ['topics/1']);
    await manifest.commit([{ table: 'topics', key: 3, value: 'three' }]);
    await killed(manifest);
    appendFileSync(newest('edits-'), Buffer.alloc(4096));
    const again = await opened();
    assert.deepEqual([...everything(again.manifest).keys()], ['topics/1', 'topics/3']);
    assert.equal(again.problems.length, 0);
    await again.manifest.close();
  });

  it('keeps what stands around a damaged commit, and says for good that something is lost', async () => {
    const manifest = await openManifest(directory);
    const ends: number[] = [];
    for (let key = 1 as Key & number; key <= 3; key++) {
      ends.push(readFileSync(newest('edits-')).length);
      await manifest.commit([{ table: 'topics', key, value: `topic ${key}` }]);
    }
    await killed(manifest);
    const path = newest('edits-');
    const bytes = readFileSync(path);
    bytes[ends[1]! + 3]! ^= 1;
    writeFileSync(path, bytes);
    for (let start = 0; start < 3; start++) {
      const again = await opened();
      assert.deepEqual(
        [...everything(again.manifest).keys()].filter((key) => key !== 'meta/damage'),
        ['topics/1', 'topics/3'],
      );
      assert.match(again.problems.join(), new RegExp(`edits-\\d+: bytes ${ends[1]} to ${ends[2]}: `));
      await again.manifest.close();
    }
    assert.equal(readdirSync(directory).filter((name) => name.startsWith('damaged-edits-')).length, 1);
  });
});
