import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CanFrame } from '../../../src/import/can/can-frame.ts';
import { readDbc } from '../../../src/import/can/read-dbc.ts';
import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { type LoggedFile, rowsOf } from '../../../src/import/logged-file.ts';

export function fileOf(content: string | Uint8Array): FileBytes {
  const bytes = Uint8Array.from(Buffer.from(content as string));
  return { size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

export const dbcOf = (...texts: readonly string[]) =>
  readDbc(texts.map((text, i) => ({ name: `${i + 1}.dbc`, bytes: Buffer.from(text) })));

/** A message of 11 bits, one of 29 with two levels of multiplexing, and one of CAN FD. */
export const vehicle = `VERSION ""

NS_ :
	CM_
	VAL_
	SIG_VALTYPE_
	SG_MUL_VAL_

BS_:

BU_: ECU Logger

BO_ 100 Engine: 8 ECU
 SG_ Speed : 0|16@1+ (0.25,0) [0|8000] "rpm" ECU
 SG_ Temp : 23|8@0- (1,-40) [-40|215] "degC" Logger
 SG_ Gear : 24|4@1+ (1,0) [0|15] "" Logger
 SG_ Count : 28|4@1+ (1,0) [0|15] "" Logger

BO_ 2566844926 Mixed: 8 ECU
 SG_ Mux M : 0|8@1+ (1,0) [0|0] "" Logger
 SG_ A m0 : 8|8@1+ (1,0) [0|0] "" Logger
 SG_ B m1M : 8|8@1+ (1,0) [0|0] "" Logger
 SG_ C m3 : 16|32@1- (1,0) [0|0] "" Logger

BO_ 512 Long: 64 ECU
 SG_ Last : 504|8@1+ (1,0) [0|0] "" Logger

CM_ BO_ 100 "BO_ 7 NotThis: 8 ECU
 SG_ Nor : 0|8@1+ (1,0) [0|0] \\"x\\" ECU";
BA_DEF_ SG_ "SystemSignalLongSymbol" STRING ;
BA_ "SystemSignalLongSymbol" SG_ 100 Speed "EngineSpeedOfTheVeryLongNameThatIsHere";
VAL_ 100 Gear 2 "Second" 1 "First" 0 "Neutral" ;
VAL_ 100 Count 15 "n/a" ;
SIG_VALTYPE_ 2566844926 C : 1;
SG_MUL_VAL_ 2566844926 C B 3-5, 7-7;
`;

/** Rows of a log as milliseconds after a start, name of the table and values. */
export async function rowsOfLog(log: LoggedFile, start = log.start): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const { table, row } of rowsOf(log))
    rows.push([Number(row.time - start) / 1e6, log.tables[table]!.name, ...row.values]);
  return rows;
}

export async function* framesOf(frames: readonly Partial<CanFrame>[]): AsyncGenerator<CanFrame> {
  for (const frame of frames)
    yield { time: 0n, bus: 'CAN1', id: 0, isExtended: false, data: new Uint8Array(8), ...frame };
}

/** What a program of Debian's Python prints; undefined where it has not this module. */
export async function runPython(module: string, program: string): Promise<string | undefined> {
  const run = promisify(execFile);
  const has = await run('/usr/bin/python3', ['-c', `import ${module}`]).then(
    () => true,
    () => false,
  );
  if (!has) return undefined;
  return (await run('/usr/bin/python3', ['-c', program], { maxBuffer: 64 << 20 })).stdout;
}
