import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { checkFooter } from '../../../src/import/parquet/footer.ts';
import { TableFault } from '../../../src/import/tables/table-fault.ts';

const file = parquetWriteBuffer({
  columnData: [
    { name: 'Timestamp', data: [1n, 2n], type: 'INT64' },
    { name: 'Speed', data: [0.5, 1.5], type: 'DOUBLE' },
  ],
});

/** The footer after a change, which may give it what its type does not allow. */
function check(change: (footer: FileMetaData) => void): readonly string[] {
  const footer = parquetMetadata(file);
  change(footer);
  return checkFooter(footer, file.byteLength).map(({ element }) => element.name);
}

describe('the footer of a Parquet file', () => {
  it('tells the columns', () => {
    assert.deepEqual(
      check(() => {}),
      ['Timestamp', 'Speed'],
    );
  });

  it('is refused where it is damaged, before the library reads by it', () => {
    const chunk = (footer: FileMetaData, i: number) => footer.row_groups[0]!.columns[i]!.meta_data!;
    const damages: [(footer: FileMetaData) => void, RegExp][] = [
      [(footer) => Object.assign(footer.schema[1]!, { name: undefined }), /a column has no name/],
      [(footer) => Object.assign(footer, { row_groups: undefined }), /has no row groups/],
      [
        (footer) => Object.assign(footer.row_groups[0]!, { num_rows: -1n }),
        /row group 1 has no number of rows/,
      ],
      [(footer) => footer.row_groups[0]!.columns.pop(), /has 1 of 2 columns/],
      [(footer) => Object.assign(chunk(footer, 1), { path_in_schema: ['x'] }), /column Speed in its place/],
      [
        (footer) => Object.assign(chunk(footer, 0), { data_page_offset: undefined }),
        /Timestamp beyond the file/,
      ],
      [(footer) => Object.assign(chunk(footer, 0), { total_compressed_size: 1n << 40n }), /beyond the file/],
    ];
    for (const [damage, message] of damages) {
      assert.throws(
        () => check(damage),
        (error: unknown) => {
          assert.ok(error instanceof TableFault, String(error));
          assert.match(error.message, message);
          return true;
        },
      );
    }
  });
});
