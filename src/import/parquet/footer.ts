import { type FileMetaData, parquetSchema, type RowGroup, type SchemaTree } from 'hyparquet';
import { TableFault } from '../tables/table-fault.ts';

/**
 * The columns of a file, with the fields inside of them, from a footer that was looked through: each row group has each column,
 * and what it says of places lies within the file of `bytes` bytes. Of a footer that is wrong there, the library throws while it
 * reads columns whose failures nobody would catch then. Throws a TableFault.
 */
export function checkFooter(metadata: FileMetaData, bytes: number): readonly SchemaTree[] {
  let columns: readonly SchemaTree[];
  try {
    columns = parquetSchema(metadata).children;
  } catch (error) {
    throw damaged((error as Error).message);
  }
  const leaves = leavesOf(columns, 0);
  if (!Array.isArray(metadata.row_groups)) throw damaged('it has no row groups');
  for (const [i, group] of metadata.row_groups.entries()) {
    const flaw = flawOf(group, leaves, bytes);
    if (flaw !== undefined) throw damaged(`row group ${i + 1} ${flaw}`);
  }
  return columns;
}

const deepest = 64;

function leavesOf(columns: readonly SchemaTree[], depth: number): SchemaTree[] {
  if (depth > deepest) throw damaged(`columns are nested more than ${deepest} deep`);
  return columns.flatMap((column) => {
    if (typeof column.element.name !== 'string') throw damaged('a column has no name');
    return column.children.length === 0 ? [column] : leavesOf(column.children, depth + 1);
  });
}

function damaged(what: string): TableFault {
  return new TableFault(`it cannot be read as Parquet: its footer is damaged: ${what}`);
}

/** What is wrong with a row group, for a footer may lack anything that its type promises. */
function flawOf(
  { num_rows: rows, columns }: Partial<RowGroup>,
  leaves: readonly SchemaTree[],
  bytes: number,
): string | undefined {
  if (typeof rows !== 'bigint' || rows < 0n) return 'has no number of rows';
  if (columns?.length !== leaves.length) return `has ${columns?.length ?? 0} of ${leaves.length} columns`;
  for (const [i, { meta_data: chunk }] of columns.entries()) {
    const { path } = leaves[i]!;
    const name = path.join('.');
    const { path_in_schema: place, total_compressed_size: size } = chunk ?? {};
    if (place?.length !== path.length || !place.every((part, depth) => part === path[depth]))
      return `does not have the column ${name} in its place`;
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
