import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import { CannotOpen } from '../../../src/store/cannot-open.ts';
import type { EmbeddedStore } from '../../../src/store/embedded/store.ts';
import { verifyStore } from '../../../src/store/embedded/verify.ts';
import type { Change } from '../../../src/store/store.ts';
import { listed } from './listed.ts';
import { readRows } from './read-rows.ts';
import { rowsOf } from './rows.ts';
import { storeFolder } from './store-folder.ts';

const folder = storeFolder('damaged-format');

function rowsChange(streamId: string, time: bigint): Change {
  const rows = rowsOf([{ time, cells: { speed: 1 } }]);
  return { type: 'rows', topic: 'cars', streamId, rows: [rows] };
}

function inside(...names: string[]): string {
  return join(folder.directory, ...names);
}

function ids(store: EmbeddedStore): string[] {
  return listed(store.catalog.streams('default', {}, 0)).map(({ streamId }) => streamId);
}

/** A folder with a part, and with rows in its log. */
async function fill(): Promise<void> {
  const first = await folder.open();
  await first.append({ workspace: 'default', changes: [rowsChange('a', 1n)] });
  const second = await folder.reopenInParts(first, 1);
  await second.append({ workspace: 'default', changes: [rowsChange('b', 2n)] });
  await folder.close(second);
}

async function damages(): Promise<string[]> {
  const found: string[] = [];
  for await (const { file, what } of verifyStore(folder.directory)) found.push(`${file}: ${what}`);
  return found;
}

/** Every file of the folder with its bytes. */
function contents(): Map<string, string> {
  const names = readdirSync(folder.directory, { recursive: true, withFileTypes: true });
  return new Map(
    names
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [
        join(parentPath, name),
        readFileSync(join(parentPath, name), 'latin1'),
      ]),
  );
}

/** A start and `verify` end with this one line, and change nothing. */
async function isRefused(message: string): Promise<void> {
  const before = contents();
  const refused = (error: unknown) => {
    assert.ok(error instanceof CannotOpen, String(error));
    assert.equal(error.message, message);
    return true;
  };
  await assert.rejects(folder.open(), refused);
  await assert.rejects(damages(), refused);
  assert.deepEqual(contents(), before);
}

describe('a folder whose FORMAT is damaged', () => {
  /** Starts on the folder with this FORMAT, or without one: all is served, the damage is told, and mended. */
  async function isServed(bytes: Buffer | undefined, whole: string): Promise<void> {
    if (bytes === undefined) rmSync(inside('FORMAT'));
    else writeFileSync(inside('FORMAT'), bytes);
    const what = bytes === undefined ? 'the file is missing' : 'it does not have its checksum';
    const named = `${bytes?.toString('latin1')}`;
    assert.deepEqual(await damages(), [`${inside('FORMAT')}: ${what}`], named);
    const lines: string[] = [];
    const tell = (_fields: object, line: string) => lines.push(line);
    const store = await folder.open({ log: { info: tell, warn: tell, error: tell } });
    const told = `${inside('FORMAT')}: bytes 0 to ${bytes?.length ?? 0}: ${what}; nothing is lost`;
    assert.deepEqual(ids(store), ['a', 'b'], named);
    assert.deepEqual(store.health().problems, [told], named);
    assert.ok(store.health().writable);
    assert.ok(lines.includes(told) && lines.includes(`${inside('FORMAT')} was written anew`), named);
    await folder.close(store);
    assert.equal(readFileSync(inside('FORMAT'), 'latin1'), whole);
    assert.deepEqual(await damages(), []);
  }

  /** That every other flipped bit and every other cut is damage too, `files/format-file.test.ts` shows. */
  it('is served, with a byte another, cut, empty or missing, and FORMAT is written anew', async () => {
    await fill();
    const bytes = readFileSync(inside('FORMAT'));
    const whole = bytes.toString('latin1');
    for (const at of [0, 3, whole.indexOf('2'), whole.indexOf('checksum'), bytes.length - 1]) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << (at % 8);
      await isServed(flipped, whole);
    }
    for (const length of [0, 12, bytes.length - 1]) await isServed(bytes.subarray(0, length), whole);
    await isServed(undefined, whole);
    const store = await folder.open();
    assert.deepEqual(store.health().problems, []);
  });

  it('is served where FORMAT cannot be written anew, which the next start tells too', async () => {
    await fill();
    rmSync(inside('FORMAT'));
    mkdirSync(inside('FORMAT'));
    for (let start = 0; start < 2; start++) {
      const lines: string[] = [];
      const warn = (_fields: object, line: string) => lines.push(line);
      const store = await folder.open({ log: { info() {}, warn, error() {} } });
      assert.deepEqual(ids(store), ['a', 'b']);
      assert.match(
        store.health().problems.join('\n'),
        /^[^\n]*FORMAT: bytes 0 to 0: it cannot be read: EISDIR[^\n]*$/,
      );
      assert.match(lines.join('\n'), /FORMAT could not be written anew: /);
      await folder.close(store);
    }
  });

  it('is verified like another: damage in its other files is told beside', async () => {
    await fill();
    const [part] = readdirSync(inside('parts'));
    const bytes = readFileSync(inside('parts', part!));
    bytes[0]! ^= 1;
    writeFileSync(inside('parts', part!), bytes);
    writeFileSync(inside('FORMAT'), '');
    const [first, second, ...others] = await damages();
    assert.equal(first, `${inside('FORMAT')}: it does not have its checksum`);
    assert.ok(second!.startsWith(`${inside('parts', part!)}: `), second);
    assert.deepEqual(others, []);
  });

  it('is verified like another: folders that are missing are told, and the others are read', async () => {
    await fill();
    const [part] = readdirSync(inside('parts'));
    const path = inside('parts', part!);
    rmSync(inside('FORMAT'));
    rmSync(inside('log'), { recursive: true });
    rmSync(inside('parts'), { recursive: true });
    const [format, log, parts, file, records, ...others] = await damages();
    assert.deepEqual(
      [format, log, parts],
      [
        `${inside('FORMAT')}: the file is missing`,
        `${inside('log')}: the folder is missing`,
        `${inside('parts')}: the folder is missing`,
      ],
    );
    assert.match(file!, new RegExp(`^${path}: ENOENT`));
    assert.match(records!, /was acknowledged and is not whole$/);
    assert.deepEqual(others, []);
    rmSync(inside('catalog'), { recursive: true });
    mkdirSync(inside('parts'));
    await assert.rejects(damages(), { message: `${inside('catalog')} is missing: there is no catalogue` });
  });

  it('is refused where there is nothing else', async () => {
    mkdirSync(folder.directory);
    writeFileSync(inside('FORMAT'), '{"format":2}\n');
    await isRefused(
      `${inside('FORMAT')}: bytes 0 to 13: it does not have its checksum; nothing else of Pitwall is there: ` +
        'empty the folder, or choose another one',
    );
  });
});

describe('a folder of another version', () => {
  it('is refused by what FORMAT says', async () => {
    await fill();
    for (const format of [1, 3]) {
      const checked = `{"format":${format}`;
      writeFileSync(
        inside('FORMAT'),
        `${checked},"checksum":"${crc32(checked).toString(16).padStart(8, '0')}"}\n`,
      );
      await isRefused(`${folder.directory} has format ${format}; this version of Pitwall takes format 2`);
    }
  });

  /** Gives the header at the begin of a file another version, with its checksum. */
  function setVersion(path: string, checksumAt: number, version: number): void {
    const bytes = readFileSync(path);
    bytes.write(String(version), 3);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, checksumAt)), checksumAt);
    writeFileSync(path, bytes);
  }

  for (const [form, checksumAt, pattern] of [
    ['log', 44, /^segment-/],
    ['catalog', 28, /^(?:snapshot-|edits-|closed$)/],
  ] as const) {
    it(`is refused by what each file of ${form}/ says, whatever FORMAT says`, async () => {
      await fill();
      const names = readdirSync(inside(form)).filter((name) => pattern.test(name));
      assert.ok(names.length >= (form === 'log' ? 1 : 3), names.join());
      for (const name of names) {
        const path = inside(form, name);
        const whole = readFileSync(path);
        setVersion(path, checksumAt, 2);
        const message = `${path} has format 2; this version of Pitwall takes format 1`;
        await isRefused(message);
        const format = readFileSync(inside('FORMAT'));
        writeFileSync(inside('FORMAT'), 'x');
        await isRefused(message);
        writeFileSync(inside('FORMAT'), format);
        writeFileSync(path, whole);
      }
      assert.deepEqual(ids(await folder.open()), ['a', 'b']);
    });
  }

  it('may have a part that is: its rows are refused and the others served, and it stays as it is', async () => {
    await fill();
    const [name] = readdirSync(inside('parts'));
    const path = inside('parts', name!);
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(1, bytes.length - 16);
    bytes.writeUInt32LE(crc32(bytes.subarray(bytes.length - 112, bytes.length - 12)), bytes.length - 12);
    writeFileSync(path, bytes);
    const what = 'the footer of a part: it has format version 1; this version of Pitwall reads version 2';
    assert.deepEqual(await damages(), [`${path}: ${what}`]);
    const store = await folder.open();
    assert.deepEqual(ids(store), ['a', 'b']);
    const everything = {
      workspace: 'default',
      streamIds: undefined,
      topic: undefined,
      from: minTimestamp,
      to: maxTimestamp,
      parameters: [{ kind: Kind.Numeric, name: 'speed' }],
      tagFilters: [],
      order: 'Asc',
      limit: undefined,
      after: undefined,
    } as const;
    await assert.rejects(readRows(store, everything), { code: 'data_damaged' });
    assert.match(
      store.health().problems.join('\n'),
      /format version 1; this version of Pitwall reads version 2/,
    );
    await folder.close(store);
    assert.deepEqual(readFileSync(path), bytes);
  });
});

describe('a folder in which a restore works', () => {
  it('is refused, with FORMAT or without', async () => {
    await fill();
    writeFileSync(inside('restoring'), '');
    const message = `${folder.directory} holds a restore that was not finished; empty it and restore again`;
    await isRefused(message);
    rmSync(inside('FORMAT'));
    await isRefused(message);
  });
});
