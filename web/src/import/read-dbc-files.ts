import type { Dbc } from '../../../src/import/can/dbc.ts';

/** What frames of CAN buses mean by the .dbc files among others; undefined where there is none. Throws an error that names file and line. */
export async function dbcOf(files: readonly File[]): Promise<Dbc | undefined> {
  const chosen = files.filter(({ name }) => /\.dbc$/i.test(name));
  if (chosen.length === 0) return undefined;
  const { longestDbc, readDbc } = await import('../../../src/import/can/read-dbc.ts');
  const tooLong = chosen.find(({ size }) => size > longestDbc);
  if (tooLong !== undefined) throw new Error(`${tooLong.name} has more than ${longestDbc} bytes.`);
  return readDbc(
    await Promise.all(
      chosen.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    ),
  );
}
