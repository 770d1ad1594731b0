import { setImmediate } from 'node:timers/promises';
import type { ResultBlock, ResultShape } from '../domain/result.ts';
import type { Reservation } from '../ingest/byte-budget.ts';
import { encodeCsv } from '../wire/parameter-data-csv.ts';
import { batchBytes } from '../wire/row-batches.ts';
import type { ChosenForm, TableForm } from './accept.ts';
import type { Answer } from './route.ts';

/** An answer of rows as a table, made as it is sent; what it holds meanwhile counts against the reservation. */
export async function streamedAnswer(
  { form, type }: ChosenForm<TableForm>,
  blocks: AsyncIterable<ResultBlock>,
  shape: ResultShape,
  reservation: Reservation,
): Promise<Answer> {
  reservation.take(form === 'csv' ? csvBytes : batchBytes(shape));
  const encode = await encoders[form]();
  const charset = form === 'csv' ? '; charset=utf-8; header=present' : '';
  return { type: type + charset, vary: 'Accept', chunks: encode(paced(blocks), shape) };
}

/** After this time (ms) of reading and writing everything else gets a turn. */
const sliceMs = 4;

/** Many blocks go into one chunk of some forms: whoever waits for a turn gets it between blocks. */
async function* paced(blocks: AsyncIterable<ResultBlock>): AsyncGenerator<ResultBlock> {
  let start = performance.now();
  for await (const block of blocks) {
    yield block;
    if (performance.now() - start < sliceMs) continue;
    await setImmediate();
    start = performance.now();
  }
}

/** Chunks on their way. */
const csvBytes = 256 * 1024;

type Encode = (blocks: AsyncIterable<ResultBlock>, shape: ResultShape) => AsyncIterable<Uint8Array>;

/** The libraries of two forms are loaded when someone first asks for one. */
const encoders: Readonly<Record<TableForm, () => Encode | Promise<Encode>>> = {
  csv: () => encodeCsv,
  parquet: async () => (await import('../wire/parameter-data-parquet.ts')).encodeParquet,
  arrow: async () => (await import('../wire/parameter-data-arrow.ts')).encodeArrow,
};
