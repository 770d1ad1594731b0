import type { AsyncBuffer, FileMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { TableFault } from '../tables/table-fault.ts';

/** The longest head of a page, which may have the least and the greatest value of the page in it. */
const mostHeadBytes = 64 * 1024;

/** More bytes than the largest row group has. */
const mostPageBytes = 1024 ** 3;

/**
 * Looks through the heads of the pages that are read of a row group. Throws a TableFault.
 * @param group from 0
 * @param wanted the columns that are read
 */
export async function checkGroup(
  file: AsyncBuffer,
  { row_groups }: FileMetaData,
  group: number,
  wanted: readonly SchemaTree[],
): Promise<void> {
  const { columns, num_rows: rows } = row_groups[group]!;
  const trees = new Map(wanted.map((tree) => [tree.element.name, tree]));
  for (const { meta_data: chunk } of columns) {
    const { path_in_schema: path, dictionary_page_offset, data_page_offset, total_compressed_size } = chunk!;
    const tree = trees.get(path[0]!);
    if (tree === undefined) continue;
    const start = Number(dictionary_page_offset || data_page_offset);
    const bytes = await file.slice(start, start + Number(total_compressed_size));
    const isFlat = tree.children.length === 0 && tree.element.repetition_type !== 'REPEATED';
    const place = `row group ${group + 1}, column ${path.join('.')}`;
    checkPageHeads(bytes, place, isFlat ? Number(rows) : undefined);
  }
}

/**
 * Looks through the heads of the pages of a column in one row group. Of a head that lacks a number the library reads the same
 * byte again and again, and rows that no page has would be rows without a value. Throws a TableFault.
 * @param bytes all pages of the column in this row group
 * @param place of the column, in words
 * @param rows so many values the pages have together; undefined where a row may have several
 */
function checkPageHeads(bytes: ArrayBuffer, place: string, rows: number | undefined): void {
  let at = 0;
  let values = 0;
  // As the library does: it takes no page of a single byte, and none behind the last row.
  for (let page = 1; at < bytes.byteLength - 1 && (rows === undefined || values < rows); page++) {
    const reader = {
      view: new DataView(bytes, at, Math.min(bytes.byteLength - at, mostHeadBytes)),
      offset: 0,
    };
    const flaw = (what: string): TableFault =>
      new TableFault(`it cannot be read as Parquet: ${place}, page ${page} ${what}`);
    let head: PageHeader;
    try {
      head = parquetHeader(reader);
    } catch (error) {
      throw flaw(`has a damaged head: ${(error as Error).message}`);
    }
    const lacking = lackingIn(head);
    if (lacking !== undefined) throw flaw(`has a damaged head: ${lacking}`);
    at += reader.offset + head.compressed_page_size;
    if (at > bytes.byteLength) throw flaw(`ends ${at - bytes.byteLength} bytes behind its column`);
    values += (head.data_page_header ?? head.data_page_header_v2)?.num_values ?? 0;
  }
  if (rows !== undefined && values !== rows)
    throw new TableFault(`it cannot be read as Parquet: ${place} has ${values} values for ${rows} rows`);
}

/** What a head lacks of the numbers by which its page is read. */
function lackingIn(head: PageHeader): string | undefined {
  const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: dictionary } = head;
  const numbers: Readonly<Record<string, unknown>> = {
    compressed_page_size: head.compressed_page_size,
    uncompressed_page_size: head.uncompressed_page_size,
    ...(v1 && { num_values: v1.num_values }),
    ...(dictionary && { num_values: dictionary.num_values }),
    ...(v2 && {
      num_values: v2.num_values,
      num_nulls: v2.num_nulls,
      num_rows: v2.num_rows,
      definition_levels_byte_length: v2.definition_levels_byte_length,
      repetition_levels_byte_length: v2.repetition_levels_byte_length,
    }),
  };
  const wrong = Object.entries(numbers).find(
    ([, number]) =>
      !(Number.isSafeInteger(number) && (number as number) >= 0 && (number as number) <= mostPageBytes),
  );
  return wrong === undefined
    ? undefined
    : `${wrong[0]} is ${wrong[1] === undefined ? 'not there' : wrong[1]}`;
}
