import type { ResultBlock, ResultShape } from '../../domain/result.ts';
import { restEvery } from '../../turns/rest.ts';
import type { TableForm } from '../../wire/answers/answer-forms.ts';
import { encodeCsv } from '../../wire/answers/parameter-data-csv.ts';
import { batchBytes } from '../../wire/answers/row-batches.ts';

/**
 * An answer of rows as a table, made as it is sent.
 *
 * @param take told of the bytes that making it holds meanwhile
 */
export async function tableAnswer(
  form: TableForm,
  blocks: AsyncIterable<ResultBlock>,
  shape: ResultShape,
  take: (bytes: number) => void,
): Promise<AsyncIterable<Uint8Array>> {
  take(form === 'csv' ? csvBytes : batchBytes(shape));
  const encode = await encoders[form]();
  return encode(paced(blocks), shape);
}

/** The longest time of reading and writing before everything else gets a turn. */
const sliceMs = 4;

/** Many blocks go into one chunk of some forms: whoever waits for a turn gets it between blocks. */
async function* paced(blocks: AsyncIterable<ResultBlock>): AsyncGenerator<ResultBlock> {
  const pace = restEvery(sliceMs);
  for await (const block of blocks) {
    yield block;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}

/** The bytes of CSV chunks that are on their way. */
const csvBytes = 256 * 1024;

type Encode = (blocks: AsyncIterable<ResultBlock>, shape: ResultShape) => AsyncIterable<Uint8Array>;

/** The libraries of two forms are loaded when someone first asks for one. */
const encoders: Readonly<Record<TableForm, () => Encode | Promise<Encode>>> = {
  csv: () => encodeCsv,
  parquet: async () => (await import('../../wire/answers/parameter-data-parquet.ts')).encodeParquet,
  arrow: async () => (await import('../../wire/answers/parameter-data-arrow.ts')).encodeArrow,
};
