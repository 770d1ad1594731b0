import { type FileMetaData, parquetSchema, type RowGroup, type SchemaElement } from 'hyparquet';
import { CommandError } from './command.ts';

/**
 * The columns of a file, all of them flat, from a footer that was looked through: each row group has each column, and what it
 * says of places lies within the file of `bytes` bytes. Of a footer that is wrong there, the library throws while it reads
 * columns whose failures nobody would catch then. Throws a CommandError.
 */
export function checkFooter(path: string, metadata: FileMetaData, bytes: number): readonly SchemaElement[] {
  const damaged = (what: string): CommandError =>
    new CommandError(`${path} cannot be read as Parquet: its footer is damaged: ${what}`);
  let columns: ReturnType<typeof parquetSchema>['children'];
  try {
    columns = parquetSchema(metadata).children;
  } catch (error) {
    throw damaged((error as Error).message);
  }
  for (const { element, children } of columns) {
    if (typeof element.name !== 'string') throw damaged('a column has no name');
    if (children.length > 0 || element.repetition_type === 'REPEATED')
      throw new CommandError(`the column ${element.name} is nested; only flat columns can be loaded`);
  }
  const elements = columns.map(({ element }) => element);
  if (!Array.isArray(metadata.row_groups)) throw damaged('it has no row groups');
  for (const [i, group] of metadata.row_groups.entries()) {
    const flaw = flawOf(group, elements, bytes);
    if (flaw !== undefined) throw damaged(`row group ${i + 1} ${flaw}`);
  }
  return elements;
}

/** What is wrong with a row group, for a footer may lack anything that its type promises. */
function flawOf(
  { num_rows: rows, columns }: Partial<RowGroup>,
  elements: readonly SchemaElement[],
  bytes: number,
): string | undefined {
  if (typeof rows !== 'bigint' || rows < 0n) return 'has no number of rows';
  if (columns?.length !== elements.length) return `has ${columns?.length ?? 0} of ${elements.length} columns`;
  for (const [i, { meta_data: chunk }] of columns.entries()) {
    const { name } = elements[i]!;
    const { path_in_schema: place, total_compressed_size: size } = chunk ?? {};
    if (place?.length !== 1 || place[0] !== name) return `does not have the column ${name} in its place`;
    const start = chunk?.dictionary_page_offset || chunk?.data_page_offset;
    const isWithin =
      typeof start === 'bigint' &&
      typeof size === 'bigint' &&
      start >= 0n &&
      size >= 0n &&
      start + size <= bytes;
    if (!isWithin) return `has the column ${name} beyond the file`;
  }
  return undefined;
}
